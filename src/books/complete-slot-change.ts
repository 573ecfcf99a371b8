import type { PendingSlotChange } from '../core/account.ts'
import { binBook, type BinningStores } from './bin-book.ts'
import { confirmRow } from './add-new-book.ts'
import { removeBook } from './remove-book.ts'
import { returnBook } from './return-book.ts'

/**
 * Completes a pending change of the slot of an owned book, which another call makes or a crash has interrupted.
 * Idempotent. Returns false for a taken slot that no book uses yet, because its call may be about to use it.
 */
export async function completeSlotChange(
  stores: BinningStores,
  ownerId: string,
  { id: changeId, itemId: id, change }: PendingSlotChange,
): Promise<boolean> {
  if (change === 'discard') await binBook(stores, { ownerId, id, markId: changeId })
  else if (change === 'free') await removeBook(stores, { ownerId, id }, changeId)
  else return completeTakenSlot(stores, { ownerId, id, changeId })
  return true
}

async function completeTakenSlot(
  stores: BinningStores,
  { ownerId, id, changeId }: { ownerId: string; id: string; changeId: string },
): Promise<boolean> {
  const { accounts, books } = stores
  // A create takes its slot under the id of its book, a return under another one.
  if (changeId !== id) return returnBook(stores, { ownerId, id }, changeId)
  if (!(await confirmRow(books, { ownerId, id }))) return false
  await accounts.confirmSlot(ownerId, { id: changeId, itemId: id })
  return true
}
