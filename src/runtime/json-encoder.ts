import { randomBytes } from 'node:crypto'

/** A text together with its JSON. */
export interface EncodedText {
  readonly content: string
  /** The text as the inside of a JSON string, in UTF-8. */
  readonly json: Uint8Array
}

/** Encodes a text as the inside of a JSON string. Copies the bytes: a small Buffer would keep its whole pool in memory. */
export function encodeText(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(JSON.stringify(text)).subarray(1, -1))
}

/** A string value made of chunks, some of which are already encoded. */
export class ChunkedText {
  readonly chunks: readonly (string | EncodedText)[]
  constructor(chunks: readonly (string | EncodedText)[]) {
    this.chunks = chunks
  }
  toString(): string {
    return this.chunks.map((chunk) => (typeof chunk === 'string' ? chunk : chunk.content)).join('')
  }
  toJSON(): string {
    return this.chunks.map((chunk) => (typeof chunk === 'string' ? chunk : substitute(chunk))).join('')
  }
}

interface HasContent {
  content: string
}

/** The property that holds the encoded `content` of an object. */
const encodedContent = Symbol('encodedContent')

/**
 * Makes `encodeJson` copy the JSON of `text` instead of encoding `value.content`, which must be the same text. Freezes and
 * returns `value`. `JSON.stringify` and schemas see no difference; copies of `value` do not have the encoded content.
 */
export function attachEncodedContent<T extends HasContent>(value: T, text: EncodedText): T {
  const marked = { ...value, content: marker }
  const toJSON = () => (substitute(text) === marker ? marked : value)
  return Object.freeze(Object.defineProperties(value, { [encodedContent]: { value: text }, toJSON: { value: toJSON } }))
}

/** The text that `attachEncodedContent` attached to an object. */
export function encodedContentOf(value: HasContent): EncodedText | undefined {
  return (value as { [encodedContent]?: EncodedText })[encodedContent]
}

/** Stands for an encoded text while the rest is encoded. It is random, so no text can contain it, and needs no escaping. */
const marker = randomBytes(18).toString('base64url')
const markerBytes = Buffer.from(marker)

/** The encoded texts of the value that is being encoded, in order; null outside of `encodeJson`. */
let substituted: EncodedText[] | null = null

/** Returns the marker within `encodeJson`, elsewhere the text itself. */
function substitute(text: EncodedText): string {
  if (!substituted) return text.content
  substituted.push(text)
  return marker
}

/**
 * Encodes a value as JSON: the same characters as `JSON.stringify`, in UTF-8 if it contains encoded texts. Copies these
 * instead of encoding them again, which is most of the cost of a page.
 */
export function encodeJson(value: unknown): string | Uint8Array {
  const texts: EncodedText[] = []
  substituted = texts
  try {
    const skeleton = JSON.stringify(value)
    return texts.length === 0 ? skeleton : insertTexts(Buffer.from(skeleton), texts)
  } finally {
    substituted = null
  }
}

function insertTexts(skeleton: Buffer, texts: readonly EncodedText[]): Buffer {
  const parts: Uint8Array[] = []
  let from = 0
  for (const { json } of texts) {
    const at = skeleton.indexOf(markerBytes, from)
    parts.push(skeleton.subarray(from, at), json)
    from = at + markerBytes.length
  }
  return Buffer.concat([...parts, skeleton.subarray(from)])
}
