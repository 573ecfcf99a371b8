import { loadAccountNames, type AccountNameStores } from '../accounts/load-account-names.ts'
import type { AccessibleBook } from '../books/access.ts'
import type { Call } from '../core/context.ts'
import { firstReadableVersion } from '../reading/find-readable-version.ts'
import type { ContentStores } from '../reading/store.ts'
import { presentVersions, type VersionEntry } from './version-entry.ts'

/**
 * The latest versions of an opened book including the current one, newest first. Callers who may not write do not see
 * versions from before the book became accessible to them; a preview has none. Charges nothing, because it is part of
 * the page that opened the book.
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
