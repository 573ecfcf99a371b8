import { isUtf8 } from 'node:buffer'
import { BSON } from 'bson'
import { CommandError } from '../errors/command-error.ts'
import type { Doc } from './values.ts'

/** One element of a raw BSON document: offsets into the bytes it was read from. */
export type Element = { type: number; name: string; start: number; valueAt: number; end: number }

const typed = {
  promoteValues: false,
  promoteLongs: false,
  promoteBuffers: false,
  bsonRegExp: true,
  validation: { utf8: false },
} as const

/** Decodes a document without promotion: every BSON type keeps its class, so that encoding restores the same bytes. */
export function decode(bytes: Uint8Array): Doc {
  return BSON.deserialize(bytes, typed)
}

/** Like `decode`, but leaves the documents inside the array `field` encoded. */
export function decodeExcept(bytes: Uint8Array, field: string): Doc {
  return BSON.deserialize(bytes, { ...typed, fieldsAsRaw: { [field]: true } })
}

/** Encodes a document; `undefined` becomes null, like in the driver. */
export function encode(doc: Doc): Uint8Array {
  return BSON.serialize(doc, { ignoreUndefined: false })
}

/** A Buffer over the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Types with a fixed size. A type that is neither here nor in `valueEnd` is unsupported. */
const fixedSizes: Readonly<Record<number, number>> = {
  0x01: 8, // double
  0x07: 12, // ObjectId
  0x08: 1, // boolean
  0x09: 8, // date
  0x0a: 0, // null
  0x10: 4, // int32
  0x12: 8, // int64
}

/** BSON types that are refused, because the application stores none of them. */
const unsupportedTypes: Readonly<Record<number, string>> = {
  0x06: 'undefined',
  0x0c: 'dbPointer',
  0x0d: 'javascript',
  0x0e: 'symbol',
  0x0f: 'javascriptWithScope',
  0x11: 'timestamp',
  0x13: 'decimal',
  0x7f: 'maxKey',
  0xff: 'minKey',
}

/** Iterates over the top-level elements of a document that `checkDocument` has accepted. */
export function* elements(bytes: Buffer, at = 0): Generator<Element> {
  const end = at + bytes.readInt32LE(at) - 1
  let start = at + 4
  while (start < end) {
    const type = bytes[start] ?? 0
    const nameEnd = bytes.indexOf(0, start + 1)
    const valueAt = nameEnd + 1
    const next = valueEnd(bytes, type, valueAt)
    yield { type, name: bytes.toString('utf8', start + 1, nameEnd), start, valueAt, end: next }
    start = next
  }
}

function valueEnd(bytes: Buffer, type: number, at: number): number {
  const fixed = fixedSizes[type]
  if (fixed !== undefined) return at + fixed
  switch (type) {
    case 0x02: // string
      return at + 4 + bytes.readInt32LE(at)
    case 0x03: // document
    case 0x04: // array
      return at + bytes.readInt32LE(at)
    case 0x05: // binary
      return at + 5 + bytes.readInt32LE(at)
    case 0x0b: // regular expression
      return bytes.indexOf(0, bytes.indexOf(0, at) + 1) + 1
    default:
      throw unsupportedType(type)
  }
}

function unsupportedType(type: number): CommandError {
  const name = unsupportedTypes[type]
  if (name === undefined) return invalid(`unrecognized BSON type ${type}`)
  return new CommandError('CommandNotSupported', `The BSON type ${name} is not supported by this store`)
}

function invalid(reason: string): CommandError {
  return new CommandError('InvalidBSON', `Invalid BSON: ${reason}`)
}

const maxDepth = 180

/**
 * Checks the whole structure of the document at `at` (lengths, types, depth, UTF-8) and returns its end offset. Throws
 * InvalidBSON for malformed bytes, CommandNotSupported for unsupported types, BadValue for dates that JavaScript cannot
 * represent.
 */
export function checkDocument(bytes: Buffer, at = 0, depth = 0): number {
  if (depth > maxDepth) throw new CommandError('Overflow', `Document exceeds maximum nested object depth: ${maxDepth}`)
  if (at + 5 > bytes.length) throw invalid('document is cut off')
  const end = at + bytes.readInt32LE(at)
  if (end < at + 5 || end > bytes.length || bytes[end - 1] !== 0) throw invalid('document length is wrong')
  let next = at + 4
  while (next < end - 1) next = checkElement(bytes.subarray(0, end), next, depth)
  if (next !== end - 1) throw invalid('elements do not fill their document')
  return end
}

function checkElement(bytes: Buffer, start: number, depth: number): number {
  const type = bytes[start] ?? 0
  const nameEnd = bytes.indexOf(0, start + 1)
  if (nameEnd < 0) throw invalid('field name is not terminated')
  const at = nameEnd + 1
  if (unsupportedTypes[type] !== undefined) throw unsupportedType(type)
  if (fixedSizes[type] === undefined && at + 4 > bytes.length) throw invalid('value is cut off')
  const end = valueEnd(bytes, type, at)
  if (end <= nameEnd || end > bytes.length - 1) throw invalid('value is cut off')
  if (type === 0x03 || type === 0x04) checkDocument(bytes.subarray(0, end), at, depth + 1)
  else if (type === 0x02) checkString(bytes, at)
  else if (type === 0x05 && bytes.readInt32LE(at) < 0) throw invalid('binary length is negative')
  else if (type === 0x09) checkDate(bytes.readBigInt64LE(at))
  return end
}

function checkString(bytes: Buffer, at: number): void {
  const length = bytes.readInt32LE(at)
  const end = at + 4 + length
  if (length < 1 || end > bytes.length || bytes[end - 1] !== 0) throw invalid('string length is wrong')
  if (!isUtf8(bytes.subarray(at + 4, end - 1))) throw invalid('string is not UTF-8')
}

/** The last millisecond of a JavaScript `Date` (ECMA-262, "Time Values and Time Range"). The first is its negative. */
const maxDate = 8_640_000_000_000_000n

function checkDate(time: bigint): void {
  if (time > maxDate || time < -maxDate) throw new CommandError('BadValue', `date ${time} is out of range`)
}

/** Decodes only the top-level fields in `names`; every other field is absent from the result. */
export function decodeFields(raw: Uint8Array, names: ReadonlySet<string>): Doc {
  const bytes = asBuffer(raw)
  const parts: Buffer[] = []
  let size = 5
  for (const element of elements(bytes)) {
    if (!names.has(element.name)) continue
    parts.push(bytes.subarray(element.start, element.end))
    size += element.end - element.start
    if (parts.length === names.size) break
  }
  if (size === bytes.length) return decode(bytes)
  const part = Buffer.allocUnsafe(size)
  let at = part.writeInt32LE(size, 0)
  for (const piece of parts) at += piece.copy(part, at)
  part[at] = 0
  return decode(part)
}
