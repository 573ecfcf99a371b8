import type { Db } from 'mongodb'
import { createBookIndexStore, type BookIndexStore } from './book-index-store.ts'
import { createLibraryIndexStore, type LibraryIndexStore } from './library-index-store.ts'
import { createIndexWorkStore, type IndexWorkStore } from './index-work-store.ts'

/** What search keeps: for each book which words stand on which pages, for each library which words stand in which books. */
export interface SearchStore {
  books: BookIndexStore
  libraries: LibraryIndexStore
  work: IndexWorkStore
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
  }
}
