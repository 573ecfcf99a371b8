import type { Book } from './book.ts'

/** A book and its owner. */
export type BookKey = Pick<Book, 'id' | 'ownerId'>

/** A book as the call that has created it has just stored it. */
export interface CreatedBook {
  book: Book
  /** The text of each page of its first version. */
  pages: readonly string[]
}

/**
 * Event handlers of the domains that derive data from books. `app/` lists them. They run in that order, each awaited,
 * and must be idempotent, because they run again after a crash.
 */
export interface BookEvents {
  /**
   * After a book was created or its whole text was imported again. Once this resolves, search finds the book. `created` saves reading what
   * the caller has just stored.
   */
  added(book: BookKey, created?: CreatedBook): Promise<void>
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
