import type { Book } from '../books/book.ts'
import { unfinishedFields } from '../books/unfinished.ts'
import { AppError } from '../core/errors.ts'
import { createChapterLookup } from './toc-tree.ts'
import { chargeAndRecordReads } from './charge-and-record-reads.ts'
import { openVersion, type OpenedVersion } from './open-version.ts'
import { previewOnlyError } from './preview-only-error.ts'
import { pageRefs } from './store.ts'
import { retryIfPagesMissing, currentManifest, loadPages } from './unfinished-manifest.ts'
import { type Manifest, type OutlineEntry } from './manifest.ts'
import { loadToc } from './load-toc.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { ContentStores } from './store.ts'
import type { ReadStores } from '../accounts/read-meter.ts'
import type { SessionStores } from '../research/session-store.ts'
import type { ReadLogStores } from '../research/read-log-store.ts'
import { counted } from '../text/counted.ts'

interface PageRequest {
  id: string
  pageNum: number
  /** Default: the current version. */
  version?: number | undefined
}

/** A page of a version, for people. */
export interface PageView extends OpenedVersion {
  pageNum: number
  content: string
  label: string | null
  /** Confidence of text recognition, 0 to 100; null for text from the file, and for written text. */
  ocr: number | null
  /** Titles of the chapters that contain the page, outermost first. */
  chapter: string[]
  /** True if the page differs in the current version. */
  changed: boolean
  toc: readonly OutlineEntry[]
}

/**
 * A page of a book in the requested version. Refuses like `openVersion`, and a page beyond a preview with FORBIDDEN.
 * Charges one read.
 */
export async function readPage(
  ctx: Call & BookAccessStores & ContentStores & PublicAddress & ReadStores & SessionStores & ReadLogStores,
  request: PageRequest,
): Promise<PageView> {
  return retryIfPagesMissing(() => readOnce(ctx, request))
}

async function readOnce(
  ctx: Call & BookAccessStores & ContentStores & PublicAddress & ReadStores & SessionStores & ReadLogStores,
  { id, pageNum, version }: PageRequest,
): Promise<PageView> {
  const opened = await openVersion(ctx, id, version)
  const { book, manifest, lastPage } = opened
  const [ref] = pageRefs(manifest, pageNum, pageNum)
  if (!ref) throw pageNotFound(book, { pageNum, pageCount: manifest.pageCount })
  if (pageNum > lastPage) throw previewOnlyError(ctx, book)
  const [[page], toc, current] = await Promise.all([
    loadPages(ctx, manifest, [ref]),
    loadToc(ctx, book, manifest),
    currentManifest(ctx, book),
  ])
  const { content = '', label = null, ocr = null } = page ?? {}
  const changed = current ? !hasPage(current, { pageNum, id: ref.id }) : false
  await chargeAndRecordReads(ctx, [{ ...book, pages: [{ content, pageNum }] }])
  return { ...opened, pageNum, content, label, ocr, chapter: createChapterLookup(toc)(pageNum), changed, toc }
}

/** The refusal of a page that a version does not have, or that an unfinished book does not have yet. */
function pageNotFound(book: Book, { pageNum, pageCount }: { pageNum: number; pageCount: number }): AppError {
  const { unfinished } = unfinishedFields(book)
  const reason =
    unfinished === undefined
      ? `not found: this book has ${counted(pageCount, 'page')}.`
      : `is not there yet. ${unfinished}`
  return new AppError('NOT_FOUND', `Page ${pageNum} ${reason}`)
}

function hasPage(manifest: Manifest, { pageNum, id }: { pageNum: number; id: string }): boolean {
  const [ref] = pageRefs(manifest, pageNum, pageNum)
  return ref?.id === id
}

/** The outline of a version, for people. */
export interface OutlineView extends OpenedVersion {
  toc: readonly OutlineEntry[]
}

/** The outline of a book in the requested version. Refuses like `openVersion`. Charges one read. */
export async function readOutline(
  ctx: Call & BookAccessStores & ContentStores & ReadStores & PublicAddress & SessionStores & ReadLogStores,
  { id, version }: Omit<PageRequest, 'pageNum'>,
): Promise<OutlineView> {
  const opened = await openVersion(ctx, id, version)
  const toc = await loadToc(ctx, opened.book, opened.manifest)
  await chargeAndRecordReads(ctx, [opened.book])
  return { ...opened, toc }
}
