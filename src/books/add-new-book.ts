import type { Book } from './book.ts'
import type { BookStore } from './store.ts'

/** Adds the row of a book that `withSlot` creates. Relies on an existing row of another attempt of the same create. */
export async function addNewBook(books: BookStore, book: Book): Promise<void> {
  while (!(await books.add(book)) && !(await confirmRow(books, book)));
}

/** Keeps the row of a book from being removed by the attempt that has added it; false if there is no row. */
export function confirmRow(books: BookStore, { ownerId, id }: Pick<Book, 'ownerId' | 'id'>): Promise<boolean> {
  return books.change(ownerId, id, { set: { slotConfirmed: true } })
}
