import { expandQuery } from './expand-query.ts'
import { loadSegments, type BookCodes, type LoadedSegment } from './load-segments.ts'
import { decodeCount, fieldBits } from '../words/term-counts.ts'
import { runSteps } from '../../runtime/turns.ts'
import { hasWords, type Concept, type Query } from '../query/parse-query.ts'
import { raritiesOf, selectWords } from './select-words.ts'
import type { SearchRequest } from './search-work.ts'
import type { OpenedSource } from './open-libraries.ts'
import type { SearchStore } from '../store.ts'

export interface MatchedBook {
  bookId: string
  ownerId: string
  score: number
  /** The number of its words. */
  words: number
}

/** The matching books, and the query with the words that were matched, including similar ones. */
export interface MatchedBooks {
  books: MatchedBook[]
  query: Query
  /** The books that were searched: those that meet the filters, and the number of their words. */
  searched: { books: number; words: number }
}

/**
 * Returns every book with any of the words and all words of each phrase, the best first. For a query of filters only, returns every book
 * that meets them, the newest first. Uses book-level counts only. Similar words replace words that no book has.
 */
export async function matchBooks(
  search: SearchStore,
  sources: readonly OpenedSource[],
  { query: requested, work }: SearchRequest,
): Promise<MatchedBooks> {
  const segments = await loadSegments(search, sources, requested)
  const query = await expandQuery(search, segments, { query: selectWords(segments, requested), work })
  for (const segment of segments) applyRequired(segment, query)
  const books = segments.reduce((sum, part) => sum + part.live.reduce((count, live) => count + live, 0), 0)
  const words = segments.reduce((sum, { segment }) => sum + segment.words, 0)
  const average =
    words /
    Math.max(
      1,
      segments.reduce((sum, { segment }) => sum + segment.count, 0),
    )
  const weights = query.concepts.map(({ count }, concept) => count * inverseDocumentFrequency(segments, concept, books))
  const stats = { weights, average: Math.max(1, average) }
  let found: MatchedBook[] = []
  for (const part of segments) found = found.concat(await runSteps(work.pacer, scoreSegment(part, query, stats)))
  const first = hasWords(query) ? -1 : 1
  found.sort((a, b) => b.score - a.score || (a.bookId < b.bookId ? first : -first))
  return { books: found, query, searched: { books, words: segments.reduce((sum, part) => sum + countWords(part), 0) } }
}

/** Returns the number of words of the books of a segment that are searched. */
function countWords({ header, live }: LoadedSegment): number {
  return header.words.reduce((sum, words, at) => sum + (live[at] === 1 ? words : 0), 0)
}

/**
 * Returns how rare words are in the books of some libraries: the rarer a word, the greater its value; 0 for a word that no book has. Uses
 * book-level counts only.
 */
export async function loadRarities(
  search: SearchStore,
  sources: readonly OpenedSource[],
  concepts: readonly Concept[],
): Promise<number[]> {
  const segments = await loadSegments(search, sources, { concepts })
  return raritiesOf(segments, concepts.length)
}

/** Excludes the books that do not meet the filters by title and author. */
function applyRequired({ live, concepts: books }: LoadedSegment, { required }: Query): void {
  for (const { concepts, field, isExcluded } of required) {
    for (let at = 0; at < live.length; at++) {
      const isMet = concepts.every((concept) => ((books[concept]?.codes[at] ?? 0) & field) !== 0)
      if (isMet === isExcluded) live[at] = 0
    }
  }
}

/** Returns the inverse document frequency as in BM25. It is never negative. */
function inverseDocumentFrequency(segments: readonly LoadedSegment[], concept: number, books: number): number {
  let documentFrequency = 0
  for (const { live, concepts } of segments) {
    const { codes } = concepts[concept] as BookCodes
    for (let at = 0; at < codes.length; at++) if (codes[at] !== 0 && live[at] === 1) documentFrequency++
  }
  return Math.log(1 + (books - documentFrequency + 0.5) / (documentFrequency + 0.5))
}

interface ScoringStats {
  weights: readonly number[]
  /** The average number of words of a book. */
  average: number
}

const saturation = 6
const lengthWeight = 0.5
const fieldWeights = [
  [fieldBits.title, 24],
  [fieldBits.author, 16],
  [fieldBits.outline, 8],
  [fieldBits.description, 6],
] as const

/** The number of books between two steps. */
const booksPerStep = 256

/**
 * Scores the books of a segment with BM25F: a field counts as a number of occurrences in the text, and each further occurrence counts less.
 */
function* scoreSegment(
  segment: LoadedSegment,
  query: Query,
  { weights, average }: ScoringStats,
): Generator<void, MatchedBook[]> {
  const { ownerId, header, live, concepts } = segment
  const all = query.concepts.reduce((sum, { phraseOnly }, at) => sum + (phraseOnly ? 0 : (weights[at] as number)), 0)
  const found: MatchedBook[] = []
  const searched = { ...query, isListing: !hasWords(query) }
  for (let position = 0; position < live.length; position++) {
    if (position % booksPerStep === 0) yield
    if (live[position] !== 1 || !matchesQuery(concepts, position, searched)) continue
    const length = 1 - lengthWeight + (lengthWeight * (header.words[position] as number)) / average
    let score = 0
    let covered = 0
    for (let at = 0; at < concepts.length; at++) {
      const { codes, shares } = concepts[at] as BookCodes
      const code = codes[position] as number
      if (code === 0 || query.concepts[at]?.phraseOnly) continue
      let count = decodeCount(code) / length
      for (const [field, weight] of fieldWeights) if (code & field) count += weight
      const weight = (weights[at] as number) * (shares?.[position] ?? 1)
      score += (weight * count) / (saturation + count)
      covered += weight
    }
    const words = header.words[position] as number
    found.push({
      bookId: header.ids[position] as string,
      ownerId,
      score: score * Math.sqrt(covered / Math.max(all, Number.MIN_VALUE)),
      words,
    })
  }
  return found
}

function matchesQuery(
  books: readonly BookCodes[],
  position: number,
  { concepts, phrases, isListing }: Pick<Query, 'concepts' | 'phrases'> & { isListing: boolean },
): boolean {
  const has = (concept: number) => books[concept]?.codes[position] !== 0
  return (
    (isListing || concepts.some(({ phraseOnly }, at) => !phraseOnly && has(at))) &&
    phrases.every((phrase) => phrase.concepts.every(has))
  )
}
