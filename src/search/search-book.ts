import { z } from 'zod'
import { findAccessibleBook } from '../books/find-book.ts'
import { AppError } from '../core/errors.ts'
import { detached } from '../core/cancellation.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { BookEventServices } from '../books/events.ts'
import type { ContentStores } from '../reading/store.ts'
import { findBooks } from './find-books.ts'
import { indexBook } from './index-book.ts'
import { listSearchSources } from './list-search-sources.ts'
import { parseQuery } from './parse-query.ts'
import { presentHits, type Hit } from './present-hits.ts'
import { SearchItems } from './schema.ts'
import { isUsedUp, newSearchWork, takeSearchPlace } from './search-work.ts'
import type { SearchStores } from './store.ts'

const maxPages = 50
const indexDetached = detached(indexBook)

export const SearchBook = SearchItems.pick({ query: true }).extend({ id: z.string().min(1).max(64) })
export type SearchBook = z.infer<typeof SearchBook>

/** The pages of a book that match, in the order of the book. */
export interface FoundInBook {
  hits: Hit[]
  /** Number of matching pages; the best 50 are in `hits`. */
  total: number
  /** True when the search ended before it had seen everything. */
  incomplete: boolean
  /** True when no page has the quoted phrases: the pages have their words. */
  relaxed: boolean
}

/**
 * Searches one book, in its current version. Refuses a book that the caller does not have with NOT_FOUND, and one that the
 * caller cannot read in full with FORBIDDEN. Charges no read.
 */
export async function searchBook(
  ctx: Call & BookAccessStores & BookEventServices & SearchStores & ContentStores & PublicAddress,
  { id, query: text }: SearchBook,
): Promise<FoundInBook> {
  const book = await findAccessibleBook(ctx, id)
  const sources = (await listSearchSources(ctx)).filter(
    ({ ownerId, includes }) => ownerId === book.ownerId && includes?.(id) !== false,
  )
  if (sources.length === 0) {
    throw new AppError(
      'FORBIDDEN',
      'Only a book that you can read in full can be searched: this is a preview or locked.',
    )
  }
  const query = parseQuery(text)
  if (query.concepts.length === 0) return { hits: [], total: 0, incomplete: false, relaxed: false }
  const release = await takeSearchPlace(ctx, ctx.search.places)
  try {
    if (book.indexDue !== '') await indexDetached(ctx, book)
    const work = newSearchWork(ctx.signal)
    const only = sources.map(({ ownerId }) => ({ ownerId, includes: (bookId: string) => bookId === id }))
    const { loadRange, relaxed } = await findBooks(ctx, only, { query, work, pagesPerBook: maxPages })
    const [found] = await loadRange(0, 1)
    const manifest = found && (await ctx.contents.getManifest(id, found.book.version))
    if (!found || !manifest) return { hits: [], total: 0, incomplete: isUsedUp(work), relaxed: false }
    const pages = found.pages.slice(0, found.matched).toSorted((a, b) => a.page - b.page)
    const hits = await presentHits(ctx, { book: found.book, manifest, pages }, { query, work })
    return { hits, total: found.matched, incomplete: isUsedUp(work), relaxed }
  } finally {
    release()
  }
}
