import { setTimeout as delay } from 'node:timers/promises'
import type { BinningStores } from './bin-book.ts'
import { completeSlotChange } from './complete-slot-change.ts'
import { bookChangingError } from './book-changing-error.ts'

interface Marks {
  /** The id of the pending changes. */
  markId: string
  /** The books that still exist, or that another call moves into the bin for this mark. */
  ids: string[]
}

const maxAttempts = 20
const retryDelayMs = 20

/**
 * Marks the slots of books before they are removed (`free`) or moved to the bin (`discard`); returns the mark and the
 * books that still exist. Completes changes of these books that are pending. Checking after marking prevents a double
 * release of a slot if another call removes the same book. Throws TRANSIENT_CONFLICT after 20 attempts.
 */
export async function markRemoving(
  stores: BinningStores,
  accountId: string,
  { itemIds, change = 'free' }: { itemIds: readonly string[]; change?: 'free' | 'discard' },
): Promise<Marks> {
  const { accounts, books, bin, now } = stores
  const findExisting = async (ids: readonly string[]) => {
    const existing = new Set((await books.findOwned(accountId, ids)).map(({ id }) => id))
    return ids.filter((id) => existing.has(id))
  }
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const present = await findExisting(itemIds)
    if (present.length === 0) return { markId: '', ids: [] }
    const markId = await accounts.markSlotsReleasing(accountId, present, { change, at: now() })
    if (markId !== null) {
      const existing = await findExisting(present)
      const missing = present.filter((id) => !existing.includes(id))
      // Another call may have begun to complete this mark.
      const entries = await Promise.all(missing.map((id) => bin.find(accountId, id)))
      const removed = missing.filter((_, at) => entries[at]?.token !== markId)
      if (removed.length > 0) await accounts.unmarkSlotsReleasing(accountId, removed, markId)
      return { markId, ids: present.filter((id) => !removed.includes(id)) }
    }
    if (!(await completeChanges(stores, accountId, present))) await delay(retryDelayMs)
  }
  throw bookChangingError()
}

/** Completes the pending changes of books; false if another call must complete one. */
async function completeChanges(stores: BinningStores, accountId: string, itemIds: readonly string[]): Promise<boolean> {
  const account = await stores.accounts.byId(accountId)
  const pending = account?.pending.filter(({ itemId }) => itemIds.includes(itemId)) ?? []
  let complete = true
  for (const slot of pending) complete = (await completeSlotChange(stores, accountId, slot)) && complete
  return complete
}
