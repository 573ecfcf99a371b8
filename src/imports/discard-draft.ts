import { markRemoving } from '../books/mark-removing.ts'
import type { BinningStores } from '../books/bin-book.ts'
import { removeBook } from '../books/remove-book.ts'
import type { Call } from '../core/context.ts'
import { isStoreUnavailable } from '../core/errors.ts'

/**
 * Removes a book of the caller whose file was refused, and releases its slot. Only books with the status DRAFT are
 * removed.
 */
export async function discardDraft(ctx: Call & BinningStores, itemId: string): Promise<void> {
  const ownerId = ctx.actor.id
  const [book] = await ctx.books.findOwned(ownerId, [itemId])
  if (book?.status !== 'DRAFT') return
  const { ids, markId } = await markRemoving(ctx, ownerId, { itemIds: [itemId] })
  for (const id of ids) await removeBook(ctx, { ownerId, id }, markId)
}

/**
 * Discards the draft of a file that was refused for `reason` (null: cancelled). A failure is logged, and the cleanup
 * discards it within a day. Does not wait if a store is unavailable, because then every further request to it takes
 * seconds; but a call with a key does, because its repeat is for the same book.
 */
export async function discardRefused(ctx: Call & BinningStores, itemId: string, reason: unknown): Promise<void> {
  const discarded = discardDraft(ctx, itemId).catch((err: unknown) =>
    ctx.log.warn({ err, itemId }, 'could not remove a refused book'),
  )
  if (ctx.idempotencyKey !== null || !isStoreUnavailable(reason)) await discarded
}
