import { isPendingSubscription } from '../marketplace/subscription-slot-store.ts'
import { eraseBin } from '../books/bin.ts'
import type { BinningStores } from '../books/bin-book.ts'
import { markRemoving } from '../books/mark-removing.ts'
import { removeBook } from '../books/remove-book.ts'

const batchSize = 50

/**
 * Removes all books of an account with their files, including those in the bin; false if a file could not be removed.
 * Idempotent: a repeat continues after a crash or a failure.
 */
export async function removeLibrary(stores: BinningStores, accountId: string): Promise<boolean> {
  const { accounts, books } = stores
  let complete = true
  for (;;) {
    const ids = (await books.listOldest(accountId, batchSize)).map(({ id }) => id)
    if (ids.length === 0) break
    const { ids: existing, markId } = await markRemoving(stores, accountId, { itemIds: ids })
    for (const id of existing) await removeBook(stores, { ownerId: accountId, id }, markId)
  }
  complete = await eraseBin(stores, accountId)
  // Books whose file could not be removed before, and books that were being created during a crash.
  const account = await accounts.byId(accountId)
  const pendingOwn = account?.pending.filter((pending) => !isPendingSubscription(pending)) ?? []
  for (const { id, itemId } of pendingOwn) {
    complete = (await removeBook(stores, { ownerId: accountId, id: itemId }, id)) && complete
  }
  return complete
}
