import { AppError } from '../core/errors.ts'
import { accessibleBooks } from './access.ts'
import { announceRemoval } from './mark-removing.ts'
import { removeBook } from './remove-book.ts'
import type { DeletedItems, DeleteItems } from './schema.ts'
import type { Call } from '../core/context.ts'
import type { RemovalStores } from './remove-book.ts'
import type { GrantStores } from './access.ts'

/** Deletes own books for good. Ids that the caller does not own come back in `notFound`. */
export async function deleteItems(
  ctx: Call & RemovalStores & GrantStores,
  { ids }: DeleteItems,
): Promise<DeletedItems> {
  const wanted = [...new Set(ids)]
  const readable = await accessibleBooks(ctx, wanted)
  if (readable.some(({ access }) => access.kind === 'system')) {
    throw new AppError('FORBIDDEN', 'System books cannot be deleted')
  }
  const owned = new Set(readable.filter(({ access }) => access.kind === 'own').map(({ id }) => id))
  const own = wanted.filter((id) => owned.has(id))
  const deleted = await announceRemoval(ctx, ctx.actor.id, own)
  const storageErrors: string[] = []
  for (const id of deleted) {
    if (!(await removeBook(ctx, ctx.actor.id, id))) storageErrors.push(id)
  }
  const gone = new Set(deleted)
  const notFound = wanted.filter((id) => !gone.has(id))
  return { deleted, notFound, ...(storageErrors.length > 0 ? { storageErrors } : {}) }
}
