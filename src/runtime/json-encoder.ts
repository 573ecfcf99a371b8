import { randomBytes } from 'node:crypto'
import { rememberByText } from './memoize.ts'

/** A string value that is given in pieces, as it is where most of them were sent before. */
export class JoinedText {
  readonly pieces: readonly string[]
  constructor(pieces: readonly string[]) {
    this.pieces = pieces
  }
  toString(): string {
    return this.pieces.join('')
  }
  toJSON(): string {
    return this.toString()
  }
}

/** Shorter strings are escaped faster than they are looked up. */
const long = 256

/** Stands for a long string while the rest is escaped; nobody who writes a text knows it, and nothing of it is escaped. */
const marker = randomBytes(18).toString('base64url')
const markerBytes = Buffer.from(marker)

/** The inside of a JSON string: escaped and in UTF-8, without its quotation marks. */
const insideOf = rememberByText((text) => unpooled(Buffer.from(JSON.stringify(text)).subarray(1, -1)))

/** A copy that keeps no more than itself in memory: a small Buffer keeps the whole pool that it was cut from. */
const unpooled = (bytes: Buffer): Uint8Array => new Uint8Array(bytes)

/** Objects that answers share, with their JSON once it was sent. */
const kept = new WeakMap<object, Uint8Array | null>()

/** Has the JSON of an object that never changes again kept for as long as the object: the next answers copy it. */
export function keepJson(value: object): void {
  if (!kept.has(value)) kept.set(value, null)
}

/**
 * A value as JSON: the same characters as `JSON.stringify` gives, in UTF-8 when there are long strings or kept objects in
 * it. These are not escaped and encoded again when they were sent lately: what a page of a book costs most.
 */
export function encodeJson(value: unknown): string | Uint8Array {
  const lifted: Lifted[] = []
  const rest = JSON.stringify(lift(value, lifted))
  return lifted.length === 0 ? rest : assemble(Buffer.from(rest), lifted)
}

/** What a marker stands for. */
interface Lifted {
  bytes: Uint8Array
  /** Of the marker with its quotation marks: a whole value, not the inside of a string. */
  whole: boolean
}

/** A copy of `value` in which the marker stands for each long string and each object whose JSON is kept. */
function lift(value: unknown, lifted: Lifted[]): unknown {
  if (typeof value === 'string') return liftText(value, lifted)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((entry) => lift(entry, lifted))
  if (value instanceof JoinedText) return value.pieces.map((piece) => liftText(piece, lifted)).join('')
  if ('toJSON' in value) return value
  const json = kept.get(value)
  if (json === undefined) return copyOf(value, lifted)
  lifted.push({ bytes: json ?? encodeKept(value), whole: true })
  return marker
}

function copyOf(value: object, lifted: Lifted[]): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const entry = lift((value as Record<string, unknown>)[name], lifted)
    // Assigned, this one would become the prototype.
    if (name === '__proto__') Object.defineProperty(copy, name, { value: entry, enumerable: true })
    else copy[name] = entry
  }
  return copy
}

function encodeKept(value: object): Uint8Array {
  const lifted: Lifted[] = []
  const bytes = unpooled(assemble(Buffer.from(JSON.stringify(copyOf(value, lifted))), lifted))
  kept.set(value, bytes)
  return bytes
}

function liftText(text: string, lifted: Lifted[]): string {
  if (text.length < long) return text
  lifted.push({ bytes: insideOf(text), whole: false })
  return marker
}

function assemble(rest: Buffer, lifted: readonly Lifted[]): Buffer {
  const pieces: Uint8Array[] = []
  let from = 0
  for (const { bytes, whole } of lifted) {
    const at = rest.indexOf(markerBytes, from)
    pieces.push(rest.subarray(from, whole ? at - 1 : at), bytes)
    from = at + markerBytes.length + (whole ? 1 : 0)
  }
  return Buffer.concat([...pieces, rest.subarray(from)])
}
