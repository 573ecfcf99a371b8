/** Bytes that are made while they are sent. */
export interface StreamedBytes {
  pieces: AsyncIterator<Uint8Array>
  /** Called once, when all pieces are sent or nobody will read them any more; `error` when they could not be made. */
  close(error?: unknown): void
}

/** How long a client may take no data before its answer is broken off, ms. */
const maxIdleMs = 30_000

/**
 * The body of an answer. Pieces are made as the client takes them. When one cannot be made, or the client takes none for 30
 * seconds, the stream ends with an error, so that the client sees a broken response and no shorter one.
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
      controller.error(new Error('The client took no data.'))
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
          // Its message could hold what clients must not see; `close` got the error itself.
          controller.error(new Error('The answer was broken off.'))
        }
      },
      cancel: () => end(),
    },
    { highWaterMark: 0 },
  )
}
