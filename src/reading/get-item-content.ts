import { upgradeUrl } from '../accounts/charge-reads.ts'
import { quotedFromField, type AccessibleBook } from '../books/access.ts'
import type { Book } from '../books/book.ts'
import { AppError } from '../core/errors.ts'
import { attachStreamedContent } from '../runtime/json-stream.ts'
import { encodeText, attachEncodedContent, encodedContentOf, type EncodedText } from '../runtime/json-encoder.ts'
import { clipRanges, type Page } from '../text/page-ranges.ts'
import { chargeAndRecordReads } from './charge-and-record-reads.ts'
import { collectPages } from './collect-pages.ts'
import { findChangesSince, recordLastReads } from './last-reads.ts'
import { openBooks } from './open-books.ts'
import { bookUrl } from './page-url.ts'
import type { Manifest } from './manifest.ts'
import { ItemContent, type GetItemContent } from './schema.ts'
import { maxTextInMemory, streamPages, takeAnswerSlot } from './stream-content.ts'
import { freshnessOf, lastReadablePage, accessFields } from './present-book.ts'
import { loadToc } from './load-toc.ts'
import { unfinishedFields } from '../books/unfinished.ts'
import { retryIfPagesMissing, currentManifest } from './unfinished-manifest.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { ReadingStores } from './stores.ts'
import type { ContentStores } from './store.ts'

/**
 * Returns a whole book as one text, or the pages from `fromPage` that fit into the answer. Partial answers and
 * unfinished books have `version: null`, so that no client replaces a whole book with part of it. Charges one read.
 */
export async function getItemContent(ctx: Call & ReadingStores, input: GetItemContent): Promise<ItemContent> {
  return retryIfPagesMissing(() => readOnce(ctx, input))
}

async function readOnce(ctx: Call & ReadingStores, { id, fromPage, sessionId }: GetItemContent): Promise<ItemContent> {
  const { open } = await openBooks(ctx, [id])
  const book = open[0]
  if (!book) throw new AppError('NOT_FOUND', 'Item not found')
  const from = fromPage ?? 1
  if (from > Math.max(1, lastReadablePage(book))) {
    const subject = book.access.previewPages === null ? 'this book' : 'its preview'
    const limit = `must be at most ${lastReadablePage(book)}, the last page of ${subject}`
    const message = lastReadablePage(book) === 0 ? 'must be omitted: this book has no pages' : limit
    throw new AppError('INVALID_INPUT', `fromPage ${message}`)
  }
  const last = await ctx.lastReads.find(ctx.actor.id, [book])
  const header = {
    id: book.id,
    title: book.title,
    ...quotedFromField(book),
    description: book.description,
    updatedAt: book.updatedAt.toISOString(),
    freshness: freshnessOf(book, await findChangesSince(ctx, book, last.get(id))),
    url: bookUrl(ctx, book),
    ...accessFields(ctx, book),
    ...unfinishedFields(book),
    pageCount: book.pageCount,
  }
  const manifest = ctx.budget.streamsTexts ? await currentManifest(ctx, book) : null
  if (manifest && manifest.bytes > maxTextInMemory) return streamWhole(ctx, { book, manifest, header, last, sessionId })
  const maxCost = ctx.budget.maxBookCost - ctx.budget.cost(JSON.stringify(header))
  const { pages, nextPages } = await readFrom(ctx, { book, from, maxCost })
  // A book without text is free: nothing of it has been imported yet.
  await chargeAndRecordReads(ctx, book.version > 0 || pages.length > 0 ? [{ ...book, pages }] : [], sessionId)
  await recordLastReads(ctx, book.version > 0 ? [book] : [], last)
  const text = joinPages(book, pages)
  const fields = { ...header, content: text.content, ...versionFields(ctx, book, { from, nextPages }) }
  return attachEncodedContent(ItemContent.parse(fields), text)
}

interface WholeBook {
  book: AccessibleBook
  manifest: Manifest
  header: Omit<ItemContent, 'content' | 'version'>
  last: Awaited<ReturnType<ReadingStores['lastReads']['find']>>
  sessionId: string | undefined
}

/** Streams everything that the caller may read of a book. All checks and charges are done before. */
async function streamWhole(
  ctx: Call & ReadingStores,
  { book, manifest, header, last, sessionId }: WholeBook,
): Promise<ItemContent> {
  const lastPage = lastReadablePage(book)
  const release = await takeAnswerSlot(ctx, manifest.bytes)
  try {
    const words = Math.round((manifest.words * lastPage) / Math.max(1, manifest.pageCount))
    await chargeAndRecordReads(ctx, [{ ...book, extent: { pages: lastPage, words } }], sessionId)
    await recordLastReads(ctx, book.version > 0 ? [book] : [], last)
    const fields = { ...header, content: '', ...versionFields(ctx, book, { from: 1, nextPages: null }) }
    const text = streamPages(ctx, { manifest, lastPage, separator: separatorOf(book), release })
    return attachStreamedContent(ItemContent.parse(fields), text)
  } catch (error) {
    release()
    throw error
  }
}

async function readFrom(
  ctx: Call & ContentStores & PublicAddress,
  { book, from, maxCost }: { book: AccessibleBook; from: number; maxCost: number },
) {
  const manifest = await currentManifest(ctx, book)
  if (!manifest) return { pages: [], nextPages: null }
  const ranges = clipRanges([{ from, to: book.pageCount }], lastReadablePage(book))
  const toc = await loadToc(ctx, book, manifest)
  return collectPages(ctx, { manifest, toc, ranges, maxPageCost: () => maxCost }, { remaining: maxCost })
}

interface ReturnedExtent {
  from: number
  nextPages: string | null
}

/**
 * The separator between pages: empty in Markdown, which restores the stored text byte for byte; pages of other formats
 * are separate texts.
 */
export function separatorOf({ sourceType }: Book): string {
  return sourceType === 'markdown' ? '' : '\n\n'
}

function joinPages(book: Book, pages: readonly Page[]): EncodedText {
  const separator = separatorOf(book)
  return {
    content: pages.map(({ content }) => content).join(separator),
    get json() {
      const parts = pages.map((page) => encodedContentOf(page)?.json ?? encodeText(page.content))
      const encodedSeparator = encodeText(separator)
      return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [encodedSeparator, part])))
    },
  }
}

function versionFields(ctx: PublicAddress, book: AccessibleBook, { from, nextPages }: ReturnedExtent) {
  const preview = book.access.previewPages !== null
  const { pagesReady, unfinished } = unfinishedFields(book)
  const whole = from === 1 && nextPages === null && !preview
  // An answer without pages cannot be mistaken for the whole book.
  if (whole && !pagesReady) return { version: book.version }
  return {
    version: null,
    versionWithheld: preview ? previewNotice(ctx, book) : (unfinished ?? partialNotice),
    truncated: nextPages !== null,
    ...(nextPages === null ? {} : { nextPages }),
  }
}

const partialNotice =
  'This is only part of the book. To change a page, pass freshness.contentVersion as expectedVersion.'

function previewNotice(ctx: PublicAddress, book: AccessibleBook): string {
  const readable = `the first ${lastReadablePage(book)} of ${book.pageCount} pages`
  return `This is a preview: ${readable}. The whole book needs a Pro plan: ${upgradeUrl(ctx)}`
}
