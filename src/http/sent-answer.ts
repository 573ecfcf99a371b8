import type { Call } from '../core/context.ts'
import { toByteStream } from '../runtime/byte-stream.ts'

/** Smaller answers count as sent when they are handed to the connection, bytes. */
const maxUnwatchedBytes = 256_000
const pieceBytes = 64_000

type Encoded = string | Uint8Array | ReadableStream<Uint8Array>

/** What a call keeps until its answer has been sent. */
export interface SentAnswer {
  endWhenSent: NonNullable<Call['endWhenSent']>
  /**
   * The response with this body. What the call keeps ends when a large body has been sent, when its client has gone, and when its
   * client has taken nothing for 30 seconds.
   */
  respond(body: Encoded, head: { status: number; headers: Record<string, string> }): Response
  /** Ends what the call keeps, unless a large answer is being sent. Call it when the request has been handled. */
  settle(): void
}

/** Creates the state of an answer that will be sent. */
export function createSentAnswer(method: string): SentAnswer {
  const ends: (() => void)[] = []
  let isWatched = false
  const endAll = () => ends.splice(0).forEach((end) => end())
  return {
    endWhenSent: (end) => void ends.push(end),
    respond(body, { status, headers }) {
      const isLarge = typeof body === 'string' && body.length > maxUnwatchedBytes
      if (!isLarge || ends.length === 0 || method === 'HEAD') return new Response(body, { status, headers })
      isWatched = true
      const bytes = Buffer.from(body)
      const stream = toByteStream({ pieces: piecesOf(bytes), close: endAll })
      return new Response(stream, { status, headers: { ...headers, 'Content-Length': String(bytes.length) } })
    },
    settle() {
      if (!isWatched) endAll()
    },
  }
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += pieceBytes) yield bytes.subarray(from, from + pieceBytes)
}
