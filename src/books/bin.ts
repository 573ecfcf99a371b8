import type { Call, Clock } from '../core/context.ts'
import type { Plan } from '../core/plan.ts'
import type { BinStores } from './bin-store.ts'
import type { Book } from './book.ts'
import { removeBook, type RemovalStores } from './remove-book.ts'
import type { BookStores } from './store.ts'

/** How long a deleted book can be brought back, days. */
export const binDays = 7
export const binMs = binDays * 24 * 60 * 60 * 1000

/** Minimum capacity of a bin, also on the smallest plan: the number of books that one MCP call can delete. */
const minBooks = 50

/** When a deleted book is erased. */
export function erasedAt(deletedAt: Date): Date {
  return new Date(deletedAt.getTime() + binMs)
}

/**
 * True if the text and the file of a book without a row must be kept, because it can be brought back. Check this before
 * removing the text of a missing book.
 */
export async function isBookKept({ bin, books }: BinStores & BookStores, { id }: Pick<Book, 'id'>): Promise<boolean> {
  // A book that enters the bin has an entry before its row is removed; a book that returns has a row before its entry
  // is removed.
  if ((await bin.listKnown([id])).has(id)) return true
  if ((await books.byIds([id])).length > 0) return true
  return (await bin.listKnown([id])).has(id)
}

/**
 * Erases a book in the bin: its text, its file and its entry. Idempotent: a repeat completes an interrupted erasure.
 * False if it is not in the bin, or if a file could not be removed; then the sweep tries again.
 */
export async function eraseBinned(
  stores: RemovalStores & BinStores,
  { ownerId, id }: Pick<Book, 'ownerId' | 'id'>,
): Promise<boolean> {
  if (!(await stores.bin.claimErasure(ownerId, id))) return false
  // Never erases a book that is in the library, whatever its entry says.
  if ((await stores.books.findOwned(ownerId, [id])).length > 0) {
    await stores.bin.endErasure(ownerId, id)
    return false
  }
  if (!(await removeBook(stores, { ownerId, id }, null))) return false
  await stores.bin.endErasure(ownerId, id)
  return true
}

/** Erases everything in an account's bin; false if a file could not be removed. Idempotent. */
export async function eraseBin(stores: RemovalStores & BinStores, ownerId: string): Promise<boolean> {
  let complete = true
  for (const id of await stores.bin.claimErasureOfAll(ownerId)) {
    if (await removeBook(stores, { ownerId, id }, null)) await stores.bin.endErasure(ownerId, id)
    else complete = false
  }
  return complete
}

/**
 * Ends deletions from before `before` that no other call will end, because the mark of their slot is gone: one of two
 * concurrent deletions of a book has released it.
 */
export async function reconcileAccountDeletions(stores: RemovalStores & BinStores, before: Date): Promise<void> {
  const { accounts, books, bin, bookEvents } = stores
  for (const { ownerId, id, token } of await bin.listDeleting(before, batchSize)) {
    const account = await accounts.byId(ownerId)
    if (account?.pending.some(({ itemId }) => itemId === id)) continue
    if ((await books.findOwned(ownerId, [id])).length > 0) {
      await bin.dropDeletion(ownerId, id, token)
    } else {
      await bookEvents.deleted({ ownerId, id })
      await bin.keep(ownerId, id)
    }
  }
}

/** Erases the books whose retention in the bin has expired. */
export async function emptyBins(stores: Clock & RemovalStores & BinStores): Promise<void> {
  const before = new Date(stores.now().getTime() - binMs)
  for (;;) {
    const due = await stores.bin.listDue(before, batchSize)
    let erased = 0
    for (const book of due) if (await eraseBinned(stores, book)) erased += 1
    // The remaining books have files that cannot be removed now; the next sweep tries again.
    if (due.length < batchSize || erased === 0) return
  }
}

const batchSize = 200

/**
 * Limits the caller's bin to the size of the plan's library, in books and in bytes. Erases the books that were deleted
 * first, but never the most recently deleted one. Otherwise uploads and deletions could fill the disk.
 */
export async function trimBin(ctx: Call & RemovalStores & BinStores): Promise<void> {
  const { id: ownerId, plan } = ctx.actor
  for (const id of beyondPlan(await ctx.bin.listSizes(ownerId), plan)) await eraseBinned(ctx, { ownerId, id })
}

/** The ids of the books beyond the limits of a bin; `sizes` is sorted by most recent deletion. */
function beyondPlan(
  sizes: readonly { id: string; bytes: number }[],
  { itemLimit, storageMb }: Pick<Plan, 'itemLimit' | 'storageMb'>,
): string[] {
  const maxBytes = storageMb === null ? Infinity : storageMb * 1024 * 1024
  let bytes = 0
  const first = sizes.findIndex((size, at) => {
    bytes += size.bytes
    return at > 0 && (at >= Math.max(minBooks, itemLimit) || bytes > maxBytes)
  })
  return first < 0 ? [] : sizes.slice(first).map(({ id }) => id)
}
