import { AppError } from '../core/errors.ts'
import { findAccessibleBooks, canWrite, type AccessibleBook } from './access.ts'
import { loadLockCheck, itemLockedError } from './book-locks.ts'
import type { Book } from './book.ts'
import { isReadByStrangers, readByStrangersError, type PublicationStores } from './publication.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from './access.ts'

/**
 * One of the caller's books. Refuses an unknown or inaccessible book with NOT_FOUND, and another account's accessible
 * book with FORBIDDEN.
 */
export async function findOwnBook(
  ctx: Call & BookAccessStores,
  id: string,
  forbiddenMessage: string,
): Promise<AccessibleBook> {
  const book = await findAccessibleBook(ctx, id)
  if (book.access.kind !== 'own') throw new AppError('FORBIDDEN', forbiddenMessage)
  return book
}

/**
 * A book that the caller may write to. Refuses an inaccessible book (NOT_FOUND), a read-only book and another account's
 * book that strangers read (FORBIDDEN), then whatever `checkState` refuses, then a locked book (ITEM_LOCKED).
 */
export async function findWritableBook(
  ctx: Call & BookAccessStores & PublicationStores & PublicAddress,
  id: string,
  checkState: (book: Book) => void = () => {},
): Promise<AccessibleBook> {
  const book = await findAccessibleBook(ctx, id)
  if (!canWrite(book))
    throw new AppError(
      'FORBIDDEN',
      'You may read this book, not change it. Ask its owner, or create a book of your own.',
    )
  if (book.access.kind !== 'own' && (await isReadByStrangers(ctx, book))) {
    throw readByStrangersError('You may not change this book now')
  }
  checkState(book)
  const isLocked = await loadLockCheck(ctx)
  if (isLocked(book)) throw itemLockedError(ctx, [book])
  return book
}

/** A book that the caller may read or preview. Refuses any other with NOT_FOUND. */
export async function findAccessibleBook(ctx: Call & BookAccessStores, id: string): Promise<AccessibleBook> {
  const [book] = await findAccessibleBooks(ctx, [id])
  if (!book) throw itemNotFound()
  return book
}

/** The refusal of an unknown or inaccessible book; it does not reveal which of the two applies. */
export function itemNotFound(): AppError {
  return new AppError('NOT_FOUND', 'Item not found')
}
