import { AppError } from '../core/errors.ts'
import { findAccessibleBooks } from './access.ts'
import { markRemoving } from './mark-removing.ts'
import { trimBin } from './bin.ts'
import { binBook, type BinningStores } from './bin-book.ts'
import type { DeletedItems, DeleteItems } from './schema.ts'
import type { Call } from '../core/context.ts'
import type { GrantStores } from './access.ts'

/**
 * Deletes books of the caller: moves them to the bin for 7 days and releases their slots at once. Returns ids of other
 * accounts' and unknown books in `notFound`. Refuses the whole call with FORBIDDEN if it names a built-in book.
 */
export async function deleteItems(
  ctx: Call & BinningStores & GrantStores,
  { ids }: DeleteItems,
): Promise<DeletedItems> {
  const requestedIds = [...new Set(ids)]
  const accessible = await findAccessibleBooks(ctx, requestedIds)
  if (accessible.some(({ access }) => access.kind === 'system')) {
    throw new AppError('FORBIDDEN', 'System books cannot be deleted')
  }
  const owned = new Set(accessible.filter(({ access }) => access.kind === 'own').map(({ id }) => id))
  const ownIds = requestedIds.filter((id) => owned.has(id))
  const ownerId = ctx.actor.id
  const { markId, ids: deleted } = await markRemoving(ctx, ownerId, { itemIds: ownIds, change: 'discard' })
  const storageErrors: string[] = []
  for (const id of deleted) {
    if (!(await binBook(ctx, { ownerId, id, markId }))) storageErrors.push(id)
  }
  if (deleted.length > 0) await trimBin(ctx)
  const deletedIds = new Set(deleted)
  const notFound = requestedIds.filter((id) => !deletedIds.has(id))
  return { deleted, notFound, ...(storageErrors.length > 0 ? { storageErrors } : {}) }
}
