import type { Clock } from '../core/context.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { BookStores } from './store.ts'

/**
 * Notes that owned books are about to go, and returns those that are still there. Without the second look a call that
 * was overtaken by another one would give back the same slot again.
 */
export async function announceRemoval(
  { accounts, books, now }: Clock & AccountStores & BookStores,
  accountId: string,
  itemIds: readonly string[],
): Promise<string[]> {
  if (itemIds.length === 0) return []
  const announcement = await accounts.announceFree(accountId, itemIds, now())
  const there = new Set((await books.owned(accountId, itemIds)).map(({ id }) => id))
  const gone = itemIds.filter((id) => !there.has(id))
  if (gone.length > 0) await accounts.withdrawFree(accountId, gone, announcement)
  return itemIds.filter((id) => there.has(id))
}
