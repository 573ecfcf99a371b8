import { findAccessibleBook } from '../../books/find-book.ts'
import type { AccessibleBook, BookAccessStores } from '../../books/access.ts'
import type { Book } from '../../books/book.ts'
import { coverOf } from '../../books/cover.ts'
import { AppError } from '../../core/errors.ts'
import type { Call } from '../../core/context.ts'
import type { ExtractionErrorCode } from '../extract/extraction-error.ts'
import { readSmallFile } from '../../files/small-files.ts'
import type { FileStores } from '../../files/store.ts'
import type { ContentStores } from '../../reading/store.ts'
import { pictureOfPage, sourceOf, type FoundPicture } from './find-page-picture.ts'
import { loadPicture, type PictureServices, type PictureSource } from './pictures.ts'
import { pictureTag, type Picture } from './picture-store.ts'

/** Width of a cover, pixels: twice the width in a list. */
const coverWidth = 320

/**
 * The cover picture of a book: the first page of a PDF, or the cover that an EPUB, MOBI, AZW3 or FictionBook declares.
 * Refuses an unknown book and one without a picture with NOT_FOUND. Stores with the book whether it has one, so that
 * lists need not ask.
 */
export async function findCover(
  ctx: Call & BookAccessStores & ContentStores & FileStores & PictureServices,
  { id }: { id: string },
): Promise<FoundPicture> {
  const book = await findAccessibleBook(ctx, id)
  const { ownCover } = book
  if (ownCover) return { tag: `"${ownCover.sha256.slice(0, 32)}"`, load: () => loadOwnCover(ctx, ownCover) }
  const page = coverOf(book) === 'none' || book.version === 0 ? null : await coverPage(ctx, book)
  const source = page === null ? null : sourceOf(book, { page, width: coverWidth })
  if (!source) throw noCoverError()
  return { tag: pictureTag(source), load: () => loadCover(ctx, book, source) }
}

async function loadOwnCover(
  { files }: FileStores,
  { storageKey, mediaType }: NonNullable<Book['ownCover']>,
): Promise<Picture> {
  const bytes = await readSmallFile(files, storageKey)
  if (!bytes) throw noCoverError()
  return { mediaType, bytes }
}

/**
 * The page of the file that is the cover; null if the caller may not see that page, or it is no longer part of the
 * book.
 */
async function coverPage(ctx: ContentStores, book: AccessibleBook): Promise<number | null> {
  if (book.sourceType !== 'pdf') return 1
  const manifest = await ctx.contents.getManifest(book.id, book.version)
  if (!manifest || book.access.previewPages === 0) return null
  return pictureOfPage({ book, manifest }, 1)?.page ?? null
}

async function loadCover(
  ctx: Call & BookAccessStores & FileStores & PictureServices,
  book: AccessibleBook,
  source: PictureSource,
): Promise<Picture> {
  const remember = async (cover: 'file' | 'none') => {
    if (book.cover !== cover) await ctx.books.change(book.ownerId, book.id, { set: { cover } })
  }
  try {
    const picture = await loadPicture(ctx, source)
    await remember('file')
    return picture
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error
    const failure = ctx.pictures.store.failureOf(source)
    // Drawing a picture that took too long may succeed later.
    if (failure !== null && lasting.has(failure)) await remember('none')
    throw noCoverError()
  }
}

/** Failures that recur with the same file. */
const lasting: ReadonlySet<ExtractionErrorCode> = new Set([
  'ENCRYPTED',
  'WRONG_PASSWORD',
  'TOO_DEEP',
  'DRM',
  'BROKEN',
  'UNREAD_OFFICE',
  'TOO_LARGE',
  'EMPTY',
])

function noCoverError(): AppError {
  return new AppError('NOT_FOUND', 'This book has no picture for its cover.')
}
