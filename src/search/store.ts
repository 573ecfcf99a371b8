import type { Db } from 'mongodb'
import { createStrippedPages, type StrippedPages } from './stripped-page.ts'
import { createBookIndexStore, type BookIndexStore } from './book-index-store.ts'
import { createLibraryIndexStore, type LibraryIndexStore } from './library-index-store.ts'
import type { Slots } from '../runtime/slots.ts'
import { createSearchPlaces } from './search-work.ts'
import { createIndexWorkStore, type IndexWorkStore } from './index-work-store.ts'

/** The stores of the search index: for each book the words of its pages, for each library the words of its books. */
export interface SearchStore {
  books: BookIndexStore
  libraries: LibraryIndexStore
  work: IndexWorkStore
  /** Pages that passages were taken from. */
  strippedPages: StrippedPages
  /** The places for searches in this process. */
  places: Slots
}

export interface SearchStores {
  search: SearchStore
}

/** The search index on MongoDB: collections `search_books`, `search_pages`, `search_libraries`, `search_segments`, `search_words`, `search_work`. */
export function createSearchStore(db: Db): SearchStore {
  return {
    books: createBookIndexStore(db),
    libraries: createLibraryIndexStore(db),
    work: createIndexWorkStore(db),
    strippedPages: createStrippedPages(),
    places: createSearchPlaces(),
  }
}
