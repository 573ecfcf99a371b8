import { upgradeUrl } from '../accounts/charge-reads.ts'
import { quotedFromField, type AccessibleBook, type BookAccessStores } from '../books/access.ts'
import { clipTitle } from '../books/clip-title.ts'
import { chargeAndRecordReads } from './charge-and-record-reads.ts'
import { openBooks } from './open-books.ts'
import { buildTocTree } from './toc-tree.ts'
import { bookUrl } from './page-url.ts'
import { lastReadablePage } from './present-book.ts'
import { loadToc } from './load-toc.ts'
import type { OutlineEntry } from './manifest.ts'
import { unfinishedFields } from '../books/unfinished.ts'
import { currentManifest } from './unfinished-manifest.ts'
import type { GetTableOfContents, TableOfContents } from './schema.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { ContentStores } from './store.ts'
import type { ReadStores } from '../accounts/read-meter.ts'
import type { SessionStores } from '../research/session-store.ts'
import type { ReadLogStores } from '../research/read-log-store.ts'

type OutlineResult = TableOfContents['items'][number]

/**
 * The outlines of up to 50 books; `toc` and `tocTree` are null for a book without one. A preview includes the whole
 * outline, so that readers know what the book contains. Charges one read per book.
 */
export async function getTableOfContents(
  ctx: Call & BookAccessStores & ContentStores & PublicAddress & ReadStores & SessionStores & ReadLogStores,
  { ids, sessionId }: GetTableOfContents,
): Promise<TableOfContents> {
  const { open, notFound, locked } = await openBooks(ctx, ids)
  const items: OutlineResult[] = []
  let remaining =
    ctx.budget.maxListCost -
    (ctx.budget.maxListCost === Infinity ? 0 : ctx.budget.cost(JSON.stringify({ notFound, locked })))
  let weightLeft = maxWeight
  for (const [index, book] of open.entries()) {
    const left = open.length - index
    const limits = { cost: remaining / left, weight: weightLeft - (left - 1) * reservedWeight }
    const { entry, cost, weight } = await presentOutline(ctx, book, limits)
    remaining -= cost
    weightLeft -= weight
    items.push(entry)
  }
  const opened = open.filter(({ version }) => version > 0)
  await chargeAndRecordReads(ctx, opened, sessionId)
  return {
    items,
    ...(notFound.length > 0 ? { notFound } : {}),
    ...(locked.length > 0 ? { locked } : {}),
  }
}

/**
 * The maximum weight of the outlines in an answer, in any transport: about 20,000 entries with long titles or 60,000
 * with short ones. An answer is built and encoded at once.
 */
const maxWeight = 21_000_000
/** The weight that is left for each book after a large one. */
const reservedWeight = 100_000

/** The limits of a book's outline. */
interface OutlineLimits {
  /** Its share of the answer. */
  cost: number
  weight: number
}

interface PresentedOutline {
  entry: OutlineResult
  /** Its share of the answer; 0 if the budget has no limit. */
  cost: number
  weight: number
}

/** Fits a book's outline into its share of the answer: drops the deepest levels first, then the end of the list. */
async function presentOutline(
  ctx: Call & ContentStores & PublicAddress,
  book: AccessibleBook,
  limits: OutlineLimits,
): Promise<PresentedOutline> {
  const manifest = await currentManifest(ctx, book)
  const { id, pageCount } = book
  // Clips a title that would take more than a quarter of the share.
  const title = ctx.budget.cost(book.title) > limits.cost / 4 ? clipTitle(book.title) : book.title
  const fullToc = manifest ? await loadToc(ctx, book, manifest) : []
  const links = {
    url: bookUrl(ctx, book),
    ...previewFields(ctx, book),
    ...quotedFromField(book),
    ...unfinishedFields(book),
  }
  const costOf = (entry: OutlineResult) => (limits.cost === Infinity ? 0 : ctx.budget.cost(JSON.stringify(entry)))
  if (fullToc.length === 0) {
    const entry = { id, title, pageCount, toc: null, tocTree: null, ...links }
    return { entry, cost: costOf(entry), weight: 0 }
  }
  const maxCost = limits.cost - 30
  for (let toc = [...fullToc]; ; toc = shorten(toc)) {
    const weight = weightOf(toc)
    if (toc.length > 0 && (weight > limits.weight || leastCostOf(toc) > maxCost)) continue
    const truncated = toc.length < fullToc.length ? { truncated: true } : {}
    const entry = { id, title, pageCount, toc, tocTree: buildTocTree(toc, pageCount), ...links, ...truncated }
    const cost = costOf(entry)
    if (toc.length === 0 || cost <= maxCost) return { entry, cost, weight }
  }
}

/** An outline without its deepest level, or without its second half if it has one level. */
function shorten(toc: OutlineEntry[]): OutlineEntry[] {
  const deepest = toc.reduce((most, { level }) => Math.max(most, level), 0)
  const upper = toc.filter(({ level }) => level < deepest)
  return upper.length > 0 ? upper : toc.slice(0, Math.floor(toc.length / 2))
}

/** The work for an outline, approximately: each title is in the list and in the tree. */
function weightOf(toc: readonly OutlineEntry[]): number {
  return toc.reduce((sum, { title }) => sum + 2 * title.length + 300, 0)
}

/** Less than an outline costs in an answer: in every transport, a text costs at least its number of UTF-16 units. */
function leastCostOf(toc: readonly OutlineEntry[]): number {
  return toc.reduce((sum, { title }) => sum + 2 * title.length + 80, 0)
}

function previewFields(ctx: PublicAddress, book: AccessibleBook) {
  if (book.access.previewPages === null) return {}
  return { proRestricted: true as const, previewPageCount: lastReadablePage(book), upgradeUrl: upgradeUrl(ctx) }
}
