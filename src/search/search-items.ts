import type { Book } from '../books/book.ts'
import { clipTitle } from '../books/clip-title.ts'
import { apart } from '../core/cancellation.ts'
import { isConcise } from '../core/pagination.ts'
import { chapterFinder } from '../reading/toc-tree.ts'
import { bookUrl, pageUrl } from '../reading/page-url.ts'
import { pageRefs } from '../reading/store.ts'
import { type Manifest } from '../reading/manifest.ts'
import { tocOf } from '../reading/load-toc.ts'
import { parseCursor, placeAfter, writeCursor } from './search-cursor.ts'
import { findBooks, type FoundBook } from './find-books.ts'
import { indexBook } from './index-book.ts'
import { parseQuery, type Query } from './parse-query.ts'
import type { FoundItems, SearchItems } from './schema.ts'
import { searchableBooks } from './list-search-sources.ts'
import { makeSnippet, openingOf } from './snippet.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { BookEventServices } from '../books/events.ts'
import type { SearchStores } from './store.ts'
import type { ContentStores } from '../reading/store.ts'

type Item = FoundItems['items'][number]

const mostDue = 20
/** An index that is begun is finished, whoever has asked for it. */
const learn = apart(indexBook)

/**
 * Books that the caller may read in full, by their title, author, description, table of contents and text, the best first,
 * with passages of their best pages. Nothing is charged. What was published before the call is found.
 */
export async function searchItems(
  ctx: Call & BookAccessStores & BookEventServices & SearchStores & ContentStores & PublicAddress,
  { query: text, limit, cursor, detail }: SearchItems,
): Promise<FoundItems> {
  const query = parseQuery(text)
  const after = cursor === undefined ? null : parseCursor(cursor, text)
  if (query.concepts.length === 0) return { query: text, items: [], total: 0 }
  const shelves = await searchableBooks(ctx)
  const owners = shelves.map(({ ownerId }) => ownerId)
  for (const book of await ctx.books.indexDue(owners, mostDue)) {
    ctx.signal.throwIfAborted()
    await learn(ctx, book)
  }
  const { ranking, show, total } = await findBooks(ctx, shelves, query)
  const start = after ? placeAfter(ranking, after) : 0
  const found = await show(start, start + limit)
  const items = await fitting(ctx, found, { query, concise: isConcise(ctx, detail) })
  const end = items.length < found.length ? start + items.length : start + limit
  const last = ranking[end - 1]
  const more = last !== undefined && end < ranking.length
  return {
    query: text,
    items,
    total,
    ...(more ? { nextCursor: writeCursor(text, { place: end, id: last.bookId }) } : {}),
  }
}

interface Wish {
  query: Query
  /** A passage of the best page only; the other pages by their numbers. */
  concise: boolean
}

/** As many books as an answer holds, but at least one. */
async function fitting(
  ctx: Call & ContentStores & PublicAddress,
  found: readonly FoundBook[],
  wish: Wish,
): Promise<Item[]> {
  const all = await Promise.all(found.map((each) => showFound(ctx, each, wish)))
  const items: Item[] = []
  let left = ctx.budget.list - ctx.budget.cost(JSON.stringify(wish.query.concepts.length)) - 2_000
  for (const item of all) {
    left -= ctx.budget.list === Infinity ? 0 : ctx.budget.cost(JSON.stringify(item)) + 1
    if (left < 0 && items.length > 0) break
    items.push(item)
  }
  return items
}

async function showFound(
  ctx: ContentStores & PublicAddress,
  found: FoundBook,
  { query, concise }: Wish,
): Promise<Item> {
  const { book, score, matched } = found
  const pages = concise ? found.pages.slice(0, 1) : found.pages
  const others = found.pages.slice(pages.length).map(({ page }) => page)
  const { id, title, author, pageCount } = book
  const manifest = await ctx.contents.manifest(id, book.version)
  const hits = manifest === null ? [] : await showHits(ctx, { book, manifest, pages }, query)
  return {
    id,
    title,
    author,
    pageCount,
    score: Number(score.toFixed(3)),
    matched,
    url: bookUrl(ctx, book),
    ...(others.length > 0 ? { alsoOn: others } : {}),
    hits,
  }
}

interface Hits extends Pick<FoundBook, 'book' | 'pages'> {
  book: Book
  manifest: Manifest
}

const shownLevels = 4

async function showHits(
  ctx: ContentStores & PublicAddress,
  { book, manifest, pages }: Hits,
  query: Query,
): Promise<Item['hits']> {
  const refs = pages.flatMap(({ page }) => [...pageRefs(manifest, page, page)])
  const [stored, toc] = await Promise.all([ctx.contents.pages(refs), tocOf(ctx, book, manifest)])
  const chapterOf = chapterFinder(toc)
  return refs.map(({ pageNum }, at) => {
    const content = stored[at]?.content ?? ''
    const chapter = chapterOf(pageNum).slice(-shownLevels).map(clipTitle)
    const url = pageUrl(ctx, { id: book.id, version: manifest.version, pageNum })
    return { page: pageNum, chapter, snippet: makeSnippet(content, query) ?? openingOf(content), url }
  })
}
