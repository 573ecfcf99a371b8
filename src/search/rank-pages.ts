import { aboutPages } from './metadata-index.ts'
import type { IndexedBook } from './book-index-store.ts'
import type { Query } from './parse-query.ts'
import { holdsPhrase, proximity } from './proximity.ts'
import { readWords, type BookWords, type FoundPage, type PageWords } from './load-postings.ts'
import type { SearchStore } from './store.ts'
import { unpackIntegers } from './varint.ts'

export interface RankedPage {
  page: number
  score: number
}

export interface RankedBook {
  bookId: string
  /** From its pages and from what is said about it. */
  score: number
  /** How many pages match. */
  matched: number
  /** The best pages first, at most three. */
  pages: RankedPage[]
}

/** Ranks the pages of books by where the words stand; books that do not hold every phrase of the query are left out. */
export async function rankPages(
  search: SearchStore,
  books: readonly IndexedBook[],
  query: Query,
): Promise<RankedBook[]> {
  const read = await readWords(search, books, query)
  const scale = scaleOf(read, query)
  return read.map((each) => rankBook(each, query, scale)).filter((ranked) => ranked !== null)
}

interface Scale {
  /** How much each concept tells: rare words more. */
  weights: number[]
  /** What a page with all words could have. */
  all: number
  /** Words of a page. */
  average: number
}

function scaleOf(read: readonly BookWords[], { concepts }: Query): Scale {
  const pages = read.reduce((sum, { book }) => sum + book.layout.reduce((count, run) => count + run[2], 0), 0)
  const words = read.reduce((sum, { book }) => sum + book.words, 0)
  const weights = concepts.map(({ light }, at) => {
    if (light) return 0
    const having = read.reduce((sum, book) => sum + book.pages.filter((page) => page.words[at]).length, 0)
    return Math.log(1 + (pages - having + 0.5) / (having + 0.5))
  })
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  return { weights, all: Math.max(all, Number.MIN_VALUE), average: Math.max(1, words / Math.max(1, pages)) }
}

const shownPages = 3
const followerShare = [1, 0.2, 0.1]

function rankBook({ book, pages, about }: BookWords, query: Query, scale: Scale): RankedBook | null {
  const everywhere = [...pages, ...about]
  const held = query.phrases.map((phrase) => everywhere.filter(({ words }) => holdsPhrase(words, phrase)))
  if (held.some((places) => places.length === 0)) return null
  const withPhrase = query.phrases.length > 0 ? new Set(held.flat()) : null
  const chapters = chapterScores(book, about, scale)
  const matching = matchingPages(pages, query, withPhrase)
  const scores = new Map(matching.map((found) => [found.page, scorePage(found, query, scale)]))
  for (const [page, score] of chapters) {
    // In a query with a phrase a chapter's title alone does not make its page match.
    if (withPhrase === null || scores.has(page)) scores.set(page, (scores.get(page) ?? 0) + score)
  }
  const ranked = [...scores]
    .map(([page, score]) => ({ page, score }))
    .sort((a, b) => b.score - a.score || a.page - b.page)
  const text = followerShare.reduce((sum, share, at) => sum + share * (ranked[at]?.score ?? 0), 0)
  const score = text + aboutScore(about, scale)
  return { bookId: book.id, score, matched: scores.size, pages: ranked.slice(0, shownPages) }
}

/** Pages with a phrase; else those with half of the words; else all. */
function matchingPages(pages: readonly FoundPage[], query: Query, withPhrase: Set<FoundPage> | null): FoundPage[] {
  if (withPhrase) return pages.filter((found) => withPhrase.has(found))
  const wanted = pages.filter(({ words }) => countWords(words, query) > 0)
  const good = wanted.filter(({ words }) => countWords(words, query) >= query.needed)
  return good.length > 0 ? good : wanted
}

function countWords(words: PageWords, { concepts }: Query): number {
  return concepts.reduce((sum, { light }, at) => sum + (!light && words[at] ? 1 : 0), 0)
}

const saturation = 1.2
const lengthShare = 0.5
/** A word in a heading counts as so many more in the text. */
const headingCount = 3
const proximityShare = 0.8

/** BM25 with a bonus for words that stand near each other, less where some are missing. */
function scorePage({ length, words }: FoundPage, query: Query, { weights, all, average }: Scale): number {
  const norm = saturation * (1 - lengthShare + (lengthShare * length) / average)
  let score = 0
  let covered = 0
  for (const [at, posting] of words.entries()) {
    if (!posting) continue
    const count = posting.count + (posting.inHeading ? headingCount : 0)
    score += ((weights[at] as number) * count) / (count + norm)
    covered += weights[at] as number
  }
  return (score + proximityShare * proximity(words, query, weights)) * (covered / all)
}

const fieldWorth = [4, 3, 0.5]
const chapterWorth = 1.2

/** How well a short text answers the query: all words of it, and nothing else, is 1. */
function fit({ length, words }: FoundPage, { weights, all }: Scale): number {
  let covered = 0
  let count = 0
  for (const [at, posting] of words.entries()) {
    if (!posting) continue
    covered += weights[at] as number
    count++
  }
  return (covered / all) ** 2 * (0.4 + 0.6 * Math.min(1, count / Math.max(1, length)))
}

function aboutScore(about: readonly FoundPage[], scale: Scale): number {
  const fields = about.filter(({ page }) => page <= aboutPages.outline)
  return fields.reduce((sum, found) => sum + (fieldWorth[found.page - 1] as number) * scale.all * fit(found, scale), 0)
}

/** For the pages that entries of the outline lead to: how well the best entry fits. */
function chapterScores(book: IndexedBook, about: readonly FoundPage[], scale: Scale): Map<number, number> {
  const targets = unpackIntegers(book.about.targets)
  const scores = new Map<number, number>()
  for (const found of about) {
    const page = targets[found.page - 1 - aboutPages.outline]
    if (page === undefined) continue
    const score = chapterWorth * scale.all * fit(found, scale)
    if (score > (scores.get(page) ?? 0)) scores.set(page, score)
  }
  return scores
}
