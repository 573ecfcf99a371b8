import type { Collection, Db, Filter, Sort } from 'mongodb'
import { createDerivedCounts, type DerivedCounts } from '../db/derived-counts.ts'
import type { CountsRow, PendingCount } from '../db/derived-count-rows.ts'
import type { Book, Health } from './book.ts'

/** A stored book. The mark `ofTheWeek` is unique: one book at most is featured. */
export type BookRow = Omit<Book, 'id'> & { _id: string; ofTheWeek?: true; uncounted?: PendingCount }

/** A place in a library: when a book came into it, and its id. */
export interface LibraryPosition {
  at: Date
  id: string
}

/** What the books of a library add up to. */
export interface LibraryCounts {
  books: number
  ready: number
  /** Of books that are ready. */
  pages: number
  needEnrichment: number
  needAttention: number
  pdf: number
  epub: number
  markdown: number
}

/** The lists and sums of a library; each costs what it shows, however many books there are. */
export interface LibraryStore {
  /** Own and built-in books, the newest first, at most `limit` of those behind a place; null: from the first one on. */
  listNewest(accountId: string, page: { after: LibraryPosition | null; limit: number }): Promise<Book[]>
  /** Those that are ready. */
  listNewestReady(accountId: string, limit: number): Promise<Book[]>
  /** The account's own books that failed or whose text is not in order, the newest first. */
  listNeedingAttention(accountId: string, limit: number): Promise<Book[]>
  /** The account's own books that need better metadata, the smallest first, the newest of them. */
  listNeedingEnrichment(accountId: string, limit: number): Promise<Book[]>
  /** The account's `limit` oldest books. */
  listOldest(accountId: string, limit: number): Promise<Pick<Book, 'id' | 'createdAt'>[]>
  /** What the account's own books add up to, and what the built-in ones do. */
  libraryCounts(accountId: string): Promise<{ own: LibraryCounts; builtIn: LibraryCounts }>
  /** Removes what is kept of the sums of an account that has no books any more. */
  removeCounts(accountId: string): Promise<void>
  /** Accounts whose sums are not what their books say; for checks. */
  findCountMismatches(): AsyncIterable<string>
}

type CountedBookFields = Pick<Book, 'status' | 'health' | 'pageCount' | 'needsEnrichment' | 'sourceType'>

const countedFields = ['status', 'health', 'pageCount', 'needsEnrichment', 'sourceType'] as const
const unhealthyStates = ['partial', 'empty', 'unreadable', 'failed', 'stuck', 'needs_confirmation'] satisfies Health[]

/** What one book adds to the sums of a library. */
export function countsOfBook({
  status,
  health,
  pageCount,
  needsEnrichment,
  sourceType,
}: CountedBookFields): LibraryCounts {
  const ready = status === 'READY'
  return {
    ...zeroCounts,
    books: 1,
    ready: ready ? 1 : 0,
    pages: ready ? pageCount : 0,
    needEnrichment: needsEnrichment ? 1 : 0,
    needAttention: health !== 'ok' && (ready || status === 'FAILED') ? 1 : 0,
    [sourceType]: 1,
  }
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
}

/** Adds up what books add. */
export function addCounts(parts: readonly LibraryCounts[]): LibraryCounts {
  const total = { ...zeroCounts }
  for (const counts of parts)
    for (const name of Object.keys(zeroCounts) as (keyof LibraryCounts)[]) total[name] += counts[name]
  return total
}

/** True for a change that may change what a book adds to the sums of its library. */
export function affectsCounts(set: object): boolean {
  return countedFields.some((field) => field in set)
}

/** The sums of libraries: collection `bookTallies`, one row an owner. */
export function createLibraryCounts(db: Db): DerivedCounts {
  return createDerivedCounts<BookRow>({
    rows: db.collection('books'),
    counts: db.collection<CountsRow>('bookTallies'),
    ownerField: 'ownerId',
    fields: countedFields,
    sumsOf: (fields) => ({ ...countsOfBook(fields as CountedBookFields) }),
  })
}

/** Lists of a library on MongoDB: an index gives each its order. `builtIn` owns the books that everybody can read. */
export function createLibraryStore(
  books: Collection<BookRow>,
  { tally, builtIn }: { tally: DerivedCounts; builtIn: string },
): LibraryStore {
  const list = async (filter: Filter<BookRow>, { sort, limit }: { sort: Sort; limit: number }) => {
    // In one round trip.
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
    listNeedingEnrichment: (accountId, limit) =>
      list({ ownerId: accountId, needsEnrichment: true }, { sort: { pageCount: 1, ...newestFirst }, limit }),
    async listOldest(accountId, limit) {
      const cursor = books.find({ ownerId: accountId }, { projection: { createdAt: 1 } })
      const rows = await cursor.sort({ createdAt: 1, _id: 1 }).limit(limit).toArray()
      return rows.map(({ _id, createdAt }) => ({ id: _id, createdAt }))
    },
    async libraryCounts(accountId) {
      const sums = await tally.read([...new Set([accountId, builtIn])])
      return { own: { ...zeroCounts, ...sums.get(accountId) }, builtIn: { ...zeroCounts, ...sums.get(builtIn) } }
    },
    removeCounts: tally.reset,
    findCountMismatches: tally.findMismatches,
  }
}

/** The book of a row. */
export function toBook({ _id, ofTheWeek: _ofTheWeek, uncounted: _uncounted, ...fields }: BookRow): Book {
  return { id: _id, ...fields }
}
