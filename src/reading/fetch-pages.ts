import { clipTitle } from '../books/clip-title.ts'
import { quotedFromField, type AccessibleBook } from '../books/access.ts'
import { itemNotFound } from '../books/find-book.ts'
import { formatPageRanges, parsePageRanges, type Page, type PageRange } from '../text/page-ranges.ts'
import { collectPages, type CollectedPages } from './collect-pages.ts'
import { chargeAndRecordReads } from './charge-and-record-reads.ts'
import type { Fetch, Fetched } from './fetch-schema.ts'
import { recordLastReads } from './last-reads.ts'
import { openBooks } from './open-books.ts'
import { bookUrl } from './page-url.ts'
import { firstPages, previewOnlyError } from './preview-only-error.ts'
import { pageNotFoundError } from './page-not-found.ts'
import { renderQuoted } from './render-text.ts'
import { lastReadablePage } from './present-book.ts'
import { loadToc } from './load-toc.ts'
import { unfinishedFields } from '../books/unfinished.ts'
import { retryIfPagesMissing, currentManifest } from './unfinished-manifest.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { ReadingStores } from './stores.ts'
import type { ContentStores } from './store.ts'

/**
 * Returns a page by its id from a search, or the first pages of a book that fit into an answer, as one delimited text.
 * `metadata` has the ids of the previous and the next page. Charges one read if there is text.
 */
export async function fetchPages(ctx: Call & ReadingStores, input: Fetch): Promise<Fetched> {
  return retryIfPagesMissing(() => fetchOnce(ctx, input))
}

async function fetchOnce(ctx: Call & ReadingStores, { id }: Fetch): Promise<Fetched> {
  const [itemId = '', pageSpec] = id.split(':')
  const { open } = await openBooks(ctx, [itemId])
  const [book] = open
  if (!book) throw itemNotFound()
  const last = await ctx.lastReads.find(ctx.actor.id, [book])
  const ranges =
    pageSpec === undefined ? [{ from: 1, to: lastReadablePage(book) }] : [parsePageSpec(ctx, book, pageSpec)]
  const { pages, nextPages } = await readRanges(ctx, book, ranges)
  const { title, pageCount, version } = book
  await chargeAndRecordReads(ctx, pages.length > 0 ? [{ ...book, pages }] : [])
  await recordLastReads(ctx, pages.length > 0 && version > 0 ? [book] : [], last)
  return {
    id,
    title: titleOf(book, pageSpec === undefined ? [] : pages),
    text: renderQuoted({
      id: itemId,
      title,
      pageCount,
      version,
      pages,
      healthReason: book.healthReason,
      ...quotedFromField(book),
      ...unfinishedFields(book),
    }),
    url: pageSpec === undefined ? bookUrl(ctx, book) : (pages[0]?.url ?? bookUrl(ctx, book)),
    metadata: describeMetadata(book, { pages, nextPages, isWholeBook: pageSpec === undefined }),
  }
}

/**
 * The page that an id refers to. Refuses a page that the book does not have with NOT_FOUND, and one beyond a preview
 * with FORBIDDEN.
 */
function parsePageSpec(ctx: PublicAddress, book: AccessibleBook, pageSpec: string): PageRange {
  const [range] = parsePageRanges(pageSpec)
  if (!range || range.from > book.pageCount) {
    throw pageNotFoundError(book, book.pageCount, `Fetch ${book.id}:1 for the first one.`)
  }
  if (range.from > lastReadablePage(book)) throw previewOnlyError(ctx, book)
  return range
}

async function readRanges(
  ctx: Call & ContentStores & PublicAddress,
  book: AccessibleBook,
  ranges: readonly PageRange[],
): Promise<CollectedPages> {
  const manifest = await currentManifest(ctx, book)
  if (!manifest) return { pages: [], nextPages: null }
  // The answer contains the title twice.
  const maxCost = ctx.budget.maxBookCost - 2 * ctx.budget.cost(JSON.stringify([book.title, book.author]))
  const toc = await loadToc(ctx, book, manifest)
  return collectPages(ctx, { manifest, toc, ranges, maxPageCost: () => maxCost }, { remaining: maxCost })
}

function titleOf({ title }: AccessibleBook, [page]: readonly Page[]): string {
  return page ? `${title}, p. ${page.pageNum}` : title
}

interface FetchedExtent extends CollectedPages {
  /** True if the id names a whole book instead of a page. */
  isWholeBook: boolean
}

/** Metadata as strings, because some clients accept only a map of strings. */
function describeMetadata(
  book: AccessibleBook,
  { pages, nextPages, isWholeBook }: FetchedExtent,
): Record<string, string> {
  const [first, final] = [pages[0], pages.at(-1)]
  const at = first?.pageNum ?? 1
  const fields = {
    author: book.author,
    pages: first && final ? formatPageRanges([{ from: at, to: final.pageNum }]) : '',
    pageCount: String(book.pageCount),
    version: String(book.version),
    label: isWholeBook ? null : (first?.label ?? null),
    chapter: isWholeBook ? null : (first?.chapter.map(clipTitle).join(' › ') ?? null),
    previousId: at > 1 ? `${book.id}:${at - 1}` : null,
    nextId: nextId(book, { at: final?.pageNum ?? at, nextPages }),
    quotedFrom: book.access.quotedFrom,
    unfinished: unfinishedFields(book).unfinished ?? null,
    preview: book.access.previewPages === null ? null : `Only the first ${firstPages(book)} can be read.`,
  }
  return Object.fromEntries(Object.entries(fields).filter((fact): fact is [string, string] => Boolean(fact[1])))
}

/** The id of the rest of a split page, otherwise of the next page; null at the end. */
function nextId(book: AccessibleBook, { at, nextPages }: { at: number; nextPages: string | null }): string | null {
  const [remaining] = nextPages?.split(/[,-]/) ?? []
  if (remaining !== undefined) return `${book.id}:${remaining}`
  return at < lastReadablePage(book) ? `${book.id}:${at + 1}` : null
}
