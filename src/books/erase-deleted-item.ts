import { eraseBinned } from './bin.ts'
import type { BinStores } from './bin-store.ts'
import type { EraseDeletedItem, ErasedItem } from './bin-schema.ts'
import { itemNotFound } from './find-book.ts'
import type { RemovalStores } from './remove-book.ts'
import type { Call } from '../core/context.ts'

/** Erases one of the caller's deleted books at once. Refuses one that is not in the bin with NOT_FOUND. */
export async function eraseDeletedItem(
  ctx: Call & RemovalStores & BinStores,
  { itemId }: EraseDeletedItem,
): Promise<ErasedItem> {
  const ownerId = ctx.actor.id
  const entry = await ctx.bin.find(ownerId, itemId)
  if (entry?.state !== 'kept' && entry?.state !== 'erasing') throw itemNotFound()
  const erased = await eraseBinned(ctx, { ownerId, id: itemId })
  if (erased) return { success: true }
  // Another call has brought the book back or erased it, or a file could not be removed.
  const current = await ctx.bin.find(ownerId, itemId)
  if (current && current.state !== 'erasing') throw itemNotFound()
  if (!current && (await ctx.books.findOwned(ownerId, [itemId])).length > 0) throw itemNotFound()
  return { success: true, ...(current ? { storageErrors: [itemId] } : {}) }
}
