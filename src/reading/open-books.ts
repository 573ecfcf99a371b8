import { findAccessibleBooks, type AccessibleBook } from '../books/access.ts'
import { loadLockCheck, presentLocked, itemLockedError } from '../books/book-locks.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'

export interface OpenedBooks {
  /** The readable books in the order requested, without duplicates. */
  open: AccessibleBook[]
  notFound: string[]
  locked: ReturnType<typeof presentLocked>[]
}

/** Finds the books of a reading call. Refuses with ITEM_LOCKED if all found books are locked. */
export async function openBooks(
  ctx: Call & BookAccessStores & PublicAddress,
  ids: readonly string[],
): Promise<OpenedBooks> {
  const uniqueIds = [...new Set(ids)]
  const [found, isLocked] = await Promise.all([findAccessibleBooks(ctx, uniqueIds), loadLockCheck(ctx)])
  const byId = new Map(found.map((book) => [book.id, book]))
  const books = uniqueIds.map((id) => byId.get(id)).filter((book) => book !== undefined)
  const locked = books.filter(isLocked)
  if (locked.length > 0 && locked.length === books.length) throw itemLockedError(ctx, locked)
  return {
    open: books.filter((book) => !isLocked(book)),
    notFound: uniqueIds.filter((id) => !byId.has(id)),
    locked: locked.map((book) => presentLocked(ctx, book)),
  }
}
