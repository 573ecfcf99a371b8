import type { AccessibleBook } from '../books/access.ts'
import type { Manifest } from './manifest.ts'
import type { ContentStores } from './store.ts'

/**
 * One version of a book, the current one when none is named; null when the book never had it, or has no text yet. Of a
 * preview only the current version can be read: its pages may have stood behind the preview before.
 */
export async function findReadableVersion(
  ctx: ContentStores,
  book: AccessibleBook,
  version = book.version,
): Promise<Manifest | null> {
  // A version that is not published yet may be stored already.
  if (version < 1 || version > book.version) return null
  if (version !== book.version && book.access.previewPages !== null) return null
  return ctx.contents.getManifest(book.id, version)
}

/** The last page of a version that the caller may read. */
export function lastReadablePageOf({ access }: AccessibleBook, { pageCount }: Manifest): number {
  return Math.min(pageCount, access.previewPages ?? pageCount)
}
