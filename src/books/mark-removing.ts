import type { Clock } from '../core/context.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { BookStores } from './store.ts'

/**
 * Marks the slots of books before they are removed (`free`) or moved to the bin (`discard`); returns the mark and the
 * books that still exist. Checking after marking prevents a double release of a slot if another call removes the same
 * book.
 */
export async function markRemoving(
  { accounts, books, now }: Clock & AccountStores & BookStores,
  accountId: string,
  { itemIds, change = 'free' }: { itemIds: readonly string[]; change?: 'free' | 'discard' },
): Promise<{ markId: string; ids: string[] }> {
  if (itemIds.length === 0) return { markId: '', ids: [] }
  const markId = await accounts.markSlotsReleasing(accountId, itemIds, { change, at: now() })
  const existing = new Set((await books.findOwned(accountId, itemIds)).map(({ id }) => id))
  const alreadyRemoved = itemIds.filter((id) => !existing.has(id))
  if (alreadyRemoved.length > 0) await accounts.unmarkSlotsReleasing(accountId, alreadyRemoved, markId)
  return { markId, ids: itemIds.filter((id) => existing.has(id)) }
}
