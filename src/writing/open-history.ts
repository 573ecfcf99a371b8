import { upgradeUrl } from '../accounts/charge-reads.ts'
import type { AccessibleBook, BookAccessStores } from '../books/access.ts'
import { itemNotFound } from '../books/find-book.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import { firstReadableVersion } from '../reading/find-readable-version.ts'
import { openBooks } from '../reading/open-books.ts'
import type { ContentStores } from '../reading/store.ts'

/**
 * Opens the history of a book, with the earliest version that the caller may see. Refuses a book outside the library
 * with NOT_FOUND, and a preview with FORBIDDEN.
 */
export async function openHistory(
  ctx: Call & BookAccessStores & ContentStores & PublicAddress,
  id: string,
): Promise<{ book: AccessibleBook; fromVersion: number }> {
  const { open } = await openBooks(ctx, [id])
  const [book] = open
  if (!book) throw itemNotFound()
  if (book.access.previewPages !== null) {
    const message = `The versions of a Pro book need a plan that reads it in full: ${upgradeUrl(ctx)}`
    throw new AppError('FORBIDDEN', message, { details: { upgradeUrl: upgradeUrl(ctx) } })
  }
  return { book, fromVersion: await firstReadableVersion(ctx, book) }
}
