import type { Book } from './book.ts'

/** A book and its owner. */
export type BookKey = Pick<Book, 'id' | 'ownerId'>

/**
 * Callbacks into the domains that derive data from books. `app/` lists the handlers; they run in that order, each
 * awaited, and each must be idempotent, because a crash repeats them.
 */
export interface BookEvents {
  /** After a book was created or its whole text imported again. Search finds the book when this resolves. */
  added(book: BookKey): Promise<void>
  /** After the title, description or page count of a book changed. */
  changed(book: BookKey): Promise<void>
  /** After the row of a book went to the bin: removes everything by which it could be reached. Its text and files stay. */
  deleted(book: BookKey): Promise<void>
  /** After the row of a book was removed: removes everything that belongs to it except its files. */
  removed(book: BookKey): Promise<void>
}

export interface BookEventServices {
  bookEvents: BookEvents
}
