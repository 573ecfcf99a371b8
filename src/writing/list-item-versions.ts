import { loadAccountNames } from '../accounts/load-account-names.ts'
import { chargeReads } from '../accounts/charge-reads.ts'
import { openHistory } from './open-history.ts'
import type { ItemVersions, ListItemVersions } from './schema.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { ContentStores } from '../reading/store.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { ReadStores } from '../accounts/read-meter.ts'

const maxVersions = 50

/**
 * The versions before the current one, newest first, at most 50. Callers who may not write do not see versions from
 * before the book became accessible to them. Refuses a preview with FORBIDDEN. Charges one read.
 */
export async function listItemVersions(
  ctx: Call & BookAccessStores & ContentStores & PublicAddress & AccountStores & ReadStores,
  { id }: ListItemVersions,
): Promise<ItemVersions> {
  const { book, fromVersion } = await openHistory(ctx, id)
  const entries = await ctx.contents.listHistory(id, { fromVersion, beforeVersion: book.version, limit: maxVersions })
  const nameOf = await loadAccountNames(
    ctx,
    entries.map(({ createdBy }) => createdBy),
  )
  await chargeReads(ctx, 1)
  return {
    currentVersion: book.version,
    versions: entries.map(({ version, createdAt, createdBy, client, reason, pageCount, bytes, purgedAt }) => ({
      version,
      createdAt: createdAt.toISOString(),
      createdBy: nameOf(createdBy),
      client: client ?? null,
      reason,
      pageCount,
      bytes,
      ...(purgedAt === undefined ? {} : { purgedAt: purgedAt.toISOString() }),
    })),
  }
}
