/** Runs at most `atOnce` at a time, in the order in which they came. */
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
