import { FormatError } from '../format.ts'
import type { PalmDatabase } from './palm-database.ts'

/** Unpacks a text record into a buffer; returns the number of unpacked bytes. */
export type Unpack = (packed: Uint8Array, out: Uint8Array) => number

interface CodeTable {
  /** By the first byte of a code: its length, whether the length is final, and the highest code of that length. */
  lengths: Uint8Array
  certain: Uint8Array
  highest: Float64Array
  /** By length: the lowest and highest codes as 32-bit numbers. */
  lowestOf: Float64Array
  highestOf: Float64Array
}

interface Phrase {
  bytes: Uint8Array
  /** True if its bytes are text instead of codes of other phrases. */
  isText: boolean
}

const maxPhrases = 256 * 1024
const maxDepth = 32
/** Time limit: maximum number of codes per byte of the file, and a constant in addition. */
const codesPerByte = 16
const moreCodes = 1024 * 1024

/**
 * Reads the tables of a book whose text is compressed with phrases (HUFF and CDIC records). Unpacking throws `BROKEN`
 * and `TOO_LARGE`.
 */
export function readPhrases(database: PalmDatabase, { first, count }: { first: number; count: number }): Unpack {
  const table = readCodeTable(database.record(first))
  const phrases: Phrase[] = []
  for (let at = 1; at < Math.min(count, database.count); at++) readDictionary(database.record(first + at), phrases)
  const state = { table, phrases, codes: codesPerByte * database.bytes + moreCodes }
  return (packed, out) => unpack(state, { packed, depth: 0 }, { out, size: 0 })
}

function readCodeTable(record: Buffer): CodeTable {
  const [byFirst, byLength] = record.length < 24 ? [0, 0] : [record.readUInt32BE(8), record.readUInt32BE(12)]
  const isWhole = byFirst + 256 * 4 <= record.length && byLength + 64 * 4 <= record.length
  if (!isWhole || record.toString('latin1', 0, 4) !== 'HUFF') throw new FormatError('BROKEN', 'no table of codes')
  const table: CodeTable = {
    lengths: new Uint8Array(256),
    certain: new Uint8Array(256),
    highest: new Float64Array(256),
    lowestOf: new Float64Array(33),
    highestOf: new Float64Array(33),
  }
  for (let at = 0; at < 256; at++) {
    const value = record.readUInt32BE(byFirst + at * 4)
    const length = value & 0x1f
    if (length === 0) throw new FormatError('BROKEN', 'a code without bits')
    table.lengths[at] = length
    table.certain[at] = value & 0x80
    table.highest[at] = ((value >>> 8) + 1) * 2 ** (32 - length) - 1
  }
  for (let length = 1; length <= 32; length++) {
    const at = byLength + (length - 1) * 8
    table.lowestOf[length] = record.readUInt32BE(at) * 2 ** (32 - length)
    table.highestOf[length] = (record.readUInt32BE(at + 4) + 1) * 2 ** (32 - length) - 1
  }
  return table
}

function readDictionary(record: Buffer, phrases: Phrase[]): void {
  if (record.length < 16 || record.toString('latin1', 0, 4) !== 'CDIC') throw new FormatError('BROKEN', 'no dictionary')
  const bits = record.readUInt32BE(12)
  const count = Math.min(bits > 16 ? 0 : 1 << bits, record.readUInt32BE(8) - phrases.length)
  if (phrases.length + count > maxPhrases) throw new FormatError('BROKEN', `more than ${maxPhrases} phrases`)
  for (let at = 0; at < count; at++) {
    const offset = 18 + at * 2 <= record.length ? 16 + record.readUInt16BE(16 + at * 2) : record.length
    if (offset + 2 > record.length) throw new FormatError('BROKEN', 'a phrase lies outside of its dictionary')
    const length = record.readUInt16BE(offset)
    phrases.push({
      bytes: record.subarray(offset + 2, offset + 2 + (length & 0x7fff)),
      isText: (length & 0x8000) !== 0,
    })
  }
}

interface State {
  table: CodeTable
  phrases: readonly Phrase[]
  /** Number of codes that may still be read. */
  codes: number
}

interface Target {
  out: Uint8Array
  size: number
}

/** Returns the number of bytes in the target. */
function unpack(state: State, { packed, depth }: { packed: Uint8Array; depth: number }, target: Target): number {
  if (depth > maxDepth) throw new FormatError('BROKEN', 'phrases refer to each other')
  const { table, phrases } = state
  const bits = packed.length * 8
  for (let at = 0; at < bits;) {
    if (state.codes-- <= 0) throw new FormatError('TOO_LARGE', 'phrases unfold without an end')
    const code = bitsAt(packed, at)
    let length = table.lengths[code >>> 24] as number
    let highest = table.highest[code >>> 24] as number
    if (table.certain[code >>> 24] === 0) {
      while (length < 32 && code < (table.lowestOf[length] as number)) length++
      highest = table.highestOf[length] as number
    }
    at += length
    if (at > bits) break
    const phrase = phrases[Math.floor((highest - code) / 2 ** (32 - length))]
    if (phrase === undefined) throw new FormatError('BROKEN', 'a code without a phrase')
    if (!phrase.isText) unpack(state, { packed: phrase.bytes, depth: depth + 1 }, target)
    else if (target.size + phrase.bytes.length > target.out.length) {
      throw new FormatError('BROKEN', 'a record of text is too long')
    } else {
      target.out.set(phrase.bytes, target.size)
      target.size += phrase.bytes.length
    }
  }
  return target.size
}

/** The 32 bits from bit `at` on; zeros follow the last one. */
function bitsAt(bytes: Uint8Array, at: number): number {
  const from = at >> 3
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = [
    bytes[from],
    bytes[from + 1],
    bytes[from + 2],
    bytes[from + 3],
    bytes[from + 4],
  ]
  const shift = at & 7
  const whole = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
  return shift === 0 ? whole : ((whole << shift) | (e >> (8 - shift))) >>> 0
}
