import type { AccessibleBook } from '../books/access.ts'
import type { Manifest } from './manifest.ts'
import type { ContentStores } from './store.ts'

/**
 * One version of a book, by default the current one; null when the book never had it or has no text yet. A preview has
 * only the current version: its pages may have been beyond the preview in an earlier one.
 */
export async function findReadableVersion(
  ctx: ContentStores,
  book: AccessibleBook,
  version = book.version,
): Promise<Manifest | null> {
  // An unpublished version may already be stored.
  if (version < 1 || version > book.version) return null
  if (version !== book.version && book.access.previewPages !== null) return null
  return ctx.contents.getManifest(book.id, version)
}

/** The last page of a version that the caller may read. */
export function lastReadablePageOf({ access }: AccessibleBook, { pageCount }: Manifest): number {
  return Math.min(pageCount, access.previewPages ?? pageCount)
}
