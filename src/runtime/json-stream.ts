import { toByteStream, type StreamedBytes } from './byte-stream.ts'
import { encodeAroundProperty } from './json-encoder.ts'

/** A text that is made while it is sent: the inside of a JSON string in UTF-8, in pieces. */
export type StreamedText = StreamedBytes

/** The property that holds the streamed `content` of an object. */
const streamedContent = Symbol('streamedContent')

/**
 * Marks `value`, whose `content` must be empty, as one whose content is `text`: only `streamJson` can encode it, and
 * `JSON.stringify` throws, so that no transport sends the empty one. Freezes and returns `value`.
 */
export function attachStreamedContent<T extends { content: string }>(value: T, text: StreamedText): T {
  return Object.freeze(
    Object.defineProperties(value, { [streamedContent]: { value: text }, toJSON: { value: refuseToEncode } }),
  )
}

function refuseToEncode(): never {
  throw new Error('The content of this value is streamed.')
}

/**
 * The JSON of a value with streamed content: the same bytes as `encodeJson` of the value with the whole text. Null for
 * another value. Pieces are made as the client takes them. When one cannot be made, or the client takes none for 30
 * seconds, the stream ends with an error, so that the client sees a broken response and no shorter text.
 */
export function streamJson(value: unknown): ReadableStream<Uint8Array> | null {
  const text = streamedContentOf(value)
  if (!text) return null
  const { before, after } = encodeAroundProperty(value as object, 'content')
  return toByteStream({ ...text, pieces: surround(text.pieces, [quoted(before, ''), quoted('', after)]) })
}

/** Gives up the content of a value that is not sent. */
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

async function* surround(
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
