import { newId } from '../core/ids.ts'
import type { BinnedBook } from './bin-store.ts'
import { hideDeleted, type BinningStores } from './bin-book.ts'
import type { Book } from './book.ts'

/**
 * Takes a book out of the bin with the taken slot `slotChangeId`, confirms the slot, and puts the book back on those of
 * its shelves that still exist; completes a return that has begun with another slot. With null, only does the latter.
 * Idempotent. Returns false if the slot was not used.
 */
export async function returnBook(
  stores: BinningStores,
  { ownerId, id }: Pick<Book, 'ownerId' | 'id'>,
  slotChangeId: string | null,
): Promise<boolean> {
  const { accounts, books, bin, bookEvents } = stores
  const entry =
    slotChangeId === null ? await findReturn(stores, { ownerId, id }) : await bin.claimReturn(ownerId, id, slotChangeId)
  if (!entry || !(await hasSlot(stores, entry)) || !(await addRow(stores, entry))) return false
  await restoreShelves(stores, entry)
  // Confirmed before the return ends, so that a call that finds no return releases only a slot that no book uses.
  await accounts.confirmSlot(ownerId, { id: entry.token, itemId: id })
  const ended = await bin.endReturn(ownerId, id, entry.token)
  // Deleted again in the meantime, so its places on shelves are removed, too.
  if (!ended && (await books.findOwned(ownerId, [id])).length === 0) await hideDeleted(stores, { ownerId, id })
  else await bookEvents.added({ ownerId, id })
  return entry.token === slotChangeId
}

async function findReturn({ bin }: BinningStores, { ownerId, id }: Pick<Book, 'ownerId' | 'id'>) {
  const entry = await bin.find(ownerId, id)
  return entry?.state === 'restoring' ? entry : null
}

/**
 * True if the slot of a return is pending, or the book is back. Otherwise another call has used the slot for an earlier
 * return of the book, after which it was deleted again, and this return is reverted.
 */
async function hasSlot({ accounts, books, bin }: BinningStores, { ownerId, id, token }: BinnedBook): Promise<boolean> {
  const account = await accounts.byId(ownerId)
  if (account?.pending.some((slot) => slot.id === token && slot.itemId === id)) return true
  // Checked last: the row is added before the slot is confirmed.
  if ((await books.findOwned(ownerId, [id])).length > 0) return true
  await bin.dropReturn(ownerId, id, token)
  return false
}

const batchSize = 200

/** Ends returns whose slot is confirmed and whose call has died. */
export async function endReturns(stores: BinningStores): Promise<void> {
  for (const { ownerId, id } of await stores.bin.listReturning(batchSize)) {
    const account = await stores.accounts.byId(ownerId)
    if (account?.pending.some(({ itemId }) => itemId === id)) continue
    if ((await stores.books.findOwned(ownerId, [id])).length > 0) await returnBook(stores, { ownerId, id }, null)
  }
}

/** Adds the row of a book; false if another call had brought it back and it was deleted again. */
async function addRow({ books, bin, now }: BinningStores, { ownerId, id, book, token }: BinnedBook): Promise<boolean> {
  if (!(await books.add(returnedBook(book, now())))) return true
  const current = await bin.find(ownerId, id)
  if (!current || current.token === token) return true
  await books.remove(ownerId, id)
  return false
}

/** The state of a returned book: on no marketplace, and without a job. */
function returnedBook(book: Book, at: Date): Book {
  return {
    ...book,
    ...(book.status === 'PROCESSING' ? stoppedImport(book) : {}),
    jobId: null,
    proOnly: false,
    freeUntil: null,
    featuredUntil: null,
    publishedAt: null,
    indexDue: newId(),
    updatedAt: at,
  }
}

function stoppedImport({ version }: Book): Partial<Book> {
  if (version > 0) return { status: 'READY' }
  const healthReason = 'The import ended when the book was deleted. Import its file again (reprocess).'
  return { status: 'FAILED', health: 'failed', healthReason, pageCount: 0, unfinished: null }
}

async function restoreShelves({ shelves, placements }: BinningStores, entry: BinnedBook): Promise<void> {
  const { ownerId, id, shelfIds } = entry
  if (shelfIds.length === 0) return
  const existing = new Set((await shelves.list(ownerId)).map((shelf) => shelf.id))
  const kept = shelfIds.filter((shelfId) => existing.has(shelfId))
  if (kept.length > 0)
    await placements.add(
      ownerId,
      kept.map((shelfId) => ({ shelfId, itemId: id })),
    )
}
