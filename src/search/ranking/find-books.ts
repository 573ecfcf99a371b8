import { compareNewestFirst, findAccessibleBooks, type AccessibleBook } from '../../books/access.ts'
import type { IndexedBook } from '../index/book-index-store.ts'
import { matchBooks, type MatchedBook } from './match-books.ts'
import { hasWords, withoutPhrases, type Query } from '../query/parse-query.ts'
import type { PagePlaces } from '../index/page-places.ts'
import { isExhausted, type SearchRequest } from './search-work.ts'
import { rankPages, type RankedPage } from './rank-pages.ts'
import type { OpenedSource } from './open-libraries.ts'
import type { Call } from '../../core/context.ts'
import type { BookAccessStores } from '../../books/access.ts'
import { loadPostings, type BookPostings } from './load-postings.ts'
import type { SearchStore, SearchStores } from '../store.ts'

export interface FoundBook {
  book: AccessibleBook
  score: number
  matched: number
  pages: RankedPage[]
  /** The weight of each word of the query: rare words weigh more. */
  weights: readonly number[]
  /** Where the pages are, according to the index. Absent for a book that was not found by its words. */
  indexed?: PagePlaces
}

export interface RankedResults {
  /** All matching books in order. */
  ranking: { bookId: string }[]
  /** Loads the ranked books with index `from <= i < to`, with their pages. */
  loadRange(from: number, to: number): Promise<FoundBook[]>
  total: number
  /** The number of books that meet the filters. */
  searched: number
  /** The query with the words that were matched, including similar ones. */
  query: Query
  /** True if no page has the quoted phrases, so that their words were searched for instead. */
  relaxed: boolean
}

/**
 * The minimum number of books that are reranked by their pages, and the maximum. Beyond the minimum, books are added while all together
 * have at most `rerankedWords`, about 4,000 pages. The other books keep the order of their book-level scores.
 */
const rerankWindow = 64
const maxRerankWindow = 1024
const rerankedWords = 1_000_000
/** The number of reranked books for a query with phrases, where only the pages show which books match. */
const phraseRerankWindow = 384
const bookScoreWeight = 0.3

/**
 * Finds and ranks books: all by book-level counts, then the best of them by their pages. If no book has the phrases of the query, finds
 * books with its words.
 */
export async function findBooks(
  ctx: Call & BookAccessStores & SearchStores,
  sources: readonly OpenedSource[],
  request: SearchRequest,
): Promise<RankedResults> {
  const found = await findMatches(ctx, sources, request)
  if (found.total > 0 || request.query.phrases.length === 0 || isExhausted(request.work)) return found
  const query = withoutPhrases(found.query)
  return { ...(await findMatches(ctx, sources, { ...request, query })), relaxed: true }
}

async function findMatches(
  ctx: Call & BookAccessStores & SearchStores,
  sources: readonly OpenedSource[],
  requested: SearchRequest,
): Promise<RankedResults> {
  const [{ books: matched, searched, query }] = await Promise.all([
    matchBooks(ctx.search, sources, requested),
    readEntriesAhead(ctx.search, sources),
  ])
  const phrases = query.phrases.some(({ concepts }) => concepts.length > 1)
  const window = phrases ? phraseRerankWindow : sizeOfWindow(matched)
  const ranked = matched.slice(0, window)
  const rankedWords = ranked.reduce((sum, { words }) => sum + words, 0)
  const request = {
    ...requested,
    query,
    booksPerMatch: searched.books / Math.max(1, matched.length),
    unranked: { books: searched.books - ranked.length, words: searched.words - rankedWords },
  }
  const stamps = new Map(sources.map(({ library }) => [library.ownerId, library.stamp]))
  const head = await rerankBooks(ctx, ranked, { ...request, stamps })
  // Editions with the same words have the same score: the one that was added last is first.
  if (hasWords(query)) head.sort((a, b) => b.score - a.score || compareNewestFirst(a.book, b.book))
  const tail = phrases ? [] : matched.slice(window)
  const lowest = head.at(-1)?.score ?? 0
  return {
    ranking: [...head.map(({ book }) => ({ bookId: book.id })), ...tail],
    async loadRange(from, to) {
      const tailPart = tail.slice(Math.max(0, from - head.length), Math.max(0, to - head.length))
      const rest = tailPart.length > 0 ? await rerankBooks(ctx, tailPart, { ...request, stamps }) : []
      return [...head.slice(from, to), ...rest.map((found) => ({ ...found, score: Math.min(lowest, found.score) }))]
    },
    total: head.length + tail.length,
    searched: searched.books,
    query,
    relaxed: false,
  }
}

/** The size of a library whose index entries are read ahead: nearly all of its books would be reranked. */
const maxBooksAhead = 512
const maxWordsAhead = 6_000_000

/** Caches the index entries of the caller's smaller libraries, while it is not known yet which of them are needed. */
async function readEntriesAhead({ books }: SearchStore, sources: readonly OpenedSource[]): Promise<void> {
  const small = sources.filter(({ includes, library: { segments } }) => {
    const count = segments.reduce((sum, segment) => sum + segment.count, 0)
    const words = segments.reduce((sum, segment) => sum + segment.words, 0)
    return includes === null && count <= maxBooksAhead && words <= maxWordsAhead
  })
  await Promise.all(small.map(({ library }) => books.readAhead(library)))
}

function sizeOfWindow(matched: readonly MatchedBook[]): number {
  let size = Math.min(rerankWindow, matched.length)
  let words = matched.slice(0, size).reduce((sum, book) => sum + book.words, 0)
  while (size < Math.min(maxRerankWindow, matched.length)) {
    words += matched[size]?.words ?? 0
    if (words > rerankedWords) break
    size++
  }
  return size
}

interface RerankRequest extends SearchRequest {
  /** The stamps of the searched libraries, by owner. */
  stamps: ReadonlyMap<string, string>
}

/** Ranks books by their pages. Omits books that no longer exist, are not readable, or have an outdated index. */
async function rerankBooks(
  ctx: Call & BookAccessStores & SearchStores,
  matches: readonly MatchedBook[],
  request: RerankRequest,
): Promise<FoundBook[]> {
  // The occurrences of the words are read at the same time as the books, which decide what is shown.
  const [readable, loaded] = await Promise.all([
    findAccessibleBooks(
      ctx,
      matches.map(({ bookId }) => bookId),
    ),
    loadEntries(ctx.search, matches, request).then((entries) => loadPostings(ctx.search, entries, request)),
  ])
  const books = new Map(readable.map((book) => [book.id, book]))
  const current = await currentPostings(ctx.search, loaded, { books, request })
  const ranked = new Map((await rankPages(current, request)).map((each) => [each.bookId, each]))
  const entries = new Map(current.map(({ book }) => [book.id, book]))
  return matches.flatMap(({ bookId, score }) => {
    const [book, entry, pages] = [books.get(bookId), entries.get(bookId), ranked.get(bookId)]
    return book && entry && pages
      ? [{ ...pages, book, indexed: entry, score: pages.score + bookScoreWeight * score }]
      : []
  })
}

/** Returns the index entries of the matches, in the same order. */
async function loadEntries(
  { books }: SearchStore,
  matches: readonly MatchedBook[],
  { stamps }: RerankRequest,
): Promise<IndexedBook[]> {
  const listed = await Promise.all(
    [...Map.groupBy(matches, ({ ownerId }) => ownerId)].map(([ownerId, own]) => {
      const ids = own.map(({ bookId }) => bookId)
      const stamp = stamps.get(ownerId)
      return stamp === undefined ? books.find(ownerId, ids) : books.findListed({ ownerId, stamp }, ids)
    }),
  )
  const entries = new Map(listed.flat().map((entry) => [entry.id, entry]))
  return matches.map(({ bookId }) => entries.get(bookId)).filter((entry) => entry !== undefined)
}

/** Returns the postings of the readable books whose index is up to date. */
async function currentPostings(
  search: SearchStore,
  loaded: readonly BookPostings[],
  { books, request }: { books: ReadonlyMap<string, AccessibleBook>; request: SearchRequest },
): Promise<BookPostings[]> {
  const isCurrent = (entry: IndexedBook) => books.get(entry.id)?.version === entry.version
  const indexed = loaded.filter(({ book }) => books.get(book.id)?.indexDue === '')
  const current = indexed.filter(({ book }) => isCurrent(book))
  if (current.length === indexed.length) return current
  // The others were indexed again after the library was read.
  const changed: IndexedBook[] = []
  for (const { book } of indexed) {
    if (isCurrent(book)) continue
    const [entry] = await search.books.find(book.ownerId, [book.id])
    if (entry && isCurrent(entry)) changed.push(entry)
  }
  return [...current, ...(await loadPostings(search, changed, request))]
}
