import type { LibraryIndexStore, Segment } from './library-index-store.ts'
import { buildRange, entriesOf, shardOf, tableBits } from './shards.ts'
import { pushVarint, readVarint, type Cursor } from './varint.ts'

interface Merge {
  ownerId: string
  id: string
  inputs: readonly Segment[]
  /** The place in the merged segment of a book of an input; undefined when the book is gone. */
  placeOf(segmentId: string, place: number): number | undefined
}

/** Rows that are held in memory at a time, as a power of two. */
const rangeBits = 6

/** Writes the rows of several segments as those of one, a range of hashes at a time. */
export async function mergeRows(store: LibraryIndexStore, merge: Merge): Promise<{ bits: number; bytes: number }> {
  const { ownerId, id, inputs } = merge
  const bits = tableBits(inputs.reduce((sum, { bytes }) => sum + bytes, 0))
  const step = Math.max(0, bits - rangeBits)
  let bytes = 0
  for (let range = 0; range < 2 ** step; range++) {
    const entries = await mergedEntries(store, merge, { range, step })
    const rows = buildRange(entries, bits)
    await store.writeRows(ownerId, id, rows)
    bytes += rows.reduce((sum, row) => sum + row.bytes.length, 0)
  }
  return { bits, bytes }
}

interface Range {
  range: number
  /** How many upper bits of a hash tell its range. */
  step: number
}

async function mergedEntries(store: LibraryIndexStore, merge: Merge, { range, step }: Range) {
  const { ownerId, inputs, placeOf } = merge
  const merged = new Map<number, { bytes: number[]; last: number }>()
  for (const segment of inputs) {
    const keys = shardsIn(segment.bits, { range, step }).map((shard) => ({ segmentId: segment.id, shard }))
    for (const row of (await store.rows(ownerId, keys)).values()) {
      for (const [hash, entry] of entriesOf(row)) {
        if (shardOf(hash, step) !== range) continue
        const target = merged.get(hash) ?? { bytes: [], last: 0 }
        readBooks(entry, (place, code) => {
          const at = placeOf(segment.id, place)
          if (at === undefined) return
          pushVarint(target.bytes, at - target.last)
          target.bytes.push(code)
          target.last = at
        })
        if (target.bytes.length > 0) merged.set(hash, target)
      }
    }
  }
  return new Map([...merged].map(([hash, target]) => [hash, target.bytes]))
}

/** The rows of a table of `bits` bits in which the hashes of a range can stand. */
function shardsIn(bits: number, { range, step }: Range): number[] {
  if (bits <= step) return [range >>> (step - bits)]
  const width = 2 ** (bits - step)
  return Array.from({ length: width }, (_, i) => range * width + i)
}

/** Calls `visit` with the place and the code of each book of an entry, ascending. */
export function readBooks(entry: Uint8Array, visit: (place: number, code: number) => void): void {
  const cursor: Cursor = { bytes: entry, at: 0 }
  let place = 0
  while (cursor.at < entry.length) {
    place += readVarint(cursor)
    visit(place, entry[cursor.at++] as number)
  }
}
