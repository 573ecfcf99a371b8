import type { Collection, Db, Filter, Sort } from 'mongodb'
import { createDerivedCounts, type DerivedCounts } from '../db/derived-counts.ts'
import type { CountsRow, PendingCount } from '../db/derived-count-rows.ts'
import type { Book, BookStatus, Health } from './book.ts'

/** A stored book. `ofTheWeek` has a unique index, so at most one book is featured. */
export type BookRow = Omit<Book, 'id'> & { _id: string; ofTheWeek?: true; uncounted?: PendingCount }

/** Position in a library: the time at which a book entered it, and its id. */
export interface LibraryPosition {
  at: Date
  id: string
}

/** Sums over the books of a library. */
export interface LibraryCounts {
  books: number
  ready: number
  /** Pages of the books that are ready. */
  pages: number
  needEnrichment: number
  needAttention: number
  pdf: number
  epub: number
  markdown: number
  /** Bytes of files, versions and tables of contents. */
  storedBytes: number
}

/** Lists and counts of a library. The cost depends on the size of the result, not on the size of the library. */
export interface LibraryStore {
  /** The account's and built-in books, newest first, at most `limit`, after a position; null: from the newest on. */
  listNewest(accountId: string, page: { after: LibraryPosition | null; limit: number }): Promise<Book[]>
  /** Like `listNewest`, but only books that are ready. */
  listNewestReady(accountId: string, limit: number): Promise<Book[]>
  /** The account's books that failed or whose health is not `ok`, newest first. */
  listNeedingAttention(accountId: string, limit: number): Promise<Book[]>
  /** The account's books that wait for their file or are being imported, newest first. */
  listImporting(accountId: string, limit: number): Promise<Book[]>
  /** Number of books in `listImporting`, counted up to `limit`. */
  countImporting(accountId: string, limit: number): Promise<number>
  /** The account's books that need enrichment: fewest pages first, then newest first. */
  listNeedingEnrichment(accountId: string, limit: number): Promise<Book[]>
  /** The account's `limit` oldest books. */
  listOldest(accountId: string, limit: number): Promise<Pick<Book, 'id' | 'createdAt'>[]>
  /** The ids of an owner's books that were added from `from` (inclusive) to `before` (exclusive); null: unbounded. */
  listIdsAdded(ownerId: string, period: { from: Date | null; before: Date | null }): Promise<string[]>
  /** The sums over the account's books, and over the built-in ones. */
  libraryCounts(accountId: string): Promise<{ own: LibraryCounts; builtIn: LibraryCounts }>
  /** Removes the stored counts of an account that has no books left. */
  removeCounts(accountId: string): Promise<void>
  /** Accounts whose stored counts differ from their books; for checks. */
  findCountMismatches(): AsyncIterable<string>
  /** Replaces the derived counts of an account by those of its rows. */
  correctCounts(accountId: string): Promise<void>
}

type CountedBookFields = Pick<
  Book,
  'status' | 'health' | 'pageCount' | 'needsEnrichment' | 'sourceType' | 'storedBytes'
>

const countedFields = ['status', 'health', 'pageCount', 'needsEnrichment', 'sourceType', 'storedBytes'] as const
const unhealthyStates = ['partial', 'empty', 'unreadable', 'failed', 'stuck', 'needs_confirmation'] satisfies Health[]

const importingStates = ['DRAFT', 'PROCESSING'] satisfies BookStatus[]

/** The contribution of one book to the counts of its library. */
export function countsOfBook({
  status,
  health,
  pageCount,
  needsEnrichment,
  sourceType,
  storedBytes,
}: CountedBookFields): LibraryCounts {
  const ready = status === 'READY'
  return {
    ...zeroCounts,
    books: 1,
    ready: ready ? 1 : 0,
    pages: ready ? pageCount : 0,
    needEnrichment: needsEnrichment ? 1 : 0,
    needAttention: needsAttention({ status, health }) ? 1 : 0,
    [sourceType]: 1,
    storedBytes: storedBytes ?? 0,
  }
}

/** True for a book whose import failed or whose text needs attention. */
export function needsAttention({ status, health }: Pick<Book, 'status' | 'health'>): boolean {
  return health !== 'ok' && (status === 'READY' || status === 'FAILED')
}

const zeroCounts: LibraryCounts = {
  books: 0,
  ready: 0,
  pages: 0,
  needEnrichment: 0,
  needAttention: 0,
  pdf: 0,
  epub: 0,
  markdown: 0,
  storedBytes: 0,
}

/** Adds up counts. */
export function addCounts(parts: readonly LibraryCounts[]): LibraryCounts {
  const total = { ...zeroCounts }
  for (const counts of parts)
    for (const name of Object.keys(zeroCounts) as (keyof LibraryCounts)[]) total[name] += counts[name]
  return total
}

/** True for a change that can affect the counts of the library. */
export function affectsCounts(set: object): boolean {
  return countedFields.some((field) => Object.hasOwn(set, field))
}

/** Derived counts of libraries: collection `bookTallies`, one row per owner. */
export function createLibraryCounts(db: Db): DerivedCounts {
  return createDerivedCounts<BookRow>({
    rows: db.collection('books'),
    counts: db.collection<CountsRow>('bookTallies'),
    ownerField: 'ownerId',
    fields: countedFields,
    sumsOf: (fields) => ({ ...countsOfBook(fields as CountedBookFields) }),
  })
}

/** Lists of a library on MongoDB, each in the order of an index. `builtIn` is the owner of the built-in books. */
export function createLibraryStore(
  books: Collection<BookRow>,
  { counts, builtIn }: { counts: DerivedCounts; builtIn: string },
): LibraryStore {
  const list = async (filter: Filter<BookRow>, { sort, limit }: { sort: Sort; limit: number }) => {
    // A single batch, so that the query takes one round trip.
    const rows = await books.find(filter).sort(sort).limit(limit).batchSize(limit).toArray()
    return rows.map(toBook)
  }
  const newestFirst = { createdAt: -1, _id: -1 } as const
  return {
    listNewest(accountId, { after, limit }) {
      const owners = { ownerId: { $in: [accountId, builtIn] } }
      const { at, id } = after ?? {}
      const afterPosition = after && { createdAt: { $lte: at }, $nor: [{ createdAt: at, _id: { $gte: id } }] }
      return list({ ...owners, ...afterPosition }, { sort: newestFirst, limit })
    },
    listNewestReady: (accountId, limit) =>
      list({ ownerId: { $in: [accountId, builtIn] }, status: 'READY' }, { sort: newestFirst, limit }),
    listNeedingAttention: (accountId, limit) =>
      list(
        { ownerId: accountId, health: { $in: [...unhealthyStates] }, status: { $in: ['READY', 'FAILED'] } },
        { sort: newestFirst, limit },
      ),
    listImporting: (accountId, limit) =>
      list({ ownerId: accountId, status: { $in: [...importingStates] } }, { sort: newestFirst, limit }),
    async countImporting(accountId, limit) {
      const filter = { ownerId: accountId, status: { $in: [...importingStates] } }
      const rows = books.find(filter, { projection: { _id: 1 } })
      return (await rows.limit(limit).batchSize(limit).toArray()).length
    },
    listNeedingEnrichment: (accountId, limit) =>
      list({ ownerId: accountId, needsEnrichment: true }, { sort: { pageCount: 1, ...newestFirst }, limit }),
    async listOldest(accountId, limit) {
      const cursor = books.find({ ownerId: accountId }, { projection: { createdAt: 1 } })
      const rows = await cursor.sort({ createdAt: 1, _id: 1 }).limit(limit).toArray()
      return rows.map(({ _id, createdAt }) => ({ id: _id, createdAt }))
    },
    async listIdsAdded(ownerId, { from, before }) {
      const createdAt = { ...(from && { $gte: from }), ...(before && { $lt: before }) }
      const rows = await books.find({ ownerId, createdAt }, { projection: { _id: 1 } }).toArray()
      return rows.map(({ _id }) => _id)
    },
    async libraryCounts(accountId) {
      const sums = await counts.read([...new Set([accountId, builtIn])])
      return { own: { ...zeroCounts, ...sums.get(accountId) }, builtIn: { ...zeroCounts, ...sums.get(builtIn) } }
    },
    removeCounts: counts.reset,
    findCountMismatches: counts.findMismatches,
    correctCounts: counts.correct,
  }
}

/** The book of a row. */
export function toBook({ _id, ofTheWeek: _ofTheWeek, uncounted: _uncounted, ...fields }: BookRow): Book {
  return { id: _id, ...fields }
}
