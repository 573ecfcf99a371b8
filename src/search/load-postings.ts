import { unitRowKeys, unitRowId, type IndexedBook, type IndexUnit } from './book-index-store.ts'
import { forEachPosting, type Posting } from './page-index.ts'
import type { Query } from './parse-query.ts'
import { pageNumbers } from './plan-units.ts'
import { findEntry, shardOf } from './shards.ts'
import type { SearchStore } from './store.ts'
import { unpackIntegers } from './varint.ts'

/** The posting of each query concept on a page or metadata pseudo-page; undefined: not on it. */
export type PagePostings = readonly (Posting | undefined)[]

export interface MatchedPage {
  /** The page number; for a pseudo-page its index, from 1. */
  page: number
  /** Length in words. */
  length: number
  postings: PagePostings
}

/** The occurrences of the query's words in a book. */
export interface BookPostings {
  book: IndexedBook
  pages: MatchedPage[]
  metadata: MatchedPage[]
}

/** Reads the occurrences of the query's words in some books from the index. */
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
  /** The page number of an ordinal; 0: not in the book any more. */
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
        let matched = found.get(page)
        if (!matched) {
          matched = { page, length: lengths[posting.ordinal] as number, postings: [] }
          found.set(page, matched)
        }
        // The word itself takes precedence over the compound that contains it.
        matched.postings[at] ??= posting
      })
    }
  }
  return [...found.values()]
}
