import { fold } from '../text/words/fold.ts'
import type { TermCounts } from './term-counts.ts'
import { termHash } from './term-hash.ts'
import { forEachWord, isListable, type ListedWord } from './word-list.ts'

/** The words of a unit that are worth listing, folded, in the order of their words and terms. */
export function listWords(words: ReadonlyMap<string, { term: string; count: number }>): ListedWord[] {
  const byWord = new Map<string, ListedWord[]>()
  for (const [written, { term, count }] of words) {
    const word = fold(written)
    if (!isListable(word)) continue
    const same = byWord.get(word)
    const known = same?.find((listed) => listed.term === term)
    if (known) known.count += count
    else if (same) same.push({ word, term, count })
    else byWord.set(word, [{ word, term, count }])
  }
  // Strings sort faster than objects.
  return [...byWord.keys()].sort().flatMap((word) => {
    const same = byWord.get(word) as ListedWord[]
    return same.length === 1 ? same : same.sort(compare)
  })
}

/**
 * The words of a stored unit, without those whose terms are on no page of the book any more: a unit keeps the pages that an edit
 * has replaced, and their words with them.
 */
export function readLiveWords(row: Uint8Array, termCounts: TermCounts): ListedWord[] {
  const words: ListedWord[] = []
  forEachWord(row, (word, count, termOf) => {
    const term = termOf()
    if (termCounts.has(termHash(term))) words.push({ word, term, count })
  })
  return words
}

/** Lists of words in the order of `listWords` as one. */
export function joinWordLists(lists: readonly (readonly ListedWord[])[]): ListedWord[] {
  if (lists.length <= 1) return [...(lists[0] ?? [])]
  const middle = lists.length >> 1
  return joinTwo(joinWordLists(lists.slice(0, middle)), joinWordLists(lists.slice(middle)))
}

function joinTwo(one: readonly ListedWord[], other: readonly ListedWord[]): ListedWord[] {
  const joined: ListedWord[] = []
  let at = 0
  for (const listed of one) {
    while (at < other.length && compare(other[at] as ListedWord, listed) < 0) joined.push(other[at++] as ListedWord)
    const same = other[at]
    if (same !== undefined && compare(same, listed) === 0) {
      joined.push({ ...listed, count: listed.count + same.count })
      at++
    } else {
      joined.push(listed)
    }
  }
  for (; at < other.length; at++) joined.push(other[at] as ListedWord)
  return joined
}

function compare(one: ListedWord, other: ListedWord): number {
  if (one.word !== other.word) return one.word < other.word ? -1 : 1
  return one.term === other.term ? 0 : one.term < other.term ? -1 : 1
}
