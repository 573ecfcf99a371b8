import type { Book } from './book.ts'

/** A book and its owner. */
export type BookKey = Pick<Book, 'id' | 'ownerId'>

/**
 * Event handlers of the domains that derive data from books. `app/` lists them. They run in that order, each awaited,
 * and must be idempotent, because they run again after a crash.
 */
export interface BookEvents {
  /** After a book was created or its whole text was imported again. Once this resolves, search finds the book. */
  added(book: BookKey): Promise<void>
  /** After the title, description or page count of a book changed. */
  changed(book: BookKey): Promise<void>
  /**
   * After the row of a book moved to the bin: removes everything through which it could be reached, but nothing that it
   * has since it was brought back. Its text and files stay.
   */
  deleted(book: BookKey): Promise<void>
  /** After the row of a book was removed: removes everything that belongs to it except its files. */
  removed(book: BookKey): Promise<void>
}

export interface BookEventServices {
  bookEvents: BookEvents
}
