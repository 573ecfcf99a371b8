import { randomBytes } from 'node:crypto'

/** A text together with its JSON. */
export interface EncodedText {
  readonly content: string
  /** The text as the inside of a JSON string, in UTF-8. */
  readonly json: Uint8Array
}

/** Encodes a text as the inside of a JSON string. */
export function encodeText(text: string): Uint8Array {
  return encodeUtf8(JSON.stringify(text).slice(1, -1))
}

/** Encodes into memory of its own: a small Buffer would keep the whole pool that it was cut from. */
function encodeUtf8(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text))
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
    if (!substitutions) return this.toString()
    return this.chunks.map((chunk) => (typeof chunk === 'string' ? chunk : substituteText(chunk))).join('')
  }
}

interface HasContent {
  content: string
}

/** The property that holds the encoded `content` of an object. */
const encodedContent = Symbol('encodedContent')

/**
 * Makes `encodeJson` encode `value` only once, with the JSON of `text`, which must be the same text as `value.content`.
 * Freezes and returns `value`. `JSON.stringify` and schemas see no difference; copies of `value` do not have the encoded
 * content.
 */
export function attachEncodedContent<T extends HasContent>(value: T, text: EncodedText): T {
  let surroundings: Surroundings | undefined
  const toJSON = () => {
    if (!substitutions) return value
    surroundings ??= encodeSurroundings(value)
    substitutions.push({ parts: [surroundings.before, text.json, surroundings.after], isWholeValue: true })
    return marker
  }
  return Object.freeze(Object.defineProperties(value, { [encodedContent]: { value: text }, toJSON: { value: toJSON } }))
}

/** The text that `attachEncodedContent` attached to an object. */
export function encodedContentOf(value: HasContent): EncodedText | undefined {
  return (value as { [encodedContent]?: EncodedText })[encodedContent]
}

/** The JSON of an object before and after the text in its `content`. */
interface Surroundings {
  before: Uint8Array
  after: Uint8Array
}

function encodeSurroundings(value: HasContent): Surroundings {
  const json = withoutSubstitutions(() => JSON.stringify({ ...value, content: marker }))
  const at = json.indexOf(marker)
  return { before: encodeUtf8(json.slice(0, at)), after: encodeUtf8(json.slice(at + marker.length)) }
}

/** Stands for an encoded text while the rest is encoded. It is random, so no text can contain it, and needs no escaping. */
const marker = randomBytes(18).toString('base64url')
const markerBytes = Buffer.from(marker)

/** The JSON that a marker stands for. */
interface Substitution {
  parts: readonly Uint8Array[]
  /** True if it replaces the marker with its quotation marks. */
  isWholeValue: boolean
}

/** The substitutions in the value that is being encoded, in order; null outside of `encodeJson`. */
let substitutions: Substitution[] | null = null

function withoutSubstitutions<T>(run: () => T): T {
  const outer = substitutions
  substitutions = null
  try {
    return run()
  } finally {
    substitutions = outer
  }
}

function substituteText({ json }: EncodedText): string {
  substitutions?.push({ parts: [json], isWholeValue: false })
  return marker
}

/**
 * Encodes a value as JSON: the same characters as `JSON.stringify`, in UTF-8 if it contains encoded texts. Copies these
 * instead of encoding them again, which is most of the cost of a page.
 */
export function encodeJson(value: unknown): string | Uint8Array {
  const found: Substitution[] = []
  substitutions = found
  try {
    const skeleton = JSON.stringify(value)
    return found.length === 0 ? skeleton : insertSubstitutions(Buffer.from(skeleton), found)
  } finally {
    substitutions = null
  }
}

function insertSubstitutions(skeleton: Buffer, found: readonly Substitution[]): Buffer {
  const all: Uint8Array[] = []
  let from = 0
  for (const { parts, isWholeValue } of found) {
    const at = skeleton.indexOf(markerBytes, from)
    all.push(skeleton.subarray(from, isWholeValue ? at - 1 : at), ...parts)
    from = at + markerBytes.length + (isWholeValue ? 1 : 0)
  }
  return Buffer.concat([...all, skeleton.subarray(from)])
}
