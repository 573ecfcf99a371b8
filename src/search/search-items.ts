import { quotedFromField } from '../books/access.ts'
import { detached } from '../core/cancellation.ts'
import { isConcise } from '../core/pagination.ts'
import { bookUrl } from '../reading/page-url.ts'
import { decodeCursor, resumeIndex, encodeCursor } from './search-cursor.ts'
import { findBooks, type FoundBook } from './find-books.ts'
import { indexBook } from './index-book.ts'
import { parseQuery, type Query } from './parse-query.ts'
import type { FoundItems, SearchItems } from './schema.ts'
import { presentHits } from './present-hits.ts'
import { isUsedUp, newSearchWork, takeSearchPlace, type SearchWork } from './search-work.ts'
import { listSearchSources, type SearchSource } from './list-search-sources.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { BookEventServices } from '../books/events.ts'
import type { SearchStores } from './store.ts'
import type { ContentStores } from '../reading/store.ts'

type Item = FoundItems['items'][number]

const maxIndexedPerCall = 20
/** Indexing continues when the client disconnects. */
const indexDetached = detached(indexBook)

/**
 * Searches title, author, description, table of contents and text of the books that the caller may read in full; best
 * first, with passages of their best pages. Finds everything published before the call. Charges no read.
 */
export function searchItems(ctx: Call & SearchServices, input: SearchItems): Promise<FoundItems> {
  return searchPart(ctx, input, { name: '', narrow: (sources) => sources })
}

/** The services of a search. */
export type SearchServices = BookAccessStores & BookEventServices & SearchStores & ContentStores & PublicAddress

/** A part of the books that a search covers. */
export interface SearchScope {
  /** Tells it from other parts: a cursor belongs to one. Empty for all books. */
  name: string
  narrow(sources: SearchSource[]): SearchSource[]
  /** Pages of each book that are listed; 3 when left out. */
  pagesPerBook?: number
}

/** The same among a part of the books only. */
export async function searchPart(
  ctx: Call & SearchServices,
  { query: text, limit, cursor, detail }: SearchItems,
  scope: SearchScope,
): Promise<FoundItems> {
  const query = parseQuery(text)
  const key = scope.name === '' ? text : `${text}\n${scope.name}`
  const cursorPosition = cursor === undefined ? null : decodeCursor(cursor, key)
  if (query.concepts.length === 0) return { query: text, items: [], total: 0 }
  const release = await takeSearchPlace(ctx, ctx.search.places)
  try {
    return await searchWithin(ctx, { query, text, key, limit, cursorPosition, detail, scope })
  } finally {
    release()
  }
}

interface SearchRequest extends Pick<SearchItems, 'limit' | 'detail'> {
  query: Query
  text: string
  /** What the cursor belongs to. */
  key: string
  scope: SearchScope
  cursorPosition: ReturnType<typeof decodeCursor> | null
}

async function searchWithin(
  ctx: Call & SearchServices,
  { query, text, key, limit, cursorPosition, detail, scope }: SearchRequest,
): Promise<FoundItems> {
  const sources = scope.narrow(await listSearchSources(ctx))
  const owners = sources.map(({ ownerId }) => ownerId)
  for (const book of await ctx.books.listIndexDue(owners, maxIndexedPerCall)) {
    ctx.signal.throwIfAborted()
    await indexDetached(ctx, book)
  }
  const work = newSearchWork(ctx.signal)
  const { ranking, loadRange, total, relaxed } = await findBooks(ctx, sources, {
    query,
    work,
    pagesPerBook: scope.pagesPerBook,
  })
  const start = cursorPosition ? resumeIndex(ranking, cursorPosition) : 0
  const found = await loadRange(start, start + limit)
  const items = await presentWithinBudget(ctx, found, { query, work, concise: isConcise(ctx, detail) })
  const end = items.length < found.length ? start + items.length : start + limit
  const last = ranking[end - 1]
  const hasMore = last !== undefined && end < ranking.length
  return {
    query: text,
    items,
    total,
    ...(isUsedUp(work) ? { incomplete: incompleteNotice } : {}),
    ...(relaxed ? { relaxed: relaxedNotice } : {}),
    ...(hasMore ? { nextCursor: encodeCursor(key, { rank: end, id: last.bookId }) } : {}),
  }
}

const incompleteNotice =
  'This search ended early: its words are too frequent in these books. Use rarer words, or fewer quoted phrases.'

const relaxedNotice = 'No page has the words in quotation marks as a phrase. These pages have the words.'

interface PresentRequest {
  query: Query
  work: SearchWork
  /** True: a passage of the best page only, and the numbers of the others. */
  concise: boolean
}

/** As many books as fit into the answer, at least one. */
async function presentWithinBudget(
  ctx: Call & ContentStores & PublicAddress,
  found: readonly FoundBook[],
  request: PresentRequest,
): Promise<Item[]> {
  const all: Item[] = []
  for (const each of found) all.push(await presentBook(ctx, each, request))
  const items: Item[] = []
  let remaining = ctx.budget.maxListCost - ctx.budget.cost(JSON.stringify(request.query.concepts.length)) - 2_000
  for (const item of all) {
    remaining -= ctx.budget.maxListCost === Infinity ? 0 : ctx.budget.cost(JSON.stringify(item)) + 1
    if (remaining < 0 && items.length > 0) break
    items.push(item)
  }
  return items
}

async function presentBook(
  ctx: ContentStores & PublicAddress,
  found: FoundBook,
  { query, work, concise }: PresentRequest,
): Promise<Item> {
  const { book, score, matched } = found
  const pages = concise ? found.pages.slice(0, 1) : found.pages
  const others = found.pages.slice(pages.length).map(({ page }) => page)
  const { id, title, author, pageCount } = book
  const manifest = await ctx.contents.getManifest(id, book.version)
  const hits = manifest === null ? [] : await presentHits(ctx, { book, manifest, pages }, { query, work })
  return {
    id,
    title,
    author,
    pageCount,
    score: Number(score.toFixed(3)),
    matched,
    url: bookUrl(ctx, book),
    ...quotedFromField(book),
    ...(others.length > 0 ? { alsoOn: others } : {}),
    hits,
  }
}
