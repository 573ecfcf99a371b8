/** Returns a function that runs at most `maxConcurrency` tasks at a time, in call order. */
export function createSemaphore(maxConcurrency: number): <T>(run: () => Promise<T>) => Promise<T> {
  const waiters: (() => void)[] = []
  let running = 0
  return async (run) => {
    if (running < maxConcurrency) running++
    else await new Promise<void>((resolve) => waiters.push(resolve))
    try {
      return await run()
    } finally {
      const resume = waiters.shift()
      if (resume) resume()
      else running--
    }
  }
}
