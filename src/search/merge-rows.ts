import type { LibraryIndexStore, Segment } from './library-index-store.ts'
import { createPacer, runSteps, type Pacer } from '../runtime/turns.ts'
import { buildShards, iterateEntries, shardOf, tableBits } from './shards.ts'
import { rangesOf, shardsIn, type Range } from './hash-ranges.ts'
import { mergeWords } from './merge-words.ts'
import { pushVarint, readVarint, type ByteCursor } from './varint.ts'

interface MergePlan {
  ownerId: string
  id: string
  inputs: readonly Segment[]
  /** Position in the merged segment of a book of an input; undefined when the book was removed. */
  positionOf(segmentId: string, position: number): number | undefined
}

/** Merges the rows and the word lists of several segments into one, a range of hashes at a time. */
export async function mergeRows(
  store: LibraryIndexStore,
  merge: MergePlan,
): Promise<Required<Pick<Segment, 'bits' | 'bytes' | 'wordBits' | 'wordBytes'>>> {
  const { ownerId, id, inputs } = merge
  const bits = tableBits(inputs.reduce((sum, { bytes }) => sum + bytes, 0))
  const pacer = createPacer()
  const losesBooks = inputs.some(({ dead }) => dead.length > 0)
  const terms = new Set<number>()
  let bytes = 0
  for (const range of rangesOf(bits)) {
    const entries = await mergedEntries(store, merge, { ...range, pacer })
    if (losesBooks) for (const hash of entries.keys()) terms.add(hash)
    const rows = await runSteps(pacer, buildShards(entries, bits))
    await store.writeRows(ownerId, id, rows)
    bytes += rows.reduce((sum, row) => sum + row.bytes.length, 0)
  }
  const isKept = (hash: number) => !losesBooks || terms.has(hash)
  const words = await mergeWords(store, { ownerId, id, inputs, isKept, pacer })
  return { bits, bytes, ...words }
}

interface PacedRange extends Range {
  pacer: Pacer
}

async function mergedEntries(store: LibraryIndexStore, merge: MergePlan, { range, prefixBits, pacer }: PacedRange) {
  const { ownerId, inputs, positionOf } = merge
  const merged = new Map<number, { bytes: number[]; last: number }>()
  for (const segment of inputs) {
    const keys = shardsIn(segment.bits, { range, prefixBits }).map((shard) => ({ segmentId: segment.id, shard }))
    for (const row of (await store.passRows(ownerId, keys)).values()) {
      if (pacer.isDue()) await pacer.giveWay()
      for (const [hash, entry] of iterateEntries(row)) {
        if (shardOf(hash, prefixBits) !== range) continue
        const target = merged.get(hash) ?? { bytes: [], last: 0 }
        forEachBook(entry, (position, code) => {
          const newPosition = positionOf(segment.id, position)
          if (newPosition === undefined) return
          pushVarint(target.bytes, newPosition - target.last)
          target.bytes.push(code)
          target.last = newPosition
        })
        if (target.bytes.length > 0) merged.set(hash, target)
      }
    }
  }
  return new Map([...merged].map(([hash, target]) => [hash, target.bytes]))
}

/** Calls `visit` with the position and code of each book of an entry, ascending. */
export function forEachBook(entry: Uint8Array, visit: (position: number, code: number) => void): void {
  const cursor: ByteCursor = { bytes: entry, at: 0 }
  let position = 0
  while (cursor.at < entry.length) {
    position += readVarint(cursor)
    visit(position, entry[cursor.at++] as number)
  }
}
