import { randomBytes } from 'node:crypto'
import { memoize } from './memoize.ts'

/** A string value that is given in pieces, as it is where most of them were sent before. */
export class ChunkedText {
  readonly chunks: readonly string[]
  constructor(pieces: readonly string[]) {
    this.chunks = pieces
  }
  toString(): string {
    return this.chunks.join('')
  }
  toJSON(): string {
    return this.toString()
  }
}

/** Shorter strings are escaped faster than they are looked up. */
const minCachedLength = 256

/** Stands for a long string while the rest is escaped; nobody who writes a text knows it, and nothing of it is escaped. */
const marker = randomBytes(18).toString('base64url')
const markerBytes = Buffer.from(marker)

/** The inside of a JSON string: escaped and in UTF-8, without its quotation marks. */
const encodeStringBody = memoize((text) => copyOutOfPool(Buffer.from(JSON.stringify(text)).subarray(1, -1)))

/** A copy that keeps no more than itself in memory: a small Buffer keeps the whole pool that it was cut from. */
const copyOutOfPool = (bytes: Buffer): Uint8Array => new Uint8Array(bytes)

/** Objects that answers share, with their JSON once it was sent. */
const cachedJson = new WeakMap<object, Uint8Array | null>()

/** Has the JSON of an object that never changes again kept for as long as the object: the next answers copy it. */
export function cacheJson(value: object): void {
  if (!cachedJson.has(value)) cachedJson.set(value, null)
}

/**
 * A value as JSON: the same characters as `JSON.stringify` gives, in UTF-8 when there are long strings or kept objects in
 * it. These are not escaped and encoded again when they were sent lately: what a page of a book costs most.
 */
export function encodeJson(value: unknown): string | Uint8Array {
  const substitutions: Substitution[] = []
  const skeleton = JSON.stringify(extractCached(value, substitutions))
  return substitutions.length === 0 ? skeleton : substituteMarkers(Buffer.from(skeleton), substitutions)
}

/** What a marker stands for. */
interface Substitution {
  bytes: Uint8Array
  /** Of the marker with its quotation marks: a whole value, not the inside of a string. */
  isWholeValue: boolean
}

/** A copy of `value` in which the marker stands for each long string and each object whose JSON is kept. */
function extractCached(value: unknown, substitutions: Substitution[]): unknown {
  if (typeof value === 'string') return extractText(value, substitutions)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((entry) => extractCached(entry, substitutions))
  if (value instanceof ChunkedText) return value.chunks.map((piece) => extractText(piece, substitutions)).join('')
  if ('toJSON' in value) return value
  const json = cachedJson.get(value)
  if (json === undefined) return copyObject(value, substitutions)
  substitutions.push({ bytes: json ?? encodeCached(value), isWholeValue: true })
  return marker
}

function copyObject(value: object, substitutions: Substitution[]): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const entry = extractCached((value as Record<string, unknown>)[name], substitutions)
    // Assigned, this one would become the prototype.
    if (name === '__proto__') Object.defineProperty(copy, name, { value: entry, enumerable: true })
    else copy[name] = entry
  }
  return copy
}

function encodeCached(value: object): Uint8Array {
  const substitutions: Substitution[] = []
  const bytes = copyOutOfPool(
    substituteMarkers(Buffer.from(JSON.stringify(copyObject(value, substitutions))), substitutions),
  )
  cachedJson.set(value, bytes)
  return bytes
}

function extractText(text: string, substitutions: Substitution[]): string {
  if (text.length < minCachedLength) return text
  substitutions.push({ bytes: encodeStringBody(text), isWholeValue: false })
  return marker
}

function substituteMarkers(skeleton: Buffer, substitutions: readonly Substitution[]): Buffer {
  const parts: Uint8Array[] = []
  let from = 0
  for (const { bytes, isWholeValue } of substitutions) {
    const at = skeleton.indexOf(markerBytes, from)
    parts.push(skeleton.subarray(from, isWholeValue ? at - 1 : at), bytes)
    from = at + markerBytes.length + (isWholeValue ? 1 : 0)
  }
  return Buffer.concat([...parts, skeleton.subarray(from)])
}
