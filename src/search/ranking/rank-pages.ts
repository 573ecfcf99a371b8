import { metadataPages } from '../index/metadata-index.ts'
import type { IndexedBook } from '../index/book-index-store.ts'
import { runSteps } from '../../runtime/turns.ts'
import { hasWords, type Phrase, type Query } from '../query/parse-query.ts'
import { containsPhrase, hasWordsOf, maxProximity, preparePage, proximityScore } from './proximity.ts'
import { findExcludedPages } from './excluded-pages.ts'
import type { SearchRequest, SearchWork } from './search-work.ts'
import type { BookPostings, MatchedPage, PagePostings } from './load-postings.ts'
import { unpackIntegers } from '../words/varint.ts'

export interface RankedPage {
  page: number
  /** The score of its text and of the book's title, author and description. It is comparable with the scores of pages of other books. */
  score: number
}

export interface RankedBook {
  bookId: string
  /** The score of its pages and its metadata. */
  score: number
  /** The number of pages with at least half of the words; if there are none, the number of pages with any of the words. */
  matched: number
  /** The best pages, best first: at most three, or as many as the request asks for. */
  pages: RankedPage[]
  /** The weight of each word of the query: rare words weigh more. */
  weights: readonly number[]
}

/**
 * Ranks books by the positions of the query's words on their pages, beginning with the first books. Omits books that do not have every
 * phrase of the query, and books that are left when the work is used up.
 */
export async function rankPages(postings: readonly BookPostings[], request: SearchRequest): Promise<RankedBook[]> {
  const { work } = request
  const stats = computeStats(postings, request)
  const rankings: RankedBook[] = []
  for (const each of postings) {
    const ranked = await runSteps(work.pacer, rankBook(each, request, stats))
    if (work.positions <= 0) break
    if (ranked) rankings.push(ranked)
  }
  return rankings
}

interface ScoringStats {
  /** The weight of each concept: rare words weigh more. */
  weights: number[]
  /** The sum of the weights, which is the weight of a page with all words. */
  totalWeight: number
  /** The average number of words of a page. */
  average: number
  /** How strongly missing words reduce the score of a page, an exponent. */
  coverageExponent: number
  proximityWeight: number
}

function computeStats(
  books: readonly BookPostings[],
  { query: { concepts }, booksPerMatch = 1, unranked = { books: 0, words: 0 } }: SearchRequest,
): ScoringStats {
  const pages = books.reduce((sum, { book }) => sum + book.layout.reduce((count, run) => count + run[2], 0), 0)
  const words = books.reduce((sum, { book }) => sum + book.words, 0)
  const frequencies = concepts.map(() => 0)
  for (const { pages: found } of books)
    for (const { postings } of found)
      for (let at = 0; at < postings.length; at++) if (postings[at]) frequencies[at] = (frequencies[at] as number) + 1
  const weights = concepts.map(({ phraseOnly, count }, at) => {
    if (phraseOnly) return 0
    const documentFrequency = frequencies[at] as number
    return count * Math.log(1 + (pages * booksPerMatch - documentFrequency + 0.5) / (documentFrequency + 0.5))
  })
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0)
  // The longer a question, the less each missing word matters, and the more of its words are neighbours on a long page by chance.
  const count = concepts.filter(({ phraseOnly }) => !phraseOnly).length
  return {
    weights,
    totalWeight: Math.max(totalWeight, Number.MIN_VALUE),
    average: Math.max(1, averageLength({ pages, words }, unranked)),
    coverageExponent: 1 / Math.max(4, count ** 2),
    proximityWeight: (0.3 * (saturation + 1)) / Math.sqrt(Math.max(1, count / 3)),
  }
}

/**
 * Returns the average number of words of a page in all searched books. Long pages are more likely to match, so the average of the ranked
 * books would be too large where each book is a note. The other books have at least one page each, and pages as long as those of the
 * ranked books.
 */
function averageLength(ranked: { pages: number; words: number }, unranked: { books: number; words: number }): number {
  const otherPages = Math.max(unranked.books, (unranked.words * ranked.pages) / Math.max(1, ranked.words))
  return (ranked.words + unranked.words) / Math.max(1, ranked.pages + otherPages)
}

const maxPagesPerBook = 3
const pageRankWeights = [1, 0.2, 0.1]
/** The number of pages, and of positions of words, that are scored between two steps. */
const [pagesPerStep, positionsPerStep] = [16, 2000]

/**
 * Ranks a book, in steps; null if it lacks a phrase or is excluded. Ends early when the work is used up; the result is then meaningless.
 */
function* rankBook(
  { book, pages: found, metadata }: BookPostings,
  request: SearchRequest,
  stats: ScoringStats,
): Generator<void, RankedBook | null> {
  const { query, work, liked, pagesPerBook = maxPagesPerBook } = request
  const excludedPages = yield* findExcludedPages({ book, pages: found, metadata }, request)
  if (excludedPages === 'book') return null
  const pages = excludedPages === null ? found : found.filter(({ page }) => !excludedPages.has(page))
  const withPhrase = query.phrases.length > 0 ? yield* pagesWithPhrases([...pages, ...metadata], query, work) : null
  if (query.phrases.length > 0 && withPhrase === null) return null
  const chapters = chapterScores(book, metadata, stats)
  const best = createBestPages(Math.max(pagesPerBook, pageRankWeights.length))
  let [many, due] = [0, work.positions]
  const matching = matchingPages(pages, request, withPhrase)
  for (let at = 0; at < matching.length; at++) {
    if (at % pagesPerStep === 0 || work.positions <= due) {
      yield
      due = work.positions - positionsPerStep
    }
    if (work.positions <= 0) return null
    const page = matching[at] as MatchedPage
    if (countMatchedTerms(page.postings, query) >= query.manyMatches) many++
    const chapter = chapters.get(page.page) ?? 0
    const score = scorePage(page, { request, stats, minScore: best.least - chapter })
    if (score !== null) best.add({ page: page.page, score: score + chapter })
  }
  // If the query has a phrase or a liked page, the title of a chapter alone does not make its page match.
  const others = withPhrase === null && !liked ? otherChapters(chapters, matching, excludedPages) : []
  for (const page of others) best.add(page)
  const ranked = best.pages.sort(compareBest)
  const count = matching.length + others.length
  const text = pageRankWeights.reduce((sum, share, at) => sum + share * (ranked[at]?.score ?? 0), 0)
  const about = metadataScore(metadata, stats)
  if (excludedPages !== null && count === 0 && (liked || about === 0) && hasWords(query)) return null
  return {
    bookId: book.id,
    score: text + about,
    matched: withPhrase || many === 0 ? count : many,
    pages: ranked.slice(0, pagesPerBook).map(({ page, score }) => ({ page, score: score + about })),
    weights: stats.weights,
  }
}

/** Compares by score, the best first, then by page number. */
function compareBest(a: RankedPage, b: RankedPage): number {
  return b.score - a.score || a.page - b.page
}

/** Collects the best pages of a book. `least` is a score that a page must reach to be one of them. */
function createBestPages(max: number) {
  const best = {
    pages: [] as RankedPage[],
    least: -Infinity,
    add(page: RankedPage): void {
      best.pages.push(page)
      if (best.pages.length < max) return
      best.pages.sort(compareBest)
      if (best.pages.length > max) best.pages.pop()
      best.least = best.pages.at(-1)?.score ?? -Infinity
    },
  }
  return best
}

/** Returns the pages on which a chapter begins whose title matches, but whose text does not, with the scores of the titles. */
function otherChapters(
  chapters: ReadonlyMap<number, number>,
  matching: readonly MatchedPage[],
  excludedPages: ReadonlySet<number> | null,
): RankedPage[] {
  if (chapters.size === 0) return []
  const known = new Set(matching.map(({ page }) => page))
  return Array.from(chapters, ([page, score]) => ({ page, score })).filter(
    ({ page }) => !known.has(page) && !excludedPages?.has(page),
  )
}

/** Returns the pages with any of the phrases; null if one of the phrases is on no page. */
function* pagesWithPhrases(
  pages: readonly MatchedPage[],
  { phrases }: Query,
  work: SearchWork,
): Generator<void, Set<MatchedPage> | null> {
  const found = new Set<MatchedPage>()
  const seen = new Set<Phrase>()
  for (const page of pages) {
    yield
    const words = preparePage(page.postings, work)
    for (const phrase of phrases) {
      if (work.positions <= 0) return null
      if (!hasWordsOf(phrase, page.postings) || !(yield* containsPhrase(words, phrase))) continue
      found.add(page)
      seen.add(phrase)
    }
  }
  return seen.size === phrases.length ? found : null
}

/**
 * Returns the matching pages: those with a phrase; without phrases, those with any of the words; for a liked page, those with many of them.
 */
function matchingPages(
  pages: readonly MatchedPage[],
  { query, liked }: SearchRequest,
  withPhrase: Set<MatchedPage> | null,
): MatchedPage[] {
  if (withPhrase) return pages.filter((found) => withPhrase.has(found))
  const needed = liked ? query.manyMatches : 1
  return pages.filter(({ postings }) => countMatchedTerms(postings, query) >= needed)
}

function countMatchedTerms(postings: PagePostings, { concepts }: Query): number {
  let count = 0
  for (let at = 0; at < postings.length; at++) if (postings[at] && !concepts[at]?.phraseOnly) count++
  return count
}

const saturation = 1.2
const lengthWeight = 0.75
/** A heading counts as this many additional occurrences of its words. */
const headingBoost = 3

interface PageScoring {
  request: SearchRequest
  stats: ScoringStats
  /** Pages with a lower score are skipped. */
  minScore: number
}

/**
 * Scores a page with BM25 and a bonus for close words, reduced for missing words. Returns null if even the upper bound of the score is less
 * than `minScore`.
 */
function scorePage(
  { length, postings }: MatchedPage,
  { request: { query, work }, stats, minScore }: PageScoring,
): number | null {
  const { weights, totalWeight, average, coverageExponent, proximityWeight } = stats
  const norm = saturation * (1 - lengthWeight + (lengthWeight * length) / average)
  let score = 0
  let covered = 0
  for (let at = 0; at < postings.length; at++) {
    const posting = postings[at]
    if (!posting) continue
    const count = posting.count + (posting.inHeading ? headingBoost : 0)
    const weight = (weights[at] as number) * posting.weight
    score += (weight * count) / (count + norm)
    covered += weight
  }
  const coverage = (covered / totalWeight) ** coverageExponent
  if ((score + proximityWeight * maxProximity(postings, query, { weights, norm })) * coverage < minScore) return null
  return (score + proximityWeight * proximityScore(preparePage(postings, work), query, { weights, norm })) * coverage
}

const fieldWeights = [4, 3, 0.5]
const chapterWeight = 1.2

/** Scores a short text: 1 if it has all words of the query and no others. */
function coverageScore({ length, postings }: MatchedPage, { weights, totalWeight }: ScoringStats): number {
  let covered = 0
  let count = 0
  for (let at = 0; at < postings.length; at++) {
    const posting = postings[at]
    if (!posting) continue
    covered += (weights[at] as number) * posting.weight
    count++
  }
  return (covered / totalWeight) ** 2 * (0.4 + 0.6 * Math.min(1, count / Math.max(1, length)))
}

function metadataScore(metadata: readonly MatchedPage[], stats: ScoringStats): number {
  const fields = metadata.filter(({ page }) => page <= metadataPages.outline)
  return fields.reduce(
    (sum, found) => sum + (fieldWeights[found.page - 1] as number) * stats.totalWeight * coverageScore(found, stats),
    0,
  )
}

/** Returns, for each page with an outline entry, the score of its best entry. */
function chapterScores(book: IndexedBook, metadata: readonly MatchedPage[], stats: ScoringStats): Map<number, number> {
  const targets = unpackIntegers(book.about.targets)
  const scores = new Map<number, number>()
  for (const found of metadata) {
    const page = targets[found.page - 1 - metadataPages.outline]
    if (page === undefined) continue
    const score = chapterWeight * stats.totalWeight * coverageScore(found, stats)
    if (score > (scores.get(page) ?? 0)) scores.set(page, score)
  }
  return scores
}
