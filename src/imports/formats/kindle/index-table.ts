import { FormatError } from '../format.ts'
import type { PalmDatabase } from './palm-database.ts'

/** An entry of an index. */
export interface IndexEntry {
  name: string
  /** The values of each of its tags. */
  values: ReadonlyMap<number, readonly number[]>
}

export interface IndexTable {
  entries: IndexEntry[]
  /** The text at the offset in a value; empty if the offset is invalid. */
  textAt(offset: number): Uint8Array
}

interface Tag {
  tag: number
  perEntry: number
  mask: number
  endsByte: boolean
}

const maxEntries = 200_000
const maxTextRecords = 1_000
const headerLength = 56
/** Text offsets count this many bytes for each text record. */
const textRecordSpan = 0x10000

/**
 * Reads the index that begins at a record (INDX, TAGX, IDXT, CNCX). Throws `BROKEN`, and `TOO_LARGE` for more than
 * 200,000 entries.
 */
export function readIndex(database: PalmDatabase, first: number): IndexTable {
  const header = indexRecord(database, first)
  const { tags, controlBytes } = readTags(header)
  const records = header.readUInt32BE(24)
  const entries: IndexEntry[] = []
  for (let at = 1; at <= records; at++) {
    const record = indexRecord(database, first + at)
    for (const entry of entryBytes(record)) {
      if (entries.length === maxEntries)
        throw new FormatError('TOO_LARGE', `an index of more than ${maxEntries} entries`)
      entries.push(readEntry(entry, tags, controlBytes))
    }
  }
  const textRecords = Math.min(header.readUInt32BE(52), maxTextRecords)
  return {
    entries,
    textAt(offset) {
      const at = Math.floor(offset / textRecordSpan)
      const index = first + records + 1 + at
      if (at >= textRecords || index >= database.count) return new Uint8Array()
      const record = database.record(index)
      const { value, next } = readNumber(record, offset % textRecordSpan)
      return record.subarray(next, next + value)
    },
  }
}

function indexRecord(database: PalmDatabase, index: number): Buffer {
  const record = database.record(index)
  if (record.length < headerLength || record.toString('latin1', 0, 4) !== 'INDX') {
    throw new FormatError('BROKEN', `record ${index} is no index`)
  }
  return record
}

function readTags(header: Buffer): { tags: Tag[]; controlBytes: number } {
  const at = header.readUInt32BE(4)
  if (at + 12 > header.length || header.toString('latin1', at, at + 4) !== 'TAGX') {
    throw new FormatError('BROKEN', 'an index without tags')
  }
  const end = Math.min(header.length, at + header.readUInt32BE(at + 4))
  const tags: Tag[] = []
  for (let from = at + 12; from + 4 <= end; from += 4) {
    const [tag = 0, perEntry = 0, mask = 0, last = 0] = header.subarray(from, from + 4)
    tags.push({ tag, perEntry, mask, endsByte: last === 1 })
  }
  return { tags, controlBytes: header.readUInt32BE(at + 8) }
}

/** The bytes of each entry of a record. */
function* entryBytes(record: Buffer): Generator<Buffer> {
  const table = record.readUInt32BE(20)
  const count = Math.min(record.readUInt32BE(24), Math.floor(Math.max(0, record.length - table - 4) / 2))
  const startOf = (at: number) => record.readUInt16BE(table + 4 + at * 2)
  for (let at = 0; at < count; at++) {
    const [start, end] = [startOf(at), at + 1 < count ? startOf(at + 1) : table]
    if (start >= end || end > record.length) throw new FormatError('BROKEN', 'an entry lies outside of its index')
    yield record.subarray(start, end)
  }
}

function readEntry(entry: Buffer, tags: readonly Tag[], controlBytes: number): IndexEntry {
  const nameEnd = 1 + (entry[0] ?? 0)
  let control = nameEnd
  let at = nameEnd + controlBytes
  const found: { tag: Tag; count: number; bytes: number }[] = []
  for (const tag of tags) {
    if (tag.endsByte) control++
    const bits = tag.endsByte ? 0 : (entry[control] ?? 0) & tag.mask
    if (bits === 0) continue
    // If every bit of a multi-bit mask is set, the byte length of the values follows in place of their count.
    if (bits !== tag.mask || isOneBit(tag.mask)) found.push({ tag, count: bits / lowestBit(tag.mask), bytes: 0 })
    else {
      const { value, next } = readNumber(entry, at)
      at = next
      found.push({ tag, count: 0, bytes: value })
    }
  }
  const values = new Map<number, number[]>()
  for (const { tag, count, bytes } of found) {
    const list: number[] = []
    const end = count > 0 ? entry.length : Math.min(entry.length, at + bytes)
    const most = count > 0 ? count * tag.perEntry : entry.length
    while (at < end && list.length < most) {
      const { value, next } = readNumber(entry, at)
      at = next
      list.push(value)
    }
    values.set(tag.tag, list)
  }
  return { name: entry.toString('latin1', 1, nameEnd), values }
}

const isOneBit = (mask: number) => (mask & (mask - 1)) === 0
const lowestBit = (mask: number) => mask & -mask

/** A variable-width number: up to four bytes with 7 bits each, of which the last one has the high bit. */
function readNumber(bytes: Uint8Array, from: number): { value: number; next: number } {
  let value = 0
  let next = from
  while (next < bytes.length && next < from + 4) {
    const byte = bytes[next++] as number
    value = value * 128 + (byte & 0x7f)
    if ((byte & 0x80) !== 0) break
  }
  return { value, next: Math.max(next, from + 1) }
}
