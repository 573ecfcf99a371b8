import { clipTitle } from '../books/clip-title.ts'
import type { AccessibleBook } from '../books/access.ts'
import { itemNotFound } from '../books/find-book.ts'
import { AppError } from '../core/errors.ts'
import { formatPageRanges, parsePageRanges, type Page, type PageRange } from '../text/page-ranges.ts'
import { collectPages, type Collected } from './collect-pages.ts'
import { concludeReads } from './charge-and-record-reads.ts'
import type { Fetch, Fetched } from './fetch-schema.ts'
import { noteReads } from './last-reads.ts'
import { openBooks } from './open-books.ts'
import { bookUrl } from './page-url.ts'
import { previewRefusal } from './preview-only-error.ts'
import { renderQuoted } from './render-text.ts'
import { lastPage } from './present-book.ts'
import { tocOf } from './load-toc.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { ReadingStores } from './stores.ts'
import type { ContentStores } from './store.ts'

/**
 * A page by the id that a search gave it, or the first pages of a book that fit into an answer, as one delimited text.
 * `metadata` names the ids that come before and after. One read is charged when there is text.
 */
export async function fetchPages(ctx: Call & ReadingStores, { id }: Fetch): Promise<Fetched> {
  const [itemId = '', place] = id.split(':')
  const { open } = await openBooks(ctx, [itemId])
  const [book] = open
  if (!book) throw itemNotFound()
  const last = await ctx.lastReads.of(ctx.actor.id, [book])
  const ranges = place === undefined ? [{ from: 1, to: lastPage(book) }] : [pageOf(ctx, book, place)]
  const { pages, nextPages } = await readRanges(ctx, book, ranges)
  await concludeReads(ctx, pages.length > 0 ? [{ id: itemId, title: book.title, pages }] : [])
  await noteReads(ctx, pages.length > 0 ? [book] : [], last)
  const { title, pageCount, version } = book
  return {
    id,
    title: titleOf(book, place === undefined ? [] : pages),
    text: renderQuoted({ id: itemId, title, pageCount, version, pages }),
    url: place === undefined ? bookUrl(ctx, book) : (pages[0]?.url ?? bookUrl(ctx, book)),
    metadata: describe(book, { pages, nextPages, whole: place === undefined }),
  }
}

/** The page that an id names. Refuses one that the book does not have with NOT_FOUND, one beyond a preview with FORBIDDEN. */
function pageOf(ctx: PublicAddress, book: AccessibleBook, place: string): PageRange {
  const [range] = parsePageRanges(place)
  if (!range || range.from > book.pageCount) {
    throw new AppError('NOT_FOUND', `This book has ${book.pageCount} pages. Fetch ${book.id}:1 for the first one.`)
  }
  if (range.from > lastPage(book)) throw previewRefusal(ctx, book)
  return range
}

async function readRanges(
  ctx: Call & ContentStores & PublicAddress,
  book: AccessibleBook,
  ranges: readonly PageRange[],
): Promise<Collected> {
  const manifest = await ctx.contents.manifest(book.id, book.version)
  if (!manifest) return { pages: [], nextPages: null }
  // The title stands twice in an answer.
  const room = ctx.budget.book - 2 * ctx.budget.cost(JSON.stringify([book.title, book.author]))
  const toc = await tocOf(ctx, book, manifest)
  return collectPages(ctx, { manifest, toc, ranges, cut: () => room }, { left: room })
}

function titleOf({ title }: AccessibleBook, [page]: readonly Page[]): string {
  return page ? `${title}, p. ${page.pageNum}` : title
}

interface Extent extends Collected {
  /** The first pages of the book were asked for, not one page. */
  whole: boolean
}

/** What is known of the text, as text: some clients take a map of strings only. */
function describe(book: AccessibleBook, { pages, nextPages, whole }: Extent): Record<string, string> {
  const [first, final] = [pages[0], pages.at(-1)]
  const at = first?.pageNum ?? 1
  const facts = {
    author: book.author,
    pages: first && final ? formatPageRanges([{ from: at, to: final.pageNum }]) : '',
    pageCount: String(book.pageCount),
    version: String(book.version),
    label: whole ? null : (first?.label ?? null),
    chapter: whole ? null : (first?.chapter.map(clipTitle).join(' › ') ?? null),
    previousId: at > 1 ? `${book.id}:${at - 1}` : null,
    nextId: nextId(book, { at: final?.pageNum ?? at, nextPages }),
    preview: book.access.previewPages === null ? null : `Only the first ${lastPage(book)} pages can be read.`,
  }
  return Object.fromEntries(Object.entries(facts).filter((fact): fact is [string, string] => Boolean(fact[1])))
}

/** The rest of a page that was cut, or the next page. */
function nextId(book: AccessibleBook, { at, nextPages }: { at: number; nextPages: string | null }): string | null {
  const [rest] = nextPages?.split(/[,-]/) ?? []
  if (rest !== undefined) return `${book.id}:${rest}`
  return at < lastPage(book) ? `${book.id}:${at + 1}` : null
}
