import { unitRowId, type IndexedBook, type IndexUnit, type UnitRowKey } from '../index/book-index-store.ts'
import { defaultLanguage, type Language } from '../../text/words/languages.ts'
import { forEachPosting, type Posting } from '../words/page-index.ts'
import type { Query } from '../query/parse-query.ts'
import { pageNumbers } from '../index/plan-units.ts'
import {
  entryOf,
  hasCachedUnit,
  cachedTerm,
  numberUnits,
  cacheEntry,
  type CachedTerm,
  type UnitNumbers,
} from './posting-cache.ts'
import { isExhausted, type SearchRequest, type SearchWork } from './search-work.ts'
import { mayContain } from './term-languages.ts'
import { findEntry, shardOf } from '../words/shards.ts'
import type { SearchStore } from '../store.ts'
import { unpackIntegers } from '../words/varint.ts'

/** The posting of each query concept on a page or metadata pseudo-page; undefined if the page does not contain it. */
export type PagePostings = readonly (Posting | undefined)[]

export interface MatchedPage {
  /** The page number; for a pseudo-page, its index from 1. */
  page: number
  /** The length in words. */
  length: number
  postings: PagePostings
}

/** The occurrences of the query's words in a book. */
export interface BookPostings {
  book: IndexedBook
  pages: MatchedPage[]
  metadata: MatchedPage[]
}

/**
 * The maximum number of units whose rows are read together, and of words of their books. The index takes about 7 bytes for each word of a
 * book, whichever word it is.
 */
const maxUnits = 1024
const maxWords = 1_500_000

/**
 * Reads the occurrences of the query's words in some books from the index. Begins with the first books and stops when the work is used up.
 */
export async function loadPostings(
  search: SearchStore,
  books: readonly IndexedBook[],
  { query, work }: SearchRequest,
): Promise<BookPostings[]> {
  const terms = termsOf(query)
  const loaded: BookPostings[] = []
  for (let from = 0; from < books.length && !isExhausted(work);) {
    const batch = takeBatch(books, from)
    // The posting cache may be cleared while rows are read, which gives units new numbers. So terms are cached and looked up by the
    // numbers from before.
    const opened = batch.map((book) => ({ book, unpacked: unpack(book) }))
    await readEntries(search, opened, { terms, work })
    for (const each of opened) {
      if (isExhausted(work)) break
      loaded.push(await readBook(each, { terms, work }))
    }
    from += batch.length
  }
  return loaded
}

/** Returns the next books whose rows are read together, at least one. */
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

/** A term of a query. */
interface WantedTerm {
  /** The index of its concept. */
  at: number
  hash: number
  /** Its weight for the concept, from 0 to 1; undefined: 1. */
  weight: number | undefined
  /** The languages of the units in which it is looked for; null: all. */
  languages: ReadonlySet<Language> | null
  cached: CachedTerm
}

function termsOf({ concepts }: Query): WantedTerm[] {
  return concepts.flatMap(({ hashes, weights, termLanguages }, at) =>
    hashes.map((hash, term) => {
      const languages = termLanguages?.[term] ?? null
      return { at, hash, weight: weights?.[term], languages, cached: cachedTerm(hash) }
    }),
  )
}

/** The unpacked data of an index entry. */
interface UnpackedBook {
  /** The units of the book, the metadata unit first. */
  units: readonly UnitRef[]
  /** The numbers of these units in the posting cache. */
  unitNumbers: UnitNumbers
  /**
   * For each unit, the page number of each of its pages; 0 if the page is no longer in the book. The pages of the metadata are numbered
   * from 1.
   */
  numbers: readonly Uint32Array[]
  /** For each unit, the length of each page in words. */
  lengths: readonly (readonly number[])[]
}

type UnitRef = Pick<IndexUnit, 'id' | 'bits' | 'lengths' | 'languages'>

/** Index entries are cached. Their unpacked data is cached as long as the entry. */
const unpackedBooks = new WeakMap<IndexedBook, UnpackedBook>()

function unpack(book: IndexedBook): UnpackedBook {
  const known = unpackedBooks.get(book)
  const units = known?.units ?? [aboutUnit(book), ...book.units]
  const unitNumbers = numberUnits(known?.unitNumbers, () => units.map(({ id }) => `${book.id}:${id}`))
  if (known && unitNumbers === known.unitNumbers) return known
  const lengths = units.map((unit) => unpackIntegers(unit.lengths))
  const ofMetadata = Uint32Array.from(lengths[0] ?? [], (_, ordinal) => ordinal + 1)
  const entry = { units, unitNumbers, numbers: [ofMetadata, ...pageNumbers(book)], lengths }
  unpackedBooks.set(book, entry)
  return entry
}

/** The metadata are stemmed in the language of most pages. */
function aboutUnit({ about, units }: IndexedBook): UnitRef {
  return { ...about, languages: units.flatMap(({ languages = [defaultLanguage] }) => languages) }
}

interface OpenedBook {
  book: IndexedBook
  unpacked: UnpackedBook
}

interface LoadedTerms {
  terms: readonly WantedTerm[]
  work: SearchWork
}

/** Reads the entries of the terms in some books, unless they are cached. */
async function readEntries(search: SearchStore, books: readonly OpenedBook[], { terms, work }: LoadedTerms) {
  const missing: MissingRow[] = []
  for (const { book, unpacked } of books) {
    for (const [at, unit] of unpacked.units.entries()) {
      missing.push(...missingRows({ bookId: book.id, unit, number: unpacked.unitNumbers.numbers[at] as number }, terms))
      if (work.pacer.isDue()) await work.pacer.yieldTurn()
    }
  }
  if (missing.length === 0) return
  const rows = await search.books.readRows(missing.map(({ key }) => key))
  for (const { key, unit, terms: ofRow } of missing) {
    const row = rows.get(unitRowId(key))
    // A missing row either contains none of the terms or was removed with its unit. So nothing is cached.
    if (row === undefined) continue
    for (const { hash, cached } of ofRow) {
      if (!hasCachedUnit(cached, unit)) cacheEntry(cached, unit, findEntry(row, hash))
      if (work.pacer.isDue()) await work.pacer.yieldTurn()
    }
  }
}

/** A row of the index in which terms have to be looked up. */
interface MissingRow {
  key: UnitRowKey
  /** The number of its unit in the posting cache. */
  unit: number
  terms: WantedTerm[]
}

/** Returns the rows of a unit with the entries of terms that are not cached. */
function missingRows(
  { bookId, unit: { id: unitId, bits, languages }, number }: { bookId: string; unit: UnitRef; number: number },
  terms: readonly WantedTerm[],
): MissingRow[] {
  const byShard = new Map<number, MissingRow>()
  for (const term of terms) {
    if (hasCachedUnit(term.cached, number) || !mayContain(term.languages, languages)) continue
    const shard = shardOf(term.hash, bits)
    const known = byShard.get(shard)
    if (known) known.terms.push(term)
    else byShard.set(shard, { key: { bookId, unitId, shard }, unit: number, terms: [term] })
  }
  return [...byShard.values()]
}

async function readBook({ book, unpacked }: OpenedBook, { terms, work }: LoadedTerms): Promise<BookPostings> {
  const { units, unitNumbers, numbers, lengths } = unpacked
  const ofUnits: MatchedPage[][] = []
  for (const [at, unit] of unitNumbers.numbers.entries()) {
    if (work.pacer.isDue()) await work.pacer.yieldTurn()
    const { languages } = units[at] as UnitRef
    const open = { unit, languages, numbers: numbers[at] as Uint32Array, lengths: lengths[at] ?? [] }
    ofUnits.push(readUnitPages(open, { terms, work }))
  }
  const [metadata = [], ...pages] = ofUnits
  return { book, pages: pages.length === 1 ? (pages[0] ?? []) : pages.flat(), metadata }
}

interface OpenUnit {
  unit: number
  languages: readonly Language[] | undefined
  numbers: Uint32Array
  lengths: readonly number[]
}

function readUnitPages({ unit, languages, numbers, lengths }: OpenUnit, { terms, work }: LoadedTerms): MatchedPage[] {
  const found: (MatchedPage & { postings: (Posting | undefined)[] })[] = []
  const byOrdinal: ((typeof found)[number] | undefined)[] = []
  // Copying an array of the final size takes less memory than growing one.
  const none = Array.from({ length: (terms.at(-1)?.at ?? -1) + 1 }, (): Posting | undefined => undefined)
  for (const { at, weight, languages: ofTerm, cached: term } of terms) {
    const entry = mayContain(ofTerm, languages) ? entryOf(term, unit) : null
    if (entry === null) continue
    work.entryBytes -= entry.end - entry.start
    forEachPosting(
      term.bytes,
      (posting) => {
        const page = numbers[posting.ordinal] as number
        if (page === 0) return
        let matched = byOrdinal[posting.ordinal]
        if (!matched) {
          matched = { page, length: lengths[posting.ordinal] as number, postings: none.slice() }
          byOrdinal[posting.ordinal] = matched
          found.push(matched)
        }
        if (weight !== undefined) posting.weight = weight
        // A word in several spellings counts as often as the most frequent spelling. The word itself wins ties.
        const known = matched.postings[at]
        if (known === undefined || posting.weight * posting.count > known.weight * known.count)
          matched.postings[at] = posting
      },
      entry,
    )
  }
  return found
}
