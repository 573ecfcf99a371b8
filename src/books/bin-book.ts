import type { BinStores } from './bin-store.ts'
import type { Book } from './book.ts'
import { removeBook, type RemovalStores } from './remove-book.ts'

/** The parts of the shelf stores that the bin needs; `shelves/` implements both. */
export interface ShelvingStores {
  shelves: { list(accountId: string): Promise<readonly { id: string; slug: string; name: string }[]> }
  placements: {
    list(
      accountId: string,
      only: { itemIds: readonly string[] },
    ): Promise<readonly { shelfId: string; itemId: string }[]>
    add(accountId: string, placements: readonly { shelfId: string; itemId: string }[]): Promise<unknown>
  }
}

export type BinningStores = RemovalStores & BinStores & ShelvingStores

/**
 * Moves an owned book into the bin and releases its slot. The book disappears for everybody at once, as if removed, but
 * its text and file stay. A reservation without a file is removed. `markId` is the mark of the slot (`markRemoving`).
 * Idempotent: a repeat with the same mark completes what a crash interrupted. Returns false if a file of a removed
 * reservation could not be removed.
 */
export async function binBook(stores: BinningStores, { ownerId, id, markId }: Deletion): Promise<boolean> {
  const { accounts, bin } = stores
  const outcome = await moveRow(stores, { ownerId, id, markId })
  if (outcome === 'overtaken') return true
  if (outcome === 'nothing kept') return removeBook(stores, { ownerId, id }, markId)
  await hideDeleted(stores, { ownerId, id })
  await bin.keep(ownerId, id)
  await accounts.releaseSlot(ownerId, { id: markId, itemId: id })
  return true
}

type Outcome = 'moved' | 'nothing kept' | 'overtaken'

interface Deletion {
  ownerId: string
  id: string
  markId: string
}

async function moveRow(stores: BinningStores, { ownerId, id, markId }: Deletion): Promise<Outcome> {
  const { books, bin, placements, now } = stores
  for (;;) {
    const entry = await bin.find(ownerId, id)
    const [book] = await books.findOwned(ownerId, [id])
    if (!book) return describeMissing(stores, { ownerId, id, markId })
    if (!(await isMarked(stores, { ownerId, id, markId }))) {
      await bin.dropDeletion(ownerId, id, markId)
      return 'overtaken'
    }
    if (book.status === 'DRAFT') return 'nothing kept'
    if (entry?.state === 'restoring') {
      // The row is back and its slot confirmed: only the end of the return is missing.
      await bin.endReturn(ownerId, id, entry.token)
      continue
    }
    const shelfIds = (await placements.list(ownerId, { itemIds: [id] })).map(({ shelfId }) => shelfId)
    // Stored first, so that there is always a row or an entry.
    if (!(await bin.put({ book, shelfIds, deletedAt: now(), token: markId }, entry))) continue
    // Removes the row only if it is unchanged; otherwise repeats with the changed row.
    if (await books.remove(ownerId, id, book)) return 'moved'
  }
}

/** What remains to be done for a book without a row. */
async function describeMissing(stores: BinningStores, { ownerId, id, markId }: Deletion): Promise<Outcome> {
  const { accounts, bin } = stores
  const entry = await bin.find(ownerId, id)
  // Checked last: the book cannot be brought back while it is marked.
  if (!(await isMarked(stores, { ownerId, id, markId }))) return 'overtaken'
  if (!entry) return 'nothing kept'
  if (entry.state === 'deleting' || entry.token === markId) return 'moved'
  // It was deleted before it was marked, so its slot was released already.
  await accounts.unmarkSlotsReleasing(ownerId, [id], markId)
  return 'overtaken'
}

/** False if another call has completed the deletion with this mark; the book may have been brought back since. */
async function isMarked({ accounts }: BinningStores, { ownerId, id, markId }: Deletion): Promise<boolean> {
  const account = await accounts.byId(ownerId)
  return account?.pending.some((slot) => slot.id === markId && slot.itemId === id) ?? false
}

/** Removes what makes a deleted book reachable, and adds it again if the book has been brought back meanwhile. */
export async function hideDeleted(
  { books, bookEvents }: BinningStores,
  { ownerId, id }: Pick<Book, 'ownerId' | 'id'>,
): Promise<void> {
  await bookEvents.deleted({ ownerId, id })
  if ((await books.findOwned(ownerId, [id])).length > 0) await bookEvents.added({ ownerId, id })
}
