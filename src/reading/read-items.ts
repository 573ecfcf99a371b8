import { clipTitle } from '../books/clip-title.ts'
import type { AccessibleBook } from '../books/access.ts'
import type { Book } from '../books/book.ts'
import { clipRanges, formatPageRanges, mergeRanges, parsePageRanges, type PageRange } from '../text/page-ranges.ts'
import { collectPages, type Allowance } from './collect-pages.ts'
import { concludeReads } from './charge-and-record-reads.ts'
import { changesSince, noteReads } from './last-reads.ts'
import type { LastRead } from './last-read-store.ts'
import { openBooks, type OpenedBooks } from './open-books.ts'
import { recallShown, rememberShown } from './item-cache.ts'
import { ReadItem, type CutItem, type ReadItems, type ReadItemsResult } from './schema.ts'
import { lastPage, showBook } from './present-book.ts'
import { tocOf } from './load-toc.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { ReadingStores } from './stores.ts'
import type { ContentStores } from './store.ts'

/**
 * Reads page ranges of up to 50 books, in request order, until the answer is full. A book that does not fit comes back
 * truncated (in parts, when the caller takes parts) with the ranges to ask for next. One read is charged per book whose
 * text is returned.
 */
export async function readItems(
  ctx: Call & ReadingStores,
  { items, partial, sessionId }: ReadItems,
): Promise<ReadItemsResult> {
  const ranges = rangesByBook(items)
  const { open, notFound, locked } = await openBooks(ctx, [...ranges.keys()])
  const last = await ctx.lastReads.of(ctx.actor.id, open)
  const parts = partial ?? inParts(ctx)
  const wanted = open.map((book): Wanted => ({
    book,
    ranges: clipRanges(ranges.get(book.id) ?? [], lastPage(book)),
    last: last.get(book.id),
    parts,
  }))
  const allowance: Allowance = { left: roomFor(ctx, wanted, { notFound, locked }) }
  const shown: (ReadItem | CutItem)[] = []
  for (const each of wanted) {
    ctx.signal.throwIfAborted()
    shown.push(await readBook(ctx, each, allowance))
  }
  const opened = shown.filter((item) => 'pages' in item && item.pages && item.pages.length > 0)
  await concludeReads(ctx, opened, sessionId)
  await noteReads(ctx, booksOf(open, opened), last)
  const truncated = shown.filter((item) => item.truncated)
  return {
    items: shown,
    notFound,
    ...(locked.length > 0 ? { locked } : {}),
    truncatedItemIds: truncated.map(({ id }) => id),
    truncatedMessage: truncated.length > 0 ? truncatedMessage(truncated) : null,
  }
}

function booksOf(books: readonly Book[], opened: readonly { id: string }[]): Book[] {
  const ids = new Set(opened.map(({ id }) => id))
  return books.filter(({ id }) => ids.has(id))
}

function inParts(ctx: Call): boolean {
  return ctx.budget.mode === 'parts'
}

/** The same book twice in one call is one read of both ranges. */
function rangesByBook(items: ReadItems['items']): Map<string, PageRange[]> {
  const ranges = new Map<string, PageRange[]>()
  for (const { id, pages } of items) ranges.set(id, mergeRanges([...(ranges.get(id) ?? []), ...parsePageRanges(pages)]))
  return ranges
}

interface Wanted {
  book: AccessibleBook
  /** Of pages that the caller may read. */
  ranges: PageRange[]
  /** What the caller read of it before. */
  last: LastRead | undefined
  parts: boolean
}

/** What an answer has for text and details. Over MCP each book keeps room for its shortest form and its place in the message. */
function roomFor(ctx: Call, wanted: Wanted[], missing: Pick<OpenedBooks, 'notFound' | 'locked'>): number {
  if (!inParts(ctx)) return ctx.budget.batch
  const rows = wanted.map(({ book, ranges }) => [cutItem(book, ranges), missingRanges(ranges), book.id])
  return ctx.budget.batch - costOf(ctx, [rows, missing])
}

function costOf(ctx: Call, value: unknown): number {
  return ctx.budget.cost(JSON.stringify(value))
}

function cutItem(book: Book, ranges: PageRange[]): CutItem {
  const { id, title, pageCount } = book
  return { id, title: clipTitle(title), pageCount, truncated: true, nextPages: missingRanges(ranges) }
}

function missingRanges(ranges: PageRange[]): string {
  return formatPageRanges(ranges) || '1'
}

async function readBook(
  ctx: Call & ContentStores & PublicAddress,
  wanted: Wanted,
  allowance: Allowance,
): Promise<ReadItem | CutItem> {
  const { book, ranges, last, parts } = wanted
  const { head, json } = showBook(ctx, book, await changesSince(ctx, book, last))
  const headCost = ctx.budget.cost(json)
  const left = allowance.left - headCost
  if (inParts(ctx) && left < 0) return cutItem(book, ranges)
  allowance.left = left
  const manifest = await ctx.contents.manifest(book.id, book.version)
  if (!manifest || ranges.length === 0) return ReadItem.parse({ ...head, pages: [], truncated: false })
  const view = { book: json, manifest, toc: await tocOf(ctx, book, manifest), budget: ctx.budget }
  const lately = recallShown(ranges, view)
  if (lately && lately.cost <= left) {
    allowance.left -= lately.cost
    return lately.item
  }
  const cut = parts ? () => roomFor(ctx, [wanted], { notFound: [], locked: [] }) - headCost : null
  const { pages, nextPages } = await collectPages(ctx, { ...view, ranges, cut }, allowance)
  if (nextPages === null) {
    const item = ReadItem.parse({ ...head, pages, truncated: false })
    if (pages.length > 0) rememberShown(ranges, view, { item, cost: left - allowance.left })
    return item
  }
  if (parts && pages.length > 0) {
    // The answer is in reading order: once a book was cut, later ones wait for the next call.
    allowance.left = 0
    return ReadItem.parse({ ...head, pages, truncated: true, nextPages })
  }
  allowance.left = left
  return ReadItem.parse({ ...head, truncated: true, nextPages: missingRanges(ranges) })
}

function truncatedMessage(truncated: (ReadItem | CutItem)[]): string {
  const next = truncated.map(({ id, nextPages }) => `${id} pages ${nextPages}`).join('; ')
  return `The answer is full. Not included: ${next}. Ask for these ranges next, fewer at a time, or with partial: true for the pages that fit.`
}
