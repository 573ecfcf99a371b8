import { AppError } from '../core/errors.ts'
import type { Book } from '../books/book.ts'
import type { Clock } from '../core/context.ts'
import type { BookStores } from '../books/store.ts'

const weekMs = 7 * 24 * 60 * 60 * 1000

/**
 * Makes a book the book of the week: for seven days all its subscribers read it in full. It replaces the book that was
 * featured before. Throws NOT_FOUND for an unknown id.
 */
export async function featureBook(
  { books, now }: Clock & BookStores,
  { id }: Pick<Book, 'id'>,
): Promise<{ featuredUntil: Date }> {
  const featuredUntil = new Date(now().getTime() + weekMs)
  const [book] = await books.byIds([id])
  if (!book || !(await books.feature(id, featuredUntil)))
    throw new AppError(
      'NOT_FOUND',
      `No book has the id ${id}. To list the books of an account: lectern book list --email E`,
    )
  return { featuredUntil }
}
