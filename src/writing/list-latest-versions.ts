import { loadAccountNames, type AccountNameStores } from '../accounts/load-account-names.ts'
import type { AccessibleBook } from '../books/access.ts'
import type { Call } from '../core/context.ts'
import { firstReadableVersion } from '../reading/find-readable-version.ts'
import type { ContentStores } from '../reading/store.ts'
import { presentVersions, type VersionEntry } from './version-entry.ts'

/**
 * The latest versions of an opened book with the current one, newest first; for mere readers not those from before the
 * book reached them, and none of a preview. Charges nothing: it is a part of the page that opened the book.
 */
export async function listLatestVersions(
  ctx: Call & AccountNameStores & ContentStores,
  book: AccessibleBook,
  limit: number,
): Promise<VersionEntry[]> {
  if (book.access.previewPages !== null) return []
  const fromVersion = await firstReadableVersion(ctx, book)
  const rows = await ctx.contents.listHistory(book.id, { fromVersion, beforeVersion: book.version + 1, limit })
  const nameOf = await loadAccountNames(
    ctx,
    rows.map(({ createdBy }) => createdBy),
  )
  return rows.map(presentVersions(book, nameOf))
}
