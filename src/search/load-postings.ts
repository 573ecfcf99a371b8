import { unitRowKeys, unitRowId, type IndexedBook, type IndexUnit } from './book-index-store.ts'
import { forEachPosting, type Posting } from './page-index.ts'
import type { Query } from './parse-query.ts'
import { pageNumbers } from './plan-units.ts'
import { findEntry, shardOf } from './shards.ts'
import type { SearchStore } from './store.ts'
import { unpackIntegers } from './varint.ts'

/** What a page of a book, or a pseudo-page about it, has of each concept of a query. */
export type PagePostings = readonly (Posting | undefined)[]

export interface MatchedPage {
  /** The page's number; of a pseudo-page its place among them, from 1. */
  page: number
  /** In words. */
  length: number
  postings: PagePostings
}

/** Where the words of a query stand in a book. */
export interface BookPostings {
  book: IndexedBook
  pages: MatchedPage[]
  metadata: MatchedPage[]
}

/** Reads from the index where the words of a query stand in some books. */
export async function loadPostings(
  search: SearchStore,
  books: readonly IndexedBook[],
  query: Query,
): Promise<BookPostings[]> {
  const hashes = [...new Set(query.concepts.flatMap((concept) => concept.hashes))]
  const keys = books.flatMap((book) =>
    [book.about, ...book.units].flatMap((unit) => unitRowKeys(book.id, unit, hashes)),
  )
  const rows = await search.books.readRows(keys)
  return books.map((book) => {
    const numbers = pageNumbers(book)
    const pages = book.units.flatMap((unit, at) => {
      const pageNumbersOfUnit = numbers[at] as Uint32Array
      return readUnitPages(book.id, unit, { rows, query, pageOf: (ordinal) => pageNumbersOfUnit[ordinal] as number })
    })
    return {
      book,
      pages,
      metadata: readUnitPages(book.id, book.about, { rows, query, pageOf: (ordinal) => ordinal + 1 }),
    }
  })
}

interface UnitLookup {
  rows: ReadonlyMap<string, Uint8Array>
  query: Query
  /** The number of a page; 0: it is no longer in the book. */
  pageOf(ordinal: number): number
}

type UnitRef = Pick<IndexUnit, 'id' | 'bits' | 'lengths'>

function readUnitPages(bookId: string, unit: UnitRef, { rows, query, pageOf }: UnitLookup): MatchedPage[] {
  const found = new Map<number, MatchedPage & { postings: (Posting | undefined)[] }>()
  const lengths = unpackIntegers(unit.lengths)
  for (const [at, { hashes }] of query.concepts.entries()) {
    for (const hash of hashes) {
      const row = rows.get(unitRowId({ bookId, unitId: unit.id, shard: shardOf(hash, unit.bits) }))
      const entry = row && findEntry(row, hash)
      if (!entry) continue
      forEachPosting(entry, (posting) => {
        const page = pageOf(posting.ordinal)
        if (page === 0) return
        let known = found.get(page)
        if (!known) {
          known = { page, length: lengths[posting.ordinal] as number, postings: [] }
          found.set(page, known)
        }
        // The word itself goes before the compound that it is a part of.
        known.postings[at] ??= posting
      })
    }
  }
  return [...found.values()]
}
