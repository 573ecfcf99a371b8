import { upgradeUrl } from '../accounts/charge-reads.ts'
import { quotedFromField, type AccessibleBook, type BookAccessStores } from '../books/access.ts'
import { clipTitle } from '../books/clip-title.ts'
import { chargeAndRecordReads } from './charge-and-record-reads.ts'
import { openBooks } from './open-books.ts'
import { buildTocTree } from './toc-tree.ts'
import { bookUrl } from './page-url.ts'
import { lastReadablePage } from './present-book.ts'
import { loadToc } from './load-toc.ts'
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
  for (const [index, book] of open.entries()) {
    const { entry, cost } = await presentOutline(ctx, book, remaining / (open.length - index))
    remaining -= cost
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

interface PresentedOutline {
  entry: OutlineResult
  /** Its share of the answer; 0 if the budget has no limit. */
  cost: number
}

/** Fits a book's outline into its share of the answer: drops the deepest levels first, then the end of the list. */
async function presentOutline(
  ctx: Call & ContentStores & PublicAddress,
  book: AccessibleBook,
  maxCost: number,
): Promise<PresentedOutline> {
  const manifest = await currentManifest(ctx, book)
  const { id, pageCount } = book
  // Clips a title that would take more than a quarter of the share.
  const title = ctx.budget.cost(book.title) > maxCost / 4 ? clipTitle(book.title) : book.title
  const fullToc = manifest ? await loadToc(ctx, book, manifest) : []
  const links = {
    url: bookUrl(ctx, book),
    ...previewFields(ctx, book),
    ...quotedFromField(book),
    ...unfinishedFields(book),
  }
  const withCost = (entry: OutlineResult): PresentedOutline => ({
    entry,
    cost: maxCost === Infinity ? 0 : ctx.budget.cost(JSON.stringify(entry)),
  })
  if (fullToc.length === 0) return withCost({ id, title, pageCount, toc: null, tocTree: null, ...links })
  let toc = [...fullToc]
  const build = (): OutlineResult => ({ id, title, pageCount, toc, tocTree: buildTocTree(toc, pageCount), ...links })
  let outline = withCost(build())
  while (toc.length > 0 && outline.cost > maxCost - 30) {
    const deepest = Math.max(...toc.map(({ level }) => level))
    const upper = toc.filter(({ level }) => level < deepest)
    toc = upper.length > 0 ? upper : toc.slice(0, Math.floor(toc.length / 2))
    outline = withCost({ ...build(), truncated: true })
  }
  return outline
}

function previewFields(ctx: PublicAddress, book: AccessibleBook) {
  if (book.access.previewPages === null) return {}
  return { proRestricted: true as const, previewPageCount: lastReadablePage(book), upgradeUrl: upgradeUrl(ctx) }
}
