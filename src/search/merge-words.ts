import type { Pacer } from '../runtime/turns.ts'
import { runSteps } from '../runtime/turns.ts'
import type { LibraryIndexStore, Segment } from './library-index-store.ts'
import { rangesOf, shardsIn, type Range } from './hash-ranges.ts'
import { shardOf } from './shards.ts'
import { termHash } from './term-hash.ts'
import { encodeRows, forEachWord, nameOf, placesOf, sortByName, wordBits, type ListedWord } from './word-list.ts'

interface WordMerge {
  ownerId: string
  id: string
  inputs: readonly Segment[]
  /** True for terms of the merged segment: the words of books that were removed are left out. */
  isKept(hash: number): boolean
  pacer: Pacer
}

/** Merges the word lists of several segments into one, a range of rows at a time. */
export async function mergeWords(
  store: LibraryIndexStore,
  merge: WordMerge,
): Promise<{ wordBits: number; wordBytes: number }> {
  const { ownerId, id, inputs, pacer } = merge
  // Lists of one row have every word once, others twice.
  const total = inputs.reduce((sum, { wordBits: bits = 0, wordBytes = 0 }) => sum + wordBytes * (bits === 0 ? 2 : 1), 0)
  const bits = wordBits(total / 2) === 0 ? 0 : wordBits(total)
  let wordBytes = 0
  for (const range of rangesOf(bits)) {
    const rows = await runSteps(pacer, encodeRows(await wordsOf(store, merge, { ...range, bits })))
    await store.writeWords(ownerId, id, rows)
    wordBytes += rows.reduce((sum, row) => sum + row.bytes.length, 0)
  }
  return { wordBits: bits, wordBytes }
}

/** The words of each row in a range of the merged list. */
async function wordsOf(
  store: LibraryIndexStore,
  { ownerId, inputs, isKept, pacer }: WordMerge,
  range: Range & { bits: number },
): Promise<Map<number, ListedWord[]>> {
  const byShard = new Map<number, Map<string, ListedWord>>()
  for (const { id, wordBits: bits } of inputs) {
    if (bits === undefined) continue
    const keys = shardsIn(bits, range).map((shard) => ({ segmentId: id, shard }))
    for (const [shard, row] of await store.passWords(ownerId, keys)) {
      if (pacer.isDue()) await pacer.giveWay()
      forEachWord(row, (word, count, termOf) => {
        const shards = targetShards(word, { shard: shard.shard, bits }, range)
        if (shards.size === 0) return
        const term = termOf()
        if (!isKept(termHash(term))) return
        for (const target of shards) add(byShard, target, { word, term, count })
      })
    }
  }
  return new Map([...byShard].map(([shard, words]) => [shard, sortByName(words)]))
}

/** The rows of a range that take over a word of a row: a word with two places is read twice, and counted once in each. */
function targetShards(
  word: string,
  from: { shard: number; bits: number },
  { range, prefixBits, bits }: Range & { bits: number },
): Set<number> {
  const [beginning, end] = placesOf(word)
  const shards = new Set<number>()
  for (const hash of shardOf(beginning, bits) === shardOf(end, bits) ? [beginning] : [beginning, end]) {
    if (shardOf(hash, from.bits) === from.shard && shardOf(hash, prefixBits) === range) shards.add(shardOf(hash, bits))
  }
  return shards
}

function add(byShard: Map<number, Map<string, ListedWord>>, shard: number, listed: ListedWord): void {
  let words = byShard.get(shard)
  if (!words) {
    words = new Map()
    byShard.set(shard, words)
  }
  const key = nameOf(listed.word, listed.term)
  const known = words.get(key)
  if (known) known.count += listed.count
  else words.set(key, listed)
}
