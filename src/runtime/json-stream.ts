import { toByteStream, type StreamedBytes } from './byte-stream.ts'
import { encodeSplitAtProperty } from './json-encoder.ts'

/** A streamed text: the content of a JSON string in UTF-8, in chunks. */
export type StreamedText = StreamedBytes

/** The property that holds the streamed `content` of an object. */
const streamedContent = Symbol('streamedContent')

/**
 * Attaches `text` as the streamed content of `value`, whose `content` must be empty. Only `streamJson` can encode
 * `value`; `JSON.stringify` throws, so that no transport sends the empty content. Freezes and returns `value`.
 */
export function attachStreamedContent<T extends { content: string }>(value: T, text: StreamedText): T {
  return Object.freeze(
    Object.defineProperties(value, { [streamedContent]: { value: text }, toJSON: { value: throwOnEncode } }),
  )
}

function throwOnEncode(): never {
  throw new Error('The content of this value is streamed.')
}

/**
 * The JSON of a value with streamed content: the same bytes as `encodeJson` of the value with the whole text. Null for
 * any other value. Chunks are produced on demand. If producing one fails, or the client reads nothing for 30 seconds,
 * the stream ends with an error. So the client sees a broken response instead of a truncated text.
 */
export function streamJson(value: unknown): ReadableStream<Uint8Array> | null {
  const text = streamedContentOf(value)
  if (!text) return null
  const { before, after } = encodeSplitAtProperty(value as object, 'content')
  return toByteStream({ ...text, pieces: wrapPieces(text.pieces, [quoted(before, ''), quoted('', after)]) })
}

/** Closes the streamed content of a value that will not be sent. */
export function discardStreamedContent(value: unknown): void {
  streamedContentOf(value)?.close()
}

function streamedContentOf(value: unknown): StreamedText | undefined {
  return typeof value === 'object' && value !== null
    ? (value as { [streamedContent]?: StreamedText })[streamedContent]
    : undefined
}

function quoted(before: Uint8Array | string, after: Uint8Array | string): Uint8Array {
  return Buffer.concat([Buffer.from(before as string), Buffer.from('"'), Buffer.from(after as string)])
}

async function* wrapPieces(
  pieces: AsyncIterator<Uint8Array>,
  [before, after]: readonly [Uint8Array, Uint8Array],
): AsyncGenerator<Uint8Array> {
  yield before
  for (;;) {
    const { done, value } = await pieces.next()
    if (done) break
    yield value
  }
  yield after
}
