import { maxVarintBytes, readVarint, writeVarint, type ByteCursor } from './varint.ts'

/*
 * A table from term hashes to bytes, split into rows (shards) by the upper bits of the hash, so that one row answers a lookup. A row
 * contains the number of terms, their hashes (32 bits, ascending), the length of each entry, and the entries.
 */

export interface ShardedTable {
  /** The number of upper bits of a hash that select its row. */
  bits: number
  rows: Shard[]
}

export interface Shard {
  shard: number
  bytes: Uint8Array
}

const targetRowBytes = 8_000
const maxBits = 14

/** Entries sorted by hash, one after the other in `bytes`. */
export interface SortedEntries {
  hashes: Uint32Array
  /** The end offset of each entry in `bytes`. */
  ends: Uint32Array
  bytes: Uint8Array
}

/** Builds a table with rows of about 8 kB, in steps. Omits empty rows. */
export function* buildTable(entries: SortedEntries): Generator<void, ShardedTable> {
  const { hashes, ends } = entries
  const bits = tableBits((ends.at(-1) ?? 0) + 5 * hashes.length)
  return { bits, rows: yield* cutRows(entries, bits) }
}

/** Divides sorted entries into the rows of a table of 2^`bits` rows, in steps. Omits empty rows. */
export function* cutRows(entries: SortedEntries, bits: number): Generator<void, Shard[]> {
  const { hashes } = entries
  const rows: Shard[] = []
  for (let from = 0; from < hashes.length;) {
    const shard = shardOf(hashes[from] as number, bits)
    let to = from + 1
    while (to < hashes.length && shardOf(hashes[to] as number, bits) === shard) to++
    rows.push({ shard, bytes: encodeSortedRow(entries, from, to) })
    from = to
    yield
  }
  return rows
}

function encodeSortedRow({ hashes, ends, bytes }: SortedEntries, from: number, to: number): Uint8Array {
  const start = from === 0 ? 0 : (ends[from - 1] as number)
  const end = ends[to - 1] as number
  const row = new Uint8Array(maxVarintBytes + (to - from) * (4 + maxVarintBytes) + end - start)
  const view = new DataView(row.buffer)
  let at = writeVarint(row, 0, to - from)
  for (let index = from; index < to; index++, at += 4) view.setUint32(at, hashes[index] as number)
  let before = start
  for (let index = from; index < to; index++) {
    at = writeVarint(row, at, (ends[index] as number) - before)
    before = ends[index] as number
  }
  row.set(bytes.subarray(start, end), at)
  return row.slice(0, at + end - start)
}

/** Returns the number of row bits for a table of this size in bytes. */
export function tableBits(bytes: number): number {
  return Math.min(maxBits, Math.max(0, Math.ceil(Math.log2(bytes / targetRowBytes))))
}

/** Returns the number of the row that contains a hash. */
export function shardOf(hash: number, bits: number): number {
  return bits === 0 ? 0 : hash >>> (32 - bits)
}

/** Returns the entry of a hash in its row; null if the row does not contain it. */
export function findEntry(row: Uint8Array, hash: number): Uint8Array | null {
  const cursor: ByteCursor = { bytes: row, at: 0 }
  const count = readVarint(cursor)
  const view = new DataView(row.buffer, row.byteOffset, row.byteLength)
  const hashes = cursor.at
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >> 1
    if (view.getUint32(hashes + middle * 4) < hash) low = middle + 1
    else high = middle
  }
  if (low === count || view.getUint32(hashes + low * 4) !== hash) return null
  cursor.at = hashes + count * 4
  let before = 0
  for (let i = 0; i < low; i++) before += readVarint(cursor)
  const length = readVarint(cursor)
  for (let i = low + 1; i < count; i++) while ((row[cursor.at++] as number) > 0x7f);
  return row.subarray(cursor.at + before, cursor.at + before + length)
}

/** Calls `visit` with every hash of a row and its entry, ascending. */
export function forEachEntry(row: Uint8Array, visit: (hash: number, entry: Uint8Array) => void): void {
  forEachRange(row, (hash, start, end) => visit(hash, row.subarray(start, end)))
}

/** Calls `visit` with every hash of a row and the range of its entry in the row, ascending. Creates no object for an entry. */
export function forEachRange(row: Uint8Array, visit: (hash: number, start: number, end: number) => void): void {
  const cursor: ByteCursor = { bytes: row, at: 0 }
  const count = readVarint(cursor)
  const view = new DataView(row.buffer, row.byteOffset, row.byteLength)
  const hashes = cursor.at
  const lengths: ByteCursor = { bytes: row, at: hashes + count * 4 }
  cursor.at = lengths.at
  for (let index = 0; index < count; index++) readVarint(cursor)
  let { at } = cursor
  for (let index = 0; index < count; index++) {
    const end = at + readVarint(lengths)
    visit(view.getUint32(hashes + index * 4), at, end)
    at = end
  }
}
