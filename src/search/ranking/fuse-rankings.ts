import {
  compareNewestFirst,
  findAccessibleBooks,
  type AccessibleBook,
  type BookAccessStores,
} from '../../books/access.ts'
import type { Call } from '../../core/context.ts'
import type { NearPage } from '../../embeddings/nearest-pages.ts'
import type { FoundBook, RankedResults } from './find-books.ts'
import type { RankedPage } from './rank-pages.ts'
import type { SearchRequest } from './search-work.ts'

/**
 * The constant of reciprocal rank fusion, from Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual
 * rank learning methods", 2009.
 */
const fusionConstant = 60
/** Scores are shown with three decimal places. */
const scoreScale = 100
/** The number of books of the ranking by words that are reranked. The others follow in their order. */
const fusedBooks = 64
const pagesPerBook = 3

/**
 * Fuses the ranking by words with the pages nearest in meaning: books and pages that rank high in either come first. Omits near pages of
 * books that the caller may not read in full or that have changed since. Without near pages, returns the ranking by words.
 */
export async function fuseRankings(
  ctx: Call & BookAccessStores,
  words: RankedResults,
  { near, request }: { near: readonly NearPage[]; request: SearchRequest },
): Promise<RankedResults> {
  const { liked } = request
  const wanted = near.filter(({ bookId, page }) => !liked || liked.bookId !== bookId || liked.page !== page)
  const allowed = await readableInFull(ctx, wanted)
  const nearPages = wanted.filter(({ bookId, version }) => allowed.get(bookId)?.version === version)
  // Only the ranking by words applies the filters by title and author.
  const listed = new Set(words.ranking.map(({ bookId }) => bookId))
  const byMeaning = request.query.required.length > 0 ? nearPages.filter(({ bookId }) => listed.has(bookId)) : nearPages
  if (byMeaning.length === 0) return words
  const head = await words.loadRange(0, fusedBooks)
  const fused = fuseBooks({ words, head, byMeaning, allowed }, request.pagesPerBook ?? pagesPerBook)
  const fusedIds = new Set(fused.map(({ book }) => book.id))
  const rest = words.ranking.filter(({ bookId }) => !fusedIds.has(bookId))
  return {
    ...words,
    ranking: [...fused.map(({ book }) => ({ bookId: book.id })), ...rest],
    total: fused.length + rest.length,
    relaxed: false,
    async loadRange(from, to) {
      const first = fused.slice(from, to)
      const lowest = fused.at(-1)?.score ?? 0
      const others = rest.slice(Math.max(0, from - fused.length), Math.max(0, to - fused.length))
      return [...first, ...(await loadRemaining(words, others, lowest))]
    },
  }
}

/** Loads books beyond the reranked ones, with scores below those. */
async function loadRemaining(
  { ranking, loadRange }: RankedResults,
  others: readonly { bookId: string }[],
  lowest: number,
): Promise<FoundBook[]> {
  if (others.length === 0) return []
  const wanted = new Set(others.map(({ bookId }) => bookId))
  const ranks = ranking.flatMap(({ bookId }, at) => (wanted.has(bookId) ? [at] : []))
  const loaded = await loadRange(ranks[0] ?? 0, (ranks.at(-1) ?? 0) + 1)
  const scale = (score: number) => (lowest * score) / (1 + Math.max(1, loaded[0]?.score ?? 1))
  return loaded
    .filter(({ book }) => wanted.has(book.id))
    .map((found) => ({
      ...found,
      score: scale(found.score),
      pages: found.pages.map((page) => ({ ...page, score: scale(page.score) })),
    }))
}

async function readableInFull(
  ctx: Call & BookAccessStores,
  near: readonly NearPage[],
): Promise<Map<string, AccessibleBook>> {
  const ids = [...new Set(near.map(({ bookId }) => bookId))]
  if (ids.length === 0) return new Map()
  const books = (await findAccessibleBooks(ctx, ids)).filter(({ access }) => access.previewPages === null)
  return new Map(books.map((book) => [book.id, book]))
}

interface Rankings {
  words: RankedResults
  /** The top books of the ranking by words. */
  head: readonly FoundBook[]
  byMeaning: readonly NearPage[]
  allowed: ReadonlyMap<string, AccessibleBook>
}

/** Returns the score of a rank, which counts from 0. */
function scoreOfRank(rank: number | undefined): number {
  return rank === undefined ? 0 : scoreScale / (fusionConstant + 1 + rank)
}

function fuseBooks({ words, head, byMeaning, allowed }: Rankings, pagesOfBook: number): FoundBook[] {
  const scoreOf = fusePages(head, byMeaning)
  const rankByWords = new Map(words.ranking.map(({ bookId }, at) => [bookId, at]))
  const pagesByMeaning = Map.groupBy(byMeaning, ({ bookId }) => bookId)
  const rankByMeaning = new Map([...pagesByMeaning.keys()].map((bookId, at) => [bookId, at]))
  const byWords = new Map(head.map((found) => [found.book.id, found]))
  const weights = head[0]?.weights ?? []
  const found: FoundBook[] = []
  for (const id of new Set([...byWords.keys(), ...pagesByMeaning.keys()])) {
    const known = byWords.get(id)
    const book = known?.book ?? allowed.get(id)
    if (!book) continue
    const numbers = new Set([...(known?.pages ?? []), ...(pagesByMeaning.get(id) ?? [])].map(({ page }) => page))
    const pages: RankedPage[] = [...numbers].map((page) => ({ page, score: scoreOf(id, page) }))
    found.push({
      book,
      score: scoreOfRank(rankByWords.get(id)) + scoreOfRank(rankByMeaning.get(id)),
      matched: known?.matched ?? 0,
      pages: pages.sort((a, b) => b.score - a.score || a.page - b.page).slice(0, pagesOfBook),
      weights: known?.weights ?? weights,
      ...(known?.indexed && { indexed: known.indexed }),
    })
  }
  return found.sort((a, b) => b.score - a.score || compareNewestFirst(a.book, b.book))
}

function nameOf(bookId: string, page: number): string {
  return `${bookId}:${page}`
}

/** Returns a function that scores a page by its ranks among the pages of all books: by words and by meaning. */
function fusePages(head: readonly FoundBook[], byMeaning: readonly NearPage[]) {
  const byWords = head
    .flatMap(({ book, pages }) => pages.map(({ page, score }) => ({ name: nameOf(book.id, page), score })))
    .sort((a, b) => b.score - a.score)
  const rankByWords = new Map(byWords.map(({ name }, at) => [name, at]))
  const rankByMeaning = new Map(byMeaning.map(({ bookId, page }, at) => [nameOf(bookId, page), at]))
  return (bookId: string, page: number): number => {
    const name = nameOf(bookId, page)
    return scoreOfRank(rankByWords.get(name)) + scoreOfRank(rankByMeaning.get(name))
  }
}
