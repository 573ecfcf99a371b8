import { positionsOf, type Posting } from '../words/page-index.ts'
import type { Concept, Phrase, Query } from '../query/parse-query.ts'
import type { PagePostings } from './load-postings.ts'
import type { SearchWork } from './search-work.ts'

/** The words of a query on one page. */
export interface PageWords {
  postings: PagePostings
  /** Returns the positions of a posting of the page, ascending. Reduces the remaining work of the search. */
  positionsOf(posting: Posting): readonly number[]
}

/** Prepares a page for reading the positions of its words. */
export function preparePage(postings: PagePostings, work: SearchWork): PageWords {
  const known = new Map<Posting, readonly number[]>()
  return {
    postings,
    positionsOf(posting) {
      // Comparing them again counts as work too.
      work.positions -= posting.count
      const positions = known.get(posting) ?? positionsOf(posting)
      known.set(posting, positions)
      return positions
    },
  }
}

/** True if a page has all words of a phrase, wherever they are. */
export function hasWordsOf({ concepts }: Phrase, postings: PagePostings): boolean {
  return concepts.every((concept) => postings[concept] !== undefined)
}

/** The number of places that are compared between two steps. */
const placesPerStep = 2000

/**
 * True if the words of a phrase are adjacent and in order on the page, which has all of them. Yields in between, because a page may have
 * half a million words.
 */
export function* containsPhrase(words: PageWords, { concepts, offsets }: Phrase): Generator<void, boolean> {
  const parts: PhrasePart[] = []
  for (const [at, concept] of concepts.entries()) {
    if (at > 0) yield
    const positions = words.positionsOf(words.postings[concept] as Posting)
    parts.push({ positions, offset: offsets[at] as number, at: 0 })
  }
  // The rarest word leads: each of its positions determines the position that each other word must have.
  parts.sort((a, b) => a.positions.length - b.positions.length)
  const [rarest, ...others] = parts
  if (!rarest) return false
  const perStep = Math.ceil(placesPerStep / parts.length)
  for (let at = 0; at < rarest.positions.length; at++) {
    const start = (rarest.positions[at] as number) - rarest.offset
    if (others.every((part) => advanceTo(part, start))) return true
    if (at % perStep === perStep - 1) yield
  }
  return false
}

interface PhrasePart {
  positions: readonly number[]
  /** The distance of the word from the start of the phrase. */
  offset: number
  /** The index of the next position to check. Earlier positions are less than any later target. */
  at: number
}

/** True if the word is at its position in a phrase that begins at `start`. `start` must never decrease between calls. */
function advanceTo(part: PhrasePart, start: number): boolean {
  const { positions } = part
  const target = start + part.offset
  while (part.at < positions.length && (positions[part.at] as number) < target) part.at++
  return positions[part.at] === target
}

/** The weights of the words, and the number of occurrences on a page of this length with which a word has half of its possible score. */
export interface PageScale {
  weights: readonly number[]
  norm: number
}

/**
 * Scores how close neighbouring query words are on a page: for each two of them, the lesser of the two weights if their distance is the same
 * as in the query, and less for each additional word between them. The words count the less the fewer they are for the length of the page:
 * on a long page, any two words are close somewhere.
 */
export function proximityScore(words: PageWords, { concepts }: Query, { weights, norm }: PageScale): number {
  let sum = 0
  let before: FoundWord | null = null
  for (let at = 0; at < words.postings.length; at++) {
    const posting = words.postings[at]
    if (!posting) continue
    const { phraseOnly, position } = concepts[at] as Concept
    if (phraseOnly) continue
    if (before && !shareCharacter(concepts[before.at] as Concept, concepts[at] as Concept)) {
      const expectedDistance = Math.min(4, Math.max(1, position - (concepts[before.at]?.position ?? 0)))
      const distance = minDeviation(words.positionsOf(before.posting), words.positionsOf(posting), expectedDistance)
      sum += pairScore(before, { posting, at }, { weights, norm }) / (1 + distance / 2)
    }
    before = { posting, at }
  }
  return sum
}

/** True for two pairs of characters that share one: they are next to each other wherever their word is, which says nothing about a page. */
function shareCharacter(one: Concept, next: Concept): boolean {
  return one.pair === true && next.pair === true && next.position === one.position + 1
}

/** Returns the upper bound of `proximityScore`, regardless of positions. */
export function maxProximity(postings: PagePostings, { concepts }: Query, scale: PageScale): number {
  let sum = 0
  let before: FoundWord | null = null
  for (let at = 0; at < postings.length; at++) {
    const posting = postings[at]
    if (!posting || concepts[at]?.phraseOnly) continue
    const found = { posting, at }
    if (before && !shareCharacter(concepts[before.at] as Concept, concepts[at] as Concept))
      sum += pairScore(before, found, scale)
    before = found
  }
  return sum
}

interface FoundWord {
  posting: Posting
  /** The index of its concept. */
  at: number
}

/** Scores two words of a page as if they were adjacent: the lesser weight, multiplied by the lesser share of the possible score. */
function pairScore(one: FoundWord, next: FoundWord, { weights, norm }: PageScale): number {
  const count = Math.min(one.posting.count, next.posting.count)
  return (Math.min(weights[one.at] as number, weights[next.at] as number) * count) / (count + norm)
}

/** Returns the smallest deviation of any pair of positions from the expected distance. The wrong order adds one. */
function minDeviation(one: readonly number[], other: readonly number[], expectedDistance: number): number {
  let best = Infinity
  let at = 0
  for (const position of one) {
    const target = position + expectedDistance
    while (
      at + 1 < other.length &&
      Math.abs((other[at + 1] as number) - target) <= Math.abs((other[at] as number) - target)
    )
      at++
    for (let index = Math.max(0, at - 1); index <= at; index++) {
      const found = other[index]
      if (found === undefined) continue
      const deviation = found > position ? Math.abs(found - target) : position - found + 1
      if (deviation < best) best = deviation
    }
    // This is the minimum.
    if (best === 0) return best
  }
  return best
}
