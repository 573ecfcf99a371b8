/** No data arrived within the time limit. */
export class StallError extends Error {
  constructor(milliseconds: number) {
    super(`No data for ${milliseconds} ms.`)
    this.name = 'StallError'
  }
}

/**
 * Yields the chunks of `source`. Throws `StallError` if one step takes longer than `stallTimeoutMs` ms, or the reason of
 * `signal` as soon as it is aborted. Does not wait for a stalled source to close.
 */
export async function* withStallTimeout<T>(
  source: AsyncIterable<T>,
  { stallTimeoutMs, signal }: { stallTimeoutMs: number; signal?: AbortSignal },
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
      // One promise per step: racing a single long-lived promise would keep every chunk in memory.
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
    // Not awaited, because a stalled source would never return.
    if (!exhausted) void iterator.return?.().then(null, () => {})
  }
}
