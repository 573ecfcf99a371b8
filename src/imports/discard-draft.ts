import { markRemoving } from '../books/mark-removing.ts'
import type { BinningStores } from '../books/bin-book.ts'
import { removeBook } from '../books/remove-book.ts'
import type { Call } from '../core/context.ts'

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
