import type { Db } from 'mongodb'
import { createStrippedPages, type StrippedPages } from './passages/stripped-page.ts'
import { createBookIndexStore, type BookIndexStore } from './index/book-index-store.ts'
import { createLibraryIndexStore, type LibraryIndexStore } from './index/library-index-store.ts'
import type { Slots } from '../runtime/slots.ts'
import { createSearchSlots } from './ranking/search-work.ts'
import { createIndexWorkStore, type IndexWorkStore } from './index/index-work-store.ts'

/**
 * The stores of the search index: for each book an index of the words of its pages, for each library an index of the words of its books.
 */
export interface SearchStore {
  books: BookIndexStore
  libraries: LibraryIndexStore
  work: IndexWorkStore
  /** A cache of pages from which passages have been taken. */
  strippedPages: StrippedPages
  /** The slots for searches in this process. */
  slots: Slots
}

export interface SearchStores {
  search: SearchStore
}

/**
 * Creates the search index on MongoDB: collections `search_books`, `search_pages`, `search_libraries`, `search_segments`, `search_words`,
 * `search_work`. `onError` receives the error of a background write.
 */
export function createSearchStore(db: Db, { onError }: { onError(error: unknown): void }): SearchStore {
  return {
    books: createBookIndexStore(db),
    libraries: createLibraryIndexStore(db),
    work: createIndexWorkStore(db, onError),
    strippedPages: createStrippedPages(),
    slots: createSearchSlots(),
  }
}
