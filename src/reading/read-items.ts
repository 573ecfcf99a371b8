import { clipTitle } from '../books/clip-title.ts'
import { quotedFromField, type AccessibleBook } from '../books/access.ts'
import { clipRanges, formatPageRanges, parsePageRanges, type Page, type PageRange } from '../text/page-ranges.ts'
import { collectPages, type RemainingBudget } from './collect-pages.ts'
import { chargeAndRecordReads } from './charge-and-record-reads.ts'
import { findChangesSince, recordLastReads } from './last-reads.ts'
import type { LastRead } from './last-read-store.ts'
import { openBooks, type OpenedBooks } from './open-books.ts'
import { ReadItem, type TruncatedItem, type ReadItems, type ReadItemsResult } from './schema.ts'
import { lastReadablePage, presentBook, withNote, withPages } from './present-book.ts'
import { loadToc } from './load-toc.ts'
import { noteOnPages } from './note-on-pages.ts'
import { unfinishedFields } from '../books/unfinished.ts'
import { retryIfPagesMissing, currentManifest } from './unfinished-manifest.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { ReadingStores } from './stores.ts'
import type { ContentStores } from './store.ts'

/**
 * Reads page ranges of up to 50 books, in request order, until the answer is full. A book that does not fit is returned
 * truncated, with the ranges to request next; with `partial`, the pages that fit are included. Charges one read per
 * book whose text is returned.
 */
export async function readItems(ctx: Call & ReadingStores, input: ReadItems): Promise<ReadItemsResult> {
  return retryIfPagesMissing(() => readOnce(ctx, input))
}

async function readOnce(ctx: Call & ReadingStores, { items, partial, sessionId }: ReadItems): Promise<ReadItemsResult> {
  const asked = pagesByBook(items)
  const { open, notFound, locked } = await openBooks(ctx, [...asked.keys()])
  const last = await ctx.lastReads.find(ctx.actor.id, open)
  const requests = open.map((book): BookRequest => {
    const pages = asked.get(book.id)
    const wanted = clipRanges(parsePageRanges(pages), lastReadablePage(book))
    // A caller who requests a page from an offset can handle parts of it.
    const allowPartial = (partial ?? splitsOnOverflow(ctx)) || wanted.some(({ offset }) => offset !== undefined)
    return { book, ranges: wanted, note: noteOnPages(book, pages), last: last.get(book.id), allowPartial }
  })
  const budget: RemainingBudget = { remaining: availableBudget(ctx, requests, { notFound, locked }) }
  const results: (ReadItem | TruncatedItem)[] = []
  for (const each of requests) {
    ctx.signal.throwIfAborted()
    const first = !results.some(hasPages)
    results.push(await readBook(ctx, { ...each, first }, budget))
  }
  const opened = open.flatMap((book) => {
    const item = results.find(({ id }) => id === book.id)
    return item && hasPages(item) ? [{ ...book, pages: item.pages }] : []
  })
  await chargeAndRecordReads(ctx, opened, sessionId)
  await recordLastReads(
    ctx,
    opened.filter(({ version }) => version > 0),
    last,
  )
  const truncated = results.filter((item) => item.truncated)
  return {
    items: results,
    notFound,
    ...(locked.length > 0 ? { locked } : {}),
    truncatedItemIds: truncated.map(({ id }) => id),
    truncatedMessage: truncated.length > 0 ? truncatedMessage(truncated) : null,
  }
}

function hasPages(item: ReadItem | TruncatedItem): item is ReadItem & Required<Pick<ReadItem, 'pages'>> {
  return 'pages' in item && item.pages !== undefined && item.pages.length > 0
}

function splitsOnOverflow(ctx: Call): boolean {
  return ctx.budget.onOverflow === 'split'
}

/** The pages of each book, joined if the request names it repeatedly; undefined for all pages. */
function pagesByBook(items: ReadItems['items']): Map<string, string | undefined> {
  const asked = new Map<string, string | undefined>()
  for (const { id, pages } of items) {
    const before = asked.has(id) ? asked.get(id) : ''
    asked.set(id, before === undefined || pages === undefined ? undefined : `${before},${pages}`)
  }
  return asked
}

interface BookRequest {
  book: AccessibleBook
  /** Ranges of pages that the caller may read. */
  ranges: PageRange[]
  /** On parts of the request that name no page; null: none. */
  note: string | null
  /** The caller's last read of the book. */
  last: LastRead | undefined
  allowPartial: boolean
}

/**
 * The budget for books and pages. Over MCP, reserves the cost of each book's truncated form and of its entry in the
 * message.
 */
function availableBudget(
  ctx: Call,
  requests: BookRequest[],
  missing: Pick<OpenedBooks, 'notFound' | 'locked'>,
): number {
  if (!splitsOnOverflow(ctx)) return ctx.budget.maxBatchCost
  const rows = requests.map(({ book, ranges }) => [
    presentTruncated(book, ranges),
    formatMissingRanges(ranges),
    book.id,
  ])
  return ctx.budget.maxBatchCost - costOf(ctx, [rows, missing])
}

function costOf(ctx: Call, value: unknown): number {
  return ctx.budget.cost(JSON.stringify(value))
}

function presentTruncated(book: AccessibleBook, ranges: PageRange[]): TruncatedItem {
  const { id, title, pageCount } = book
  const nextPages = formatMissingRanges(ranges)
  return {
    id,
    title: clipTitle(title),
    ...quotedFromField(book),
    pageCount,
    ...unfinishedFields(book),
    truncated: true,
    nextPages,
  }
}

function formatMissingRanges(ranges: PageRange[]): string {
  return formatPageRanges(ranges) || '1'
}

async function readBook(
  ctx: Call & ContentStores & PublicAddress,
  request: BookRequest & { first: boolean },
  budget: RemainingBudget,
): Promise<ReadItem | TruncatedItem> {
  const { book, ranges, note, last, allowPartial, first } = request
  const presented = withNote(ctx, presentBook(ctx, book, await findChangesSince(ctx, book, last)), note)
  const { item, cost } = presented
  const remaining = budget.remaining - cost
  if (splitsOnOverflow(ctx) && remaining < 0) return presentTruncated(book, ranges)
  budget.remaining = remaining
  const manifest = await currentManifest(ctx, book)
  if (!manifest || ranges.length === 0) return item
  const maxPageCost = allowPartial ? () => availableBudget(ctx, [request], { notFound: [], locked: [] }) - cost : null
  const toc = await loadToc(ctx, book, manifest)
  const { pages, nextPages } = await collectPages(ctx, { manifest, toc, ranges, maxPageCost }, budget)
  if (nextPages === null) return withPages(presented, pages)
  if (allowPartial && pages.length > 0) {
    // Answers keep the reading order: after a split book, later books wait for the next call.
    budget.remaining = 0
    return { ...ReadItem.parse({ ...item, truncated: true, nextPages }), pages }
  }
  budget.remaining = remaining
  // A book that does not fit next to others may fit into the next answer; one that comes first never does.
  const next =
    first && !allowPartial
      ? splitByFit(ranges, { fitting: pages, rest: nextPages })
      : { nextPages: formatMissingRanges(ranges) }
  // The ranges appear in the item and in the message.
  if (splitsOnOverflow(ctx)) budget.remaining -= 2 * costOf(ctx, next)
  return ReadItem.parse({ ...item, pages: undefined, truncated: true, ...next })
}

interface FittingPages {
  /** The pages that fit into an answer of their own. */
  fitting: readonly Page[]
  /** The ranges of the remaining pages. */
  rest: string
}

/** Divides ranges that are too large for any answer into those to request next and those to request later. */
function splitByFit(
  ranges: readonly PageRange[],
  { fitting, rest }: FittingPages,
): Pick<ReadItem, 'nextPages' | 'laterPages'> {
  const last = fitting.at(-1)?.pageNum
  if (last !== undefined) return { nextPages: formatPageRanges(clipRanges(ranges, last)), laterPages: rest }
  // The first page alone is too large, so it is returned in parts from an offset.
  const page = ranges[0]?.from ?? 1
  const later = formatPageRanges(
    ranges.flatMap(({ from, to }) => (to > page ? [{ from: Math.max(from, page + 1), to }] : [])),
  )
  return { nextPages: `${page}@0`, ...(later === '' ? {} : { laterPages: later }) }
}

function truncatedMessage(truncated: (ReadItem | TruncatedItem)[]): string {
  const next = truncated.map((item) => `${item.id} pages ${item.nextPages}${laterNote(item)}`).join('; ')
  return `The answer is full. Not included: ${next}. Ask for these ranges next, fewer at a time, or with partial: true for the pages that fit.`
}

function laterNote(item: ReadItem | TruncatedItem): string {
  return 'laterPages' in item && item.laterPages !== undefined ? `, and after them ${item.laterPages}` : ''
}
