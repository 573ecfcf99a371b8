import { fold } from '../../text/words/fold.ts'
import { hasTerm, type TermCounts } from '../words/term-counts.ts'
import { termHash } from '../words/term-hash.ts'
import { forEachWord, isListable, maxListedLength, type ListedWord } from '../words/word-list.ts'

/** Returns the folded words of a unit that are worth listing, sorted by word and then by term. */
export function listWords(words: ReadonlyMap<string, { term: string; count: number }>): ListedWord[] {
  const ascii: string[] = []
  const folded = new Map<string, ListedWord[]>()
  for (const [written, { term, count }] of words) {
    if (isLowerAscii(written)) {
      if (isListable(written)) ascii.push(written)
      continue
    }
    const word = fold(written)
    if (!isListable(word)) continue
    const same = folded.get(word)
    const known = same?.find((listed) => listed.term === term)
    if (known) known.count += count
    else if (same) same.push({ word, term, count })
    else folded.set(word, [{ word, term, count }])
  }
  // Sorting strings is faster than sorting objects.
  const plain = ascii.sort().map((word) => {
    const { term, count } = words.get(word) as { term: string; count: number }
    return { word, term, count }
  })
  if (folded.size === 0) return plain
  const others = [...folded.keys()].sort().flatMap((word) => {
    const same = folded.get(word) as ListedWord[]
    return same.length === 1 ? same : same.sort(compare)
  })
  return joinTwo(plain, others)
}

/** True for words that folding does not change, which are most words of Latin letters. */
function isLowerAscii(word: string): boolean {
  if (word.length > maxListedLength) return false
  for (let at = 0; at < word.length; at++) {
    const unit = word.charCodeAt(at)
    if (unit > 0x7f || (unit >= 0x41 && unit <= 0x5a)) return false
  }
  return true
}

/**
 * Returns the words of a stored unit. Omits words whose terms are no longer on any page of the book, because a unit keeps the pages that an
 * edit has replaced.
 */
export function readLiveWords(row: Uint8Array, termCounts: TermCounts): ListedWord[] {
  const words: ListedWord[] = []
  forEachWord(row, (word, count, termOf) => {
    const term = termOf()
    if (hasTerm(termCounts, termHash(term))) words.push({ word, term, count })
  })
  return words
}

/** Merges lists of words that are sorted like those of `listWords`. */
export function joinWordLists(lists: readonly (readonly ListedWord[])[]): ListedWord[] {
  if (lists.length <= 1) return [...(lists[0] ?? [])]
  const middle = lists.length >> 1
  return joinTwo(joinWordLists(lists.slice(0, middle)), joinWordLists(lists.slice(middle)))
}

function joinTwo(one: readonly ListedWord[], other: readonly ListedWord[]): ListedWord[] {
  const joined: ListedWord[] = []
  let [at, next] = [0, 0]
  while (at < one.length && next < other.length) {
    const [listed, same] = [one[at] as ListedWord, other[next] as ListedWord]
    const order = compare(listed, same)
    if (order < 0) joined.push(listed)
    else if (order > 0) joined.push(same)
    else joined.push({ word: listed.word, term: listed.term, count: listed.count + same.count })
    if (order <= 0) at++
    if (order >= 0) next++
  }
  for (; at < one.length; at++) joined.push(one[at] as ListedWord)
  for (; next < other.length; next++) joined.push(other[next] as ListedWord)
  return joined
}

function compare(one: ListedWord, other: ListedWord): number {
  if (one.word !== other.word) return one.word < other.word ? -1 : 1
  return one.term === other.term ? 0 : one.term < other.term ? -1 : 1
}
