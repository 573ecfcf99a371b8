import type { Pacer } from '../../runtime/turns.ts'
import { runSteps } from '../../runtime/turns.ts'
import type { LibraryIndexStore, Segment } from './library-index-store.ts'
import { rangesOf, shardsIn, type Range } from './hash-ranges.ts'
import { shardOf } from '../words/shards.ts'
import { termHash } from '../words/term-hash.ts'
import { joinWordLists } from './book-words.ts'
import { beginningHashOf, encodeRows, endHashOf, forEachWord, wordBits, type ListedWord } from '../words/word-list.ts'

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

/** A row of the merged list that a word is not added to. */
const noShard = -1

/** A range of the rows of the merged list, which has 2^`bits` rows. */
interface TargetRange extends Range {
  bits: number
}

/** Returns the words of each row in a range of the merged list. */
async function wordsOf(
  store: LibraryIndexStore,
  { ownerId, inputs, terms, pacer }: WordMerge,
  range: TargetRange,
): Promise<Map<number, ListedWord[]>> {
  const byShard = new Map<number, ListedWord[][]>()
  const bitsOf = new Map(inputs.map((segment) => [segment.id, segment.wordBits]))
  const keys = inputs.flatMap(({ id: segmentId, wordBits: bits }) =>
    bits === undefined ? [] : shardsIn(bits, range).map((shard) => ({ segmentId, shard })),
  )
  for (const [{ segmentId, shard }, row] of await store.passWords(ownerId, keys)) {
    if (pacer.isDue()) await pacer.yieldTurn()
    const input = { row, shard, bits: bitsOf.get(segmentId) as number }
    for (const [target, words] of wordsByTarget(input, range, terms)) addTo(byShard, target, words)
  }
  const joined = new Map<number, ListedWord[]>()
  for (const [shard, lists] of byShard) {
    joined.set(shard, joinWordLists(lists))
    if (pacer.isDue()) await pacer.yieldTurn()
  }
  return joined
}

/** A row of a word list that is merged. */
interface InputRow {
  row: Uint8Array
  shard: number
  /** The number of row bits of its list. */
  bits: number
}

/**
 * Returns the words of a row, in its order, by the rows of a range that receive them. A word is read once for each of its two hashes, and
 * added each time to the row that the hash selects.
 */
function wordsByTarget(
  { row, shard, bits }: InputRow,
  range: TargetRange,
  terms: WordMerge['terms'],
): Map<number, ListedWord[]> {
  const added = new Map<number, ListedWord[]>()
  // Lists with one row contain every word once, and so does a merge of them into one row.
  const isOneRow = range.bits === 0 && bits === 0
  const includes = (hash: number) => shardOf(hash, bits) === shard && shardOf(hash, range.prefixBits) === range.range
  forEachWord(row, (word, count, termOf) => {
    let [one, other] = [0, noShard]
    if (!isOneRow) {
      const [beginning, end] = [beginningHashOf(word), endHashOf(word)]
      one = shardOf(beginning, range.bits)
      other = shardOf(end, range.bits)
      if (other === one || !includes(end)) other = noShard
      if (!includes(beginning)) one = noShard
      if (one === noShard && other === noShard) return
    }
    const term = termOf()
    if (terms !== null && !terms.has(termHash(term))) return
    const listed = { word, term, count }
    if (one !== noShard) addTo(added, one, listed)
    if (other !== noShard) addTo(added, other, listed)
  })
  return added
}

function addTo<T>(lists: Map<number, T[]>, at: number, value: T): void {
  const list = lists.get(at)
  if (list) list.push(value)
  else lists.set(at, [value])
}
