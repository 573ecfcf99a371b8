import type { AuditServices } from '../accounts/audit.ts'
import { findOwnBook } from '../books/find-book.ts'
import type { BinStores } from '../books/bin-store.ts'
import type { BookAccessStores } from '../books/access.ts'
import { AppError } from '../core/errors.ts'
import { counted } from '../text/counted.ts'
import type { Call } from '../core/context.ts'
import type { Manifest } from '../reading/manifest.ts'
import type { ContentStores } from '../reading/store.ts'
import { completePurge } from './complete-purge.ts'
import type { PurgedVersion, PurgeItemVersion } from './schema.ts'

/**
 * Permanently removes the text of an earlier version of one of the caller's books. The version stays in the list, and
 * its pages report that the owner has removed them. Other versions keep the pages that they share. Idempotent. Refuses
 * an unknown version (NOT_FOUND), the current one (CONFLICT), and a call without `confirm` (INVALID_INPUT).
 */
export async function purgeItemVersion(
  ctx: Call & BookAccessStores & BinStores & ContentStores & AuditServices,
  { itemId, version, confirm }: PurgeItemVersion,
): Promise<PurgedVersion> {
  const book = await findOwnBook(ctx, itemId, 'Only the owner may remove a version of a book')
  const manifest = version <= book.version ? await ctx.contents.findSealedManifest(itemId, version) : null
  if (!manifest) throw versionNotFound(version, book.version)
  if (version === book.version) {
    const message = `Version ${version} is the current text. Write the book without what should go, then remove version ${version}.`
    throw new AppError('CONFLICT', message, { details: { currentVersion: version } })
  }
  if (confirm !== true && manifest.purgedAt === undefined) throw unconfirmedError(manifest)
  const purge = { itemId, version, ownerId: book.ownerId }
  const purgedAt = await ctx.contents.markPurged(purge, ctx.now())
  // The book was deleted in the meantime.
  if (!purgedAt) throw versionNotFound(version, book.version)
  await ctx.audit.record({ type: 'version_removed', by: ctx, detail: { item: itemId, version } })
  await completePurge(ctx, purge)
  return { itemId, version, purgedAt: purgedAt.toISOString() }
}

function versionNotFound(version: number, current: number): AppError {
  return new AppError(
    'NOT_FOUND',
    `Version ${version} not found: the book is at version ${current}. list_item_versions lists earlier ones.`,
  )
}

function unconfirmedError({ version, pageCount, bytes, createdAt }: Manifest): AppError {
  const message =
    `This removes version ${version} of ${createdAt.toISOString()} (${counted(pageCount, 'page')}, ${bytes} bytes) for good: it cannot be ` +
    'restored, and citations of it lead to a page that says so. Ask the user, then call again with confirm: true.'
  return new AppError('INVALID_INPUT', message)
}
