import type { Query } from '../query/parse-query.ts'
import { decodeCount } from '../words/term-counts.ts'
import type { BookCodes, LoadedSegment } from './load-segments.ts'

/** The maximum number of words that a search looks up on pages. */
const maxWords = 32

/**
 * Reduces a long question to its most distinctive words: those that are rare in the books, and those that it repeats. Words that no book has
 * are dropped first. Phrases and excluded words are kept.
 */
export function selectWords(segments: readonly LoadedSegment[], query: Query): Query {
  const { concepts, phrases } = query
  const inPhrases = new Set(phrases.flatMap((phrase) => phrase.concepts))
  const words = concepts.flatMap(({ phraseOnly }, at) => (phraseOnly || inPhrases.has(at) ? [] : [at]))
  const max = Math.max(0, maxWords - inPhrases.size)
  if (words.length <= max) return query
  const rarities = raritiesOf(segments, concepts.length)
  const weightOf = (at: number) => (concepts[at]?.count ?? 0) * (rarities[at] ?? 0)
  const dropped = new Set(words.toSorted((a, b) => weightOf(b) - weightOf(a) || a - b).slice(max))
  const isKept = (_: unknown, at: number) => !dropped.has(at)
  for (const segment of segments) segment.concepts = segment.concepts.filter(isKept)
  // Words follow the phrases and filters of a query, so the indexes in these stay the same.
  return {
    ...query,
    concepts: concepts.filter(isKept),
    manyMatches: Math.ceil((query.manyMatches * max) / words.length),
  }
}

/** Returns how rare the first words of a query are in some books: the rarer a word, the greater its value; 0 for a word that no book has. */
export function raritiesOf(segments: readonly LoadedSegment[], count: number): number[] {
  const words = segments.reduce((sum, { segment }) => sum + segment.words, 0)
  return Array.from({ length: count }, (_, at) => {
    let occurrences = 0
    for (const { live, concepts } of segments) {
      const { codes } = concepts[at] as BookCodes
      for (let book = 0; book < codes.length; book++)
        if (live[book] === 1) occurrences += decodeCount(codes[book] as number)
    }
    return occurrences === 0 ? 0 : Math.log(1 + words / occurrences)
  })
}
