import { newId } from '../core/ids.ts'
import type { BinnedBook } from './bin-store.ts'
import type { BinningStores } from './bin-book.ts'
import type { Book } from './book.ts'

/**
 * Takes a book out of the bin after its slot was taken, confirms the slot, and puts the book back on those of its
 * shelves that still exist. Idempotent: a repeat completes what a crash interrupted. Of concurrent calls, the one that
 * ends the return confirms the slot, because another one could confirm a slot that a third has taken since. False if
 * the book is no longer in the bin; then the caller releases the slot that it took.
 */
export async function returnBook(stores: BinningStores, ownerId: string, id: string): Promise<boolean> {
  const { accounts, books, bin, bookEvents } = stores
  const entry = await bin.claimReturn(ownerId, id, newId())
  if (!entry || !(await addRow(stores, entry))) return false
  await restoreShelves(stores, entry)
  const ended = await bin.endReturn(ownerId, id, entry.token)
  if (ended) await accounts.confirmSlot(ownerId, id)
  // Deleted again in the meantime, so its places on shelves are removed, too.
  if (!ended && (await books.findOwned(ownerId, [id])).length === 0) await bookEvents.deleted({ ownerId, id })
  else await bookEvents.added({ ownerId, id })
  return true
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
