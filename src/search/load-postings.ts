import { keysOf, rowId, type IndexedBook, type Unit } from './book-index-store.ts'
import { readPages, type Posting } from './page-index.ts'
import type { Query } from './parse-query.ts'
import { pageNumbers } from './plan-units.ts'
import { lookUp, shardOf } from './shards.ts'
import type { SearchStore } from './store.ts'
import { unpackIntegers } from './varint.ts'

/** What a page of a book, or a pseudo-page about it, has of each concept of a query. */
export type PageWords = readonly (Posting | undefined)[]

export interface FoundPage {
  /** The page's number; of a pseudo-page its place among them, from 1. */
  page: number
  /** In words. */
  length: number
  words: PageWords
}

/** Where the words of a query stand in a book. */
export interface BookWords {
  book: IndexedBook
  pages: FoundPage[]
  about: FoundPage[]
}

/** Reads from the index where the words of a query stand in some books. */
export async function readWords(
  search: SearchStore,
  books: readonly IndexedBook[],
  query: Query,
): Promise<BookWords[]> {
  const hashes = [...new Set(query.concepts.flatMap((concept) => concept.hashes))]
  const keys = books.flatMap((book) => [book.about, ...book.units].flatMap((unit) => keysOf(book.id, unit, hashes)))
  const rows = await search.books.rows(keys)
  return books.map((book) => {
    const numbers = pageNumbers(book)
    const pages = book.units.flatMap((unit, at) => {
      const own = numbers[at] as Uint32Array
      return readUnit(book.id, unit, { rows, query, pageOf: (ordinal) => own[ordinal] as number })
    })
    return { book, pages, about: readUnit(book.id, book.about, { rows, query, pageOf: (ordinal) => ordinal + 1 }) }
  })
}

interface Reading {
  rows: ReadonlyMap<string, Uint8Array>
  query: Query
  /** The number of a page; 0: it is no longer in the book. */
  pageOf(ordinal: number): number
}

type Lookable = Pick<Unit, 'id' | 'bits' | 'lengths'>

function readUnit(bookId: string, unit: Lookable, { rows, query, pageOf }: Reading): FoundPage[] {
  const found = new Map<number, FoundPage & { words: (Posting | undefined)[] }>()
  const lengths = unpackIntegers(unit.lengths)
  for (const [at, { hashes }] of query.concepts.entries()) {
    for (const hash of hashes) {
      const row = rows.get(rowId({ bookId, unitId: unit.id, shard: shardOf(hash, unit.bits) }))
      const entry = row && lookUp(row, hash)
      if (!entry) continue
      readPages(entry, (posting) => {
        const page = pageOf(posting.ordinal)
        if (page === 0) return
        let known = found.get(page)
        if (!known) {
          known = { page, length: lengths[posting.ordinal] as number, words: [] }
          found.set(page, known)
        }
        // The word itself goes before the compound that it is a part of.
        known.words[at] ??= posting
      })
    }
  }
  return [...found.values()]
}
