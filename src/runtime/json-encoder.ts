import { randomBytes } from 'node:crypto'

/** A text together with its JSON encoding. */
export interface EncodedText {
  readonly content: string
  /** The content of the JSON string without quotes, in UTF-8. */
  readonly json: Uint8Array
}

/** Encodes a text as the content of a JSON string, without quotes. */
export function encodeText(text: string): Uint8Array {
  return encodeUtf8(JSON.stringify(text).slice(1, -1))
}

/** Encodes into a separate buffer, because a small Buffer would keep its whole pool alive. */
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

/** The property that holds the function which appends the JSON of an object. */
const appender = Symbol('appender')

/** Appends the JSON of an object, in parts. */
type AppendJson = (parts: Uint8Array[]) => void

/**
 * Makes `encodeJson` copy the JSON of `text` instead of encoding `value.content`, which must be the same text, and
 * encode the rest of `value` only once. Freezes and returns `value`. `JSON.stringify` and schemas see no difference.
 * Copies of `value` do not have the attached JSON.
 */
export function attachEncodedContent<T extends HasContent>(value: T, text: EncodedText): T {
  let split: SplitEncoding | undefined
  return attachJson(Object.defineProperty(value, encodedContent, { value: text }), (parts) => {
    split ??= encodeSplit({ ...value, content: marker }, marker)
    parts.push(split.before, text.json, split.after)
  })
}

/** Makes `encodeJson` use what `append` appends as the JSON of `value`. Freezes and returns `value`. */
export function attachJson<T extends object>(value: T, append: AppendJson): T {
  const toJSON = () => {
    if (!substitutions) return value
    substitutions.push({ append, isWholeValue: true })
    return marker
  }
  return Object.freeze(Object.defineProperties(value, { [appender]: { value: append }, toJSON: { value: toJSON } }))
}

/** True if JSON was attached to an object. */
export function hasAttachedJson(value: object): boolean {
  return Object.hasOwn(value, appender)
}

/** Appends the JSON that was attached to an object, in parts. */
export function appendAttachedJson(value: object, parts: Uint8Array[]): void {
  ;(value as { [appender]?: AppendJson })[appender]?.(parts)
}

/** The text that `attachEncodedContent` attached to an object. */
export function encodedContentOf(value: HasContent): EncodedText | undefined {
  return (value as { [encodedContent]?: EncodedText })[encodedContent]
}

/** The JSON of an object before and after the value of one property. */
export interface SplitEncoding {
  before: Uint8Array
  after: Uint8Array
}

/** Encodes the JSON of an object around the value of `property`. */
export function encodeSplitAtProperty(value: object, property: string): SplitEncoding {
  return encodeSplit({ ...value, [property]: marker }, `"${marker}"`)
}

function encodeSplit(value: object, placeholder: string): SplitEncoding {
  const json = withoutSubstitutions(() => JSON.stringify(value))
  const at = json.indexOf(placeholder)
  return { before: encodeUtf8(json.slice(0, at)), after: encodeUtf8(json.slice(at + placeholder.length)) }
}

/**
 * Placeholder for an encoded text while the rest is encoded. It is random, so no text can contain it, and needs no
 * escaping.
 */
const marker = randomBytes(18).toString('base64url')
const markerBytes = Buffer.from(marker)

/** The JSON that replaces a marker. */
interface Substitution {
  append: AppendJson
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

function substituteText(text: EncodedText): string {
  substitutions?.push({ append: (parts) => parts.push(text.json), isWholeValue: false })
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
  const parts: Uint8Array[] = []
  let from = 0
  for (const { append, isWholeValue } of found) {
    const at = skeleton.indexOf(markerBytes, from)
    parts.push(skeleton.subarray(from, isWholeValue ? at - 1 : at))
    append(parts)
    from = at + markerBytes.length + (isWholeValue ? 1 : 0)
  }
  parts.push(skeleton.subarray(from))
  return Buffer.concat(parts)
}
