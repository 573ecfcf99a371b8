import type { Book } from './book.ts'

/** A book, by whose it is. */
export type BookKey = Pick<Book, 'id' | 'ownerId'>

/**
 * What follows from a change of a book in the domains that keep something derived from it. The handlers are listed where the
 * application is composed; they run in that order, each awaited, and each can be repeated after a crash.
 */
export interface BookEvents {
  /** The book has come into being, or its whole text was imported anew: it can be searched when this resolves. */
  added(book: BookKey): Promise<void>
  /** The book's title, description or number of pages has changed. */
  changed(book: BookKey): Promise<void>
  /** The book's row is gone: removes everything that hangs on it, but its files. */
  removed(book: BookKey): Promise<void>
}

export interface BookEventServices {
  bookEvents: BookEvents
}
