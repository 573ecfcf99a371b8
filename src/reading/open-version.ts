import type { AccessibleBook, BookAccessStores } from '../books/access.ts'
import { itemNotFound } from '../books/find-book.ts'
import { AppError } from '../core/errors.ts'
import { openBooks } from './open-books.ts'
import { previewOnlyError } from './preview-only-error.ts'
import {
  lastReadablePageOf,
  findReadableVersion,
  versionNotFoundMessage,
  versionRemovedError,
} from './find-readable-version.ts'
import type { Manifest } from './manifest.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { ContentStores } from './store.ts'

export interface OpenedVersion {
  book: AccessibleBook
  manifest: Manifest
  /** The last page that the caller may read. */
  lastPage: number
}

/**
 * A version of a book, by default the current one; the readable part of an unfinished book is version 0. Refuses an
 * unknown book, an unknown or removed version and a book without text with NOT_FOUND, a locked book with ITEM_LOCKED,
 * and an earlier version of a preview with FORBIDDEN.
 */
export async function openVersion(
  ctx: Call & BookAccessStores & ContentStores & PublicAddress,
  id: string,
  version?: number,
): Promise<OpenedVersion> {
  const { open } = await openBooks(ctx, [id])
  const [book] = open
  if (!book) throw itemNotFound()
  const manifest = await findReadableVersion(ctx, book, version)
  if (manifest === 'removed') throw versionRemovedError()
  if (manifest) return { book, manifest, lastPage: lastReadablePageOf(book, manifest) }
  if (book.version === 0) throw new AppError('NOT_FOUND', withoutTextMessage(book))
  if (book.access.previewPages !== null && (version ?? 0) < book.version) throw previewOnlyError(ctx, book)
  throw new AppError('NOT_FOUND', await versionNotFoundMessage(ctx, book))
}

function withoutTextMessage({ status, healthReason }: AccessibleBook): string {
  if (status === 'FAILED') return `This book has no text: its import failed. ${healthReason ?? ''}`.trim()
  return 'This book has no text yet: its import is not finished. Try again later.'
}
