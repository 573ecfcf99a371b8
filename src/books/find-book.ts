import { AppError } from '../core/errors.ts'
import { accessibleBooks, mayWrite, type AccessibleBook } from './access.ts'
import { lockedBooks, lockedRefusal } from './book-locks.ts'
import type { Book } from './book.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from './access.ts'

/** A book of the caller's own. Refuses an unknown or foreign one with NOT_FOUND, one that the caller may only read with FORBIDDEN. */
export async function ownBook(ctx: Call & BookAccessStores, id: string, only: string): Promise<AccessibleBook> {
  const book = await accessibleBook(ctx, id)
  if (book.access.kind !== 'own') throw new AppError('FORBIDDEN', only)
  return book
}

/**
 * A book that the caller may write to and that is not locked. Refusals as in `ownBook`, and ITEM_LOCKED; `checkState` may
 * refuse what the book is before that.
 */
export async function writableBook(
  ctx: Call & BookAccessStores & PublicAddress,
  id: string,
  checkState: (book: Book) => void = () => {},
): Promise<AccessibleBook> {
  const book = await accessibleBook(ctx, id)
  if (!mayWrite(book)) throw new AppError('FORBIDDEN', 'You may read this book, not change it')
  checkState(book)
  const isLocked = await lockedBooks(ctx)
  if (isLocked(book)) throw lockedRefusal(ctx, [book])
  return book
}

/** A book that the caller may read or preview. Refuses any other one with NOT_FOUND. */
export async function accessibleBook(ctx: Call & BookAccessStores, id: string): Promise<AccessibleBook> {
  const [book] = await accessibleBooks(ctx, [id])
  if (!book) throw itemNotFound()
  return book
}

/** The refusal of a book that is not there, or that the caller may not see: both look the same. */
export function itemNotFound(): AppError {
  return new AppError('NOT_FOUND', 'Item not found')
}
