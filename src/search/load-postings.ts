import { unitRowKeys, unitRowId, type IndexedBook, type IndexUnit } from './book-index-store.ts'
import { forEachPosting, type Posting } from './page-index.ts'
import type { Query } from './parse-query.ts'
import { pageNumbers } from './plan-units.ts'
import { isUsedUp, type SearchRequest, type SearchWork } from './search-work.ts'
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

/** Units whose rows are read at a time, and words of their books: the rows of a word take about 7 bytes, of whichever words they are. */
const maxUnits = 1024
const maxWords = 1_500_000

/**
 * Reads the occurrences of the query's words in some books from the index, the first books first, as far as the work
 * suffices.
 */
export async function loadPostings(
  search: SearchStore,
  books: readonly IndexedBook[],
  { query, work }: SearchRequest,
): Promise<BookPostings[]> {
  const hashes = [...new Set(query.concepts.flatMap((concept) => concept.hashes))]
  const loaded: BookPostings[] = []
  for (let from = 0; from < books.length && !isUsedUp(work);) {
    const batch = takeBatch(books, from)
    const keys = batch.flatMap((book) =>
      [book.about, ...book.units].flatMap((unit) => unitRowKeys(book.id, unit, hashes)),
    )
    const rows = await search.books.readRows(keys)
    for (const book of batch) {
      if (isUsedUp(work)) break
      loaded.push(await readBook(book, { rows, query, work }))
    }
    from += batch.length
  }
  return loaded
}

/** The next books whose rows are read together, at least one. */
function takeBatch(books: readonly IndexedBook[], from: number): IndexedBook[] {
  let to = from
  let units = 0
  let words = 0
  do {
    units += books[to]?.units.length ?? 0
    words += books[to]?.words ?? 0
    to++
  } while (
    to < books.length &&
    units + (books[to] as IndexedBook).units.length <= maxUnits &&
    words + (books[to] as IndexedBook).words <= maxWords
  )
  return books.slice(from, to)
}

interface LoadedRows {
  rows: ReadonlyMap<string, Uint8Array>
  query: Query
  work: SearchWork
}

/** What an index entry has packed. */
interface UnpackedEntry {
  /** The page number of each page of each unit; 0: not in the book any more. */
  numbers: readonly Uint32Array[]
  /** The length of each page by unit, in words. */
  lengths: ReadonlyMap<UnitRef, readonly number[]>
}

/** Entries come from memory; so does this, as long as they do. */
const unpacked = new WeakMap<IndexedBook, UnpackedEntry>()

function unpack(book: IndexedBook): UnpackedEntry {
  const known = unpacked.get(book)
  if (known) return known
  const lengths = new Map([book.about, ...book.units].map((unit) => [unit, unpackIntegers(unit.lengths)]))
  const entry = { numbers: pageNumbers(book), lengths }
  unpacked.set(book, entry)
  return entry
}

async function readBook(book: IndexedBook, loaded: LoadedRows): Promise<BookPostings> {
  const { numbers, lengths } = unpack(book)
  const pages: MatchedPage[] = []
  for (const [at, unit] of book.units.entries()) {
    const pageNumbersOfUnit = numbers[at] as Uint32Array
    const pageOf = (ordinal: number) => pageNumbersOfUnit[ordinal] as number
    for (const page of await readUnitPages(book.id, unit, { ...loaded, pageOf, lengths })) pages.push(page)
  }
  const metadata = await readUnitPages(book.id, book.about, { ...loaded, lengths, pageOf: (ordinal) => ordinal + 1 })
  return { book, pages, metadata }
}

interface UnitLookup extends LoadedRows, Pick<UnpackedEntry, 'lengths'> {
  /** The page number of an ordinal; 0: not in the book any more. */
  pageOf(ordinal: number): number
}

type UnitRef = Pick<IndexUnit, 'id' | 'bits' | 'lengths'>

/** Tells the row of a unit that holds a hash; each is looked up by its id once. */
function createRowLookup(rows: LoadedRows['rows'], bookId: string, { id: unitId, bits }: UnitRef) {
  const known = new Map<number, Uint8Array | undefined>()
  return (hash: number): Uint8Array | undefined => {
    const shard = shardOf(hash, bits)
    if (!known.has(shard)) known.set(shard, rows.get(unitRowId({ bookId, unitId, shard })))
    return known.get(shard)
  }
}

async function readUnitPages(
  bookId: string,
  unit: UnitRef,
  { rows, query, work, pageOf, lengths: lengthsOf }: UnitLookup,
): Promise<MatchedPage[]> {
  const found: (MatchedPage & { postings: (Posting | undefined)[] })[] = []
  const byOrdinal: ((typeof found)[number] | undefined)[] = []
  const lengths = lengthsOf.get(unit) ?? []
  const rowOf = createRowLookup(rows, bookId, unit)
  for (const [at, { hashes, weights }] of query.concepts.entries()) {
    for (const [term, hash] of hashes.entries()) {
      const row = rowOf(hash)
      const stored = row && findEntry(row, hash)
      if (!stored) continue
      // A copy: the row, most of which is about other words, need not be kept.
      const entry = stored.slice()
      work.entryBytes -= entry.length
      if (work.pacer.isDue()) await work.pacer.giveWay()
      forEachPosting(entry, (posting) => {
        const page = pageOf(posting.ordinal)
        if (page === 0) return
        let matched = byOrdinal[posting.ordinal]
        if (!matched) {
          matched = { page, length: lengths[posting.ordinal] as number, postings: [] }
          byOrdinal[posting.ordinal] = matched
          found.push(matched)
        }
        if (weights) posting.weight = weights[term] as number
        // A word in several spellings counts as often as the most frequent one; the word itself takes precedence.
        const known = matched.postings[at]
        if (known === undefined || posting.weight * posting.count > known.weight * known.count)
          matched.postings[at] = posting
      })
    }
  }
  return found
}
