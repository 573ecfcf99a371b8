/** A lazily produced stream of bytes. */
export interface StreamedBytes {
  pieces: AsyncIterator<Uint8Array>
  /** Called once, when all chunks have been sent or the reader has gone; `error` if they could not be produced. */
  close(error?: unknown): void
}

/** Maximum time without progress by the client before its response is aborted, ms. */
const maxIdleMs = 30_000

/**
 * Converts the bytes to a response body. Chunks are produced on demand. If producing one fails, or the client reads
 * nothing for 30 seconds, the stream ends with an error. So the client sees a broken response instead of a truncated
 * one.
 */
export function toByteStream({ pieces, close }: StreamedBytes): ReadableStream<Uint8Array> {
  let idle: NodeJS.Timeout | undefined
  let ended = false
  const end = (error?: unknown) => {
    clearTimeout(idle)
    if (!ended) close(error)
    ended = true
  }
  const watch = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    idle = setTimeout(() => {
      controller.error(new Error('The client read no data in time.'))
      end()
    }, maxIdleMs)
    idle.unref()
  }
  return new ReadableStream(
    {
      start: watch,
      async pull(controller) {
        clearTimeout(idle)
        try {
          const { done, value } = await pieces.next()
          if (ended) return
          if (!done) {
            controller.enqueue(value)
            return watch(controller)
          }
          end()
          controller.close()
        } catch (error) {
          end(error)
          // The original message could reveal internals to clients; `close` receives the original error.
          controller.error(new Error('The answer was aborted.'))
        }
      },
      cancel: () => end(),
    },
    { highWaterMark: 0 },
  )
}
