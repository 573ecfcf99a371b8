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
export async function* withStallTimeout<T>(
  source: AsyncIterable<T>,
  { stallMs: stallTimeoutMs, signal }: { stallMs: number; signal?: AbortSignal },
): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  let rejectStep: ((reason: unknown) => void) | undefined
  const onAbort = () => rejectStep?.(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  let exhausted = false
  try {
    for (;;) {
      signal?.throwIfAborted()
      const timer = setTimeout(() => rejectStep?.(new StallError(stallTimeoutMs)), stallTimeoutMs)
      // A promise for each step: racing one long-lived promise would keep every chunk in memory.
      const next = new Promise<IteratorResult<T>>((resolve, reject) => {
        rejectStep = reject
        iterator.next().then(resolve, reject)
      })
      const result = await next.finally(() => clearTimeout(timer))
      exhausted = result.done === true
      if (result.done) return
      yield result.value
    }
  } finally {
    signal?.removeEventListener('abort', onAbort)
    // Not awaited: it would hang with the source.
    if (!exhausted) void iterator.return?.().then(null, () => {})
  }
}
