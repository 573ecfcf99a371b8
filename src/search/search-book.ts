import { z } from 'zod'
import { findAccessibleBook } from '../books/find-book.ts'
import { detached } from '../core/cancellation.ts'
import { AppError } from '../core/errors.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import { createSuggester, wordsIn } from './query/did-you-mean.ts'
import { findBooks } from './ranking/find-books.ts'
import { indexBook } from './index/index-book.ts'
import { listSearchSources } from './list-search-sources.ts'
import { parseQuery } from './query/parse-query.ts'
import { hasCriteria, noteField, noteOnExclusions, prepareSearch, type SearchServices } from './prepare-search.ts'
import { openHits } from './passages/open-hits.ts'
import { passageRequest, presentHits, type Hit } from './passages/present-hits.ts'
import { SearchPages } from './schema.ts'
import { isExhausted, newSearchWork, takeSearchSlot } from './ranking/search-work.ts'

const maxPages = 50
const indexDetached = detached(indexBook)
export const SearchBook = SearchPages.extend({ id: z.string().min(1).max(64) })
export type SearchBook = z.infer<typeof SearchBook>

/** The matching pages of a book, in page order. */
export interface FoundInBook {
  hits: Hit[]
  /** The number of matching pages. `hits` contains the best 50. */
  total: number
  /** True if the search ended early. */
  incomplete: boolean
  /** True if no page has the quoted phrases, so that their words were searched for instead. */
  relaxed: boolean
  /** Says what the query names that does not exist, or why nothing was found, with advice. */
  note?: string
  /** The query with likely typos corrected; null if there are none. */
  didYouMean: string | null
}

const noResult: FoundInBook = { hits: [], total: 0, incomplete: false, relaxed: false, didYouMean: null }

/**
 * Searches the current version of one book. Throws NOT_FOUND if the caller does not have the book, and FORBIDDEN if the caller cannot read
 * it in full. Charges no read.
 */
export async function searchBook(
  ctx: Call & SearchServices & PublicAddress,
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
  const requested = parseQuery(text)
  if (!hasCriteria(requested)) return { ...noResult, ...noteOnExclusions(requested) }
  const release = await takeSearchSlot(ctx, ctx.search.slots)
  try {
    const work = newSearchWork(ctx.signal)
    if (book.indexDue !== '') await indexDetached(ctx, book)
    const only = sources.map((source) => ({ ...source, includes: (bookId: string) => bookId === id }))
    const libraries = await ctx.search.libraries.findAll([book.ownerId])
    const indexed = { sources: only, libraries }
    const prepared = await prepareSearch(ctx, indexed, { text, additionalFilters: [], liked: null, work })
    const request = { query: prepared.query, work, pagesPerBook: maxPages }
    const { loadRange, relaxed, searched, query: matched } = await findBooks(ctx, prepared.sources, request)
    const [found] = await loadRange(0, 1)
    const note = noteField(prepared, { total: found?.matched ?? 0, searched })
    if (!found) return { ...noResult, incomplete: isExhausted(work), ...note }
    const pagesInOrder = found.pages.slice(0, found.matched).toSorted((a, b) => a.page - b.page)
    const [opened] = await openHits(ctx, [{ ...found, pages: pagesInOrder }])
    if (!opened?.manifest) return { ...noResult, incomplete: isExhausted(work), ...note }
    const suggester = createSuggester(matched)
    const source = { ...found, manifest: opened.manifest, pages: opened.pages }
    const { hits, words } = await presentHits(ctx, source, passageRequest({ query: matched, work }))
    for (const each of words) suggester.addWords(each)
    suggester.addWords(wordsIn(`${found.book.title}\n${found.book.author ?? ''}`))
    const didYouMean = suggester.suggest(text)
    return { hits, total: found.matched, incomplete: isExhausted(work), relaxed, didYouMean, ...note }
  } finally {
    release()
  }
}
