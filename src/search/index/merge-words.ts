import type { Pacer } from '../../runtime/turns.ts'
import { runSteps } from '../../runtime/turns.ts'
import type { LibraryIndexStore, Segment } from './library-index-store.ts'
import { rangesOf, shardsIn, type Range } from './hash-ranges.ts'
import { shardOf } from '../words/shards.ts'
import { termHash } from '../words/term-hash.ts'
import { joinWordLists } from './book-words.ts'
import { encodeRows, forEachWord, rowHashesOf, wordBits, type ListedWord } from '../words/word-list.ts'

interface WordMerge {
  ownerId: string
  id: string
  inputs: readonly Segment[]
  /**
   * The hashes of the terms in the merged segment if books were removed; words of other terms are omitted. Null if no books were removed.
   */
  terms: ReadonlySet<number> | null
  pacer: Pacer
}

/** Merges the word lists of several segments into one, one range of rows at a time. */
export async function mergeWords(
  store: LibraryIndexStore,
  merge: WordMerge,
): Promise<{ wordBits: number; wordBytes: number }> {
  const { ownerId, id, inputs, pacer } = merge
  // A list with one row contains every word once. Other lists contain it twice.
  const total = inputs.reduce((sum, { wordBits: bits = 0, wordBytes = 0 }) => sum + wordBytes * (bits === 0 ? 2 : 1), 0)
  const bits = wordBits(total / 2) === 0 ? 0 : wordBits(total)
  let wordBytes = 0
  for (const range of rangesOf(bits)) {
    const wordRows = await runSteps(pacer, encodeRows(await wordsOf(store, merge, { ...range, bits })))
    await store.writeRows(ownerId, id, { wordRows })
    wordBytes += wordRows.reduce((sum, row) => sum + row.bytes.length, 0)
  }
  return { wordBits: bits, wordBytes }
}

const onlyShard = [0]

/** Returns the words of each row in a range of the merged list. */
async function wordsOf(
  store: LibraryIndexStore,
  { ownerId, inputs, terms, pacer }: WordMerge,
  range: Range & { bits: number },
): Promise<Map<number, ListedWord[]>> {
  const byShard = new Map<number, ListedWord[][]>()
  const bitsOf = new Map(inputs.map((segment) => [segment.id, segment.wordBits]))
  const keys = inputs.flatMap(({ id: segmentId, wordBits: bits }) =>
    bits === undefined ? [] : shardsIn(bits, range).map((shard) => ({ segmentId, shard })),
  )
  for (const [{ segmentId, shard }, row] of await store.passWords(ownerId, keys)) {
    if (pacer.isDue()) await pacer.yieldTurn()
    const bits = bitsOf.get(segmentId) as number
    // Keeps the order of the row, which is sorted.
    const added = new Map<number, ListedWord[]>()
    // Lists with one row contain every word once, and so does a merge of them into one row.
    const isOneRow = range.bits === 0 && bits === 0
    forEachWord(row, (word, count, termOf) => {
      const shards = isOneRow ? onlyShard : targetShards(word, { shard, bits }, range)
      if (shards.length === 0) return
      const term = termOf()
      if (terms !== null && !terms.has(termHash(term))) return
      const listed = { word, term, count }
      for (const target of shards) addTo(added, target, listed)
    })
    for (const [target, words] of added) addTo(byShard, target, words)
  }
  const joined = new Map<number, ListedWord[]>()
  for (const [shard, lists] of byShard) {
    joined.set(shard, joinWordLists(lists))
    if (pacer.isDue()) await pacer.yieldTurn()
  }
  return joined
}

/**
 * Returns the rows of a range that receive a word from an input row. A word is read once for each of its two hashes, and added each time to
 * the row that the hash selects.
 */
function targetShards(
  word: string,
  from: { shard: number; bits: number },
  { range, prefixBits, bits }: Range & { bits: number },
): number[] {
  const [beginning, end] = rowHashesOf(word)
  const includesHash = (hash: number) => shardOf(hash, from.bits) === from.shard && shardOf(hash, prefixBits) === range
  const [one, other] = [shardOf(beginning, bits), shardOf(end, bits)]
  const shards = includesHash(beginning) ? [one] : []
  if (other !== one && includesHash(end)) shards.push(other)
  return shards
}

function addTo<T>(lists: Map<number, T[]>, at: number, value: T): void {
  const list = lists.get(at)
  if (list) list.push(value)
  else lists.set(at, [value])
}
