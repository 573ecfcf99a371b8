import { canWrite, type AccessibleBook, type BookAccessStores } from '../../books/access.ts'
import { AppError } from '../../core/errors.ts'
import type { Call, PublicAddress } from '../../core/context.ts'
import type { FileStores } from '../../files/store.ts'
import { openVersion, type OpenedVersion } from '../../reading/open-version.ts'
import { previewOnlyError } from '../../reading/preview-only-error.ts'
import type { ContentStores } from '../../reading/store.ts'
import { filePageOf, type FilePage } from './file-page.ts'
import { loadPicture, type PictureServices, type PictureSource } from './pictures.ts'
import { pictureTag, type Picture } from './picture-store.ts'
import { counted } from '../../text/counted.ts'

/** The available widths of page pictures, pixels. */
export const pageWidths = [600, 1200] as const
export type PageWidth = (typeof pageWidths)[number]

interface PagePictureRequest {
  id: string
  pageNum: number
  /** Default: the current version. */
  version?: number | undefined
  width: PageWidth
}

/** A picture that the caller may see; it is drawn on demand. */
export interface FoundPicture {
  /** An entity tag, which changes with the picture. */
  tag: string
  /** Loads the picture; refuses like `loadPicture`. */
  load(): Promise<Picture>
}

/**
 * The page of the original file for a page of a version; null if the file is not a PDF, or the page does not come from
 * it. Only writers of a book see the former picture of a rewritten page, because readers may not see removed text.
 */
export function pictureOfPage(
  { book, manifest }: Pick<OpenedVersion, 'book' | 'manifest'>,
  pageNum: number,
): FilePage | null {
  if (book.sourceType !== 'pdf' || !book.original) return null
  const found = filePageOf(manifest, pageNum)
  return found && (found.exact || canWrite(book)) ? found : null
}

/**
 * The picture of a PDF page. Everybody who may read the page may see it: refuses like `openVersion`, a page beyond a
 * preview with FORBIDDEN, and a page without a picture with NOT_FOUND. Charges nothing, because the page was charged
 * when it was read.
 */
export async function findPagePicture(
  ctx: Call & BookAccessStores & ContentStores & PublicAddress & FileStores & PictureServices,
  { id, pageNum, version, width }: PagePictureRequest,
): Promise<FoundPicture> {
  const opened = await openVersion(ctx, id, version)
  const { book, manifest, lastPage } = opened
  if (pageNum > manifest.pageCount)
    throw new AppError('NOT_FOUND', `Page ${pageNum} not found: this book has ${counted(manifest.pageCount, 'page')}.`)
  if (pageNum > lastPage) throw previewOnlyError(ctx, book)
  const found = pictureOfPage(opened, pageNum)
  const source = found && sourceOf(book, { page: found.page, width })
  if (!source) throw new AppError('NOT_FOUND', 'This page has no picture: it does not come from a PDF file.')
  return { tag: pictureTag(source), load: () => loadPicture(ctx, source) }
}

/** What to draw from the file of a book; null if there is no file that can be drawn. */
export function sourceOf(
  { id, ownerId, sourceType, original }: AccessibleBook,
  { page, width }: { page: number; width: number },
): PictureSource | null {
  if (!original || sourceType === 'markdown') return null
  const { storageKey, bytes } = original
  return { itemId: id, ownerId, storageKey, fileBytes: bytes, sourceType, page, width }
}
