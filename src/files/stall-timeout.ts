/** No byte arrived for the time allowed. */
export class StallError extends Error {
  constructor(milliseconds: number) {
    super(`No data for ${milliseconds} ms.`)
    this.name = 'StallError'
  }
}

/**
 * Passes `source` on; throws `StallError` when one step takes longer than `stallMs`, or `signal`'s reason at once. A
 * source that hangs is left to its owner to close.
 */
export async function* watch<T>(
  source: AsyncIterable<T>,
  { stallMs, signal }: { stallMs: number; signal?: AbortSignal },
): AsyncGenerator<T> {
  const steps = source[Symbol.asyncIterator]()
  let fail: ((reason: unknown) => void) | undefined
  const onAbort = () => fail?.(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  let ended = false
  try {
    for (;;) {
      signal?.throwIfAborted()
      const timer = setTimeout(() => fail?.(new StallError(stallMs)), stallMs)
      // A promise for each step: racing one long-lived promise would keep every chunk in memory.
      const next = new Promise<IteratorResult<T>>((resolve, reject) => {
        fail = reject
        steps.next().then(resolve, reject)
      })
      const step = await next.finally(() => clearTimeout(timer))
      ended = step.done === true
      if (step.done) return
      yield step.value
    }
  } finally {
    signal?.removeEventListener('abort', onAbort)
    // Not awaited: it would hang with the source.
    if (!ended) void steps.return?.().then(null, () => {})
  }
}
