import type { BinStores } from './bin-store.ts'
import { removeBook, type RemovalStores } from './remove-book.ts'

/** The shelf stores, as seen from the domain of books: `shelves/` implements both. */
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
export async function binBook(
  stores: BinningStores,
  { ownerId, id, markId }: { ownerId: string; id: string; markId: string },
): Promise<boolean> {
  const { accounts, bin, bookEvents } = stores
  const outcome = await moveRow(stores, { ownerId, id, markId })
  if (outcome === 'overtaken') return true
  if (outcome === 'nothing kept') return removeBook(stores, ownerId, id)
  await bookEvents.deleted({ id, ownerId })
  await bin.keep(ownerId, id)
  await accounts.releaseSlot(ownerId, id)
  return true
}

async function moveRow(
  { accounts, books, bin, placements, now }: BinningStores,
  { ownerId, id, markId }: { ownerId: string; id: string; markId: string },
): Promise<'moved' | 'nothing kept' | 'overtaken'> {
  for (;;) {
    const [book] = await books.findOwned(ownerId, [id])
    if (!book) return (await bin.listKnown([id])).has(id) ? 'moved' : 'nothing kept'
    if (book.status === 'DRAFT') return 'nothing kept'
    const account = await accounts.byId(ownerId)
    // Another call has deleted the book with this mark, and it has been brought back since.
    if (!account?.pending.some((slot) => slot.id === markId && slot.itemId === id)) {
      await bin.dropDeletion(ownerId, id, markId)
      return 'overtaken'
    }
    const shelfIds = (await placements.list(ownerId, { itemIds: [id] })).map(({ shelfId }) => shelfId)
    // Stored first, so that there is always a row or an entry.
    await bin.put({ book, shelfIds, deletedAt: now(), token: markId })
    // Removes the row only if it is unchanged; otherwise repeats with the changed row.
    if (await books.remove(ownerId, id, book)) return 'moved'
  }
}
