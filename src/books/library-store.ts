import type { Collection, Db, Filter, Sort } from 'mongodb'
import { createTally, type Tally } from '../db/derived-counts.ts'
import type { TallyRow, Uncounted } from '../db/derived-count-rows.ts'
import type { Book, Health } from './book.ts'

/** A stored book. The mark `ofTheWeek` is unique: one book at most is featured. */
export type BookRow = Omit<Book, 'id'> & { _id: string; ofTheWeek?: true; uncounted?: Uncounted }

/** A place in a library: when a book came into it, and its id. */
export interface Place {
  at: Date
  id: string
}

/** What the books of a library add up to. */
export interface LibrarySums {
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
  newest(accountId: string, part: { behind: Place | null; limit: number }): Promise<Book[]>
  /** Those that are ready. */
  newestReady(accountId: string, limit: number): Promise<Book[]>
  /** The account's own books that failed or whose text is not in order, the newest first. */
  needAttention(accountId: string, limit: number): Promise<Book[]>
  /** The account's own books that need better metadata, the smallest first, the newest of them. */
  needEnrichment(accountId: string, limit: number): Promise<Book[]>
  /** The account's `limit` oldest books. */
  oldest(accountId: string, limit: number): Promise<Pick<Book, 'id' | 'createdAt'>[]>
  /** What the account's own books add up to, and what the built-in ones do. */
  sums(accountId: string): Promise<{ own: LibrarySums; builtIn: LibrarySums }>
  /** Removes what is kept of the sums of an account that has no books any more. */
  forgetSums(accountId: string): Promise<void>
  /** Accounts whose sums are not what their books say; for checks. */
  wrongSums(): AsyncIterable<string>
}

type Weighed = Pick<Book, 'status' | 'health' | 'pageCount' | 'needsEnrichment' | 'sourceType'>

const weighed = ['status', 'health', 'pageCount', 'needsEnrichment', 'sourceType'] as const
const unhealthy = ['partial', 'empty', 'unreadable', 'failed', 'stuck', 'needs_confirmation'] satisfies Health[]

/** What one book adds to the sums of a library. */
export function weigh({ status, health, pageCount, needsEnrichment, sourceType }: Weighed): LibrarySums {
  const ready = status === 'READY'
  return {
    ...nothing,
    books: 1,
    ready: ready ? 1 : 0,
    pages: ready ? pageCount : 0,
    needEnrichment: needsEnrichment ? 1 : 0,
    needAttention: health !== 'ok' && (ready || status === 'FAILED') ? 1 : 0,
    [sourceType]: 1,
  }
}

const nothing: LibrarySums = {
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
export function addSums(all: readonly LibrarySums[]): LibrarySums {
  const total = { ...nothing }
  for (const each of all) for (const name of Object.keys(nothing) as (keyof LibrarySums)[]) total[name] += each[name]
  return total
}

/** True for a change that may change what a book adds to the sums of its library. */
export function isWeighed(set: object): boolean {
  return weighed.some((field) => field in set)
}

/** The sums of libraries: collection `bookTallies`, one row an owner. */
export function createLibraryTally(db: Db): Tally {
  return createTally<BookRow>({
    rows: db.collection('books'),
    tallies: db.collection<TallyRow>('bookTallies'),
    owner: 'ownerId',
    fields: weighed,
    sumsOf: (fields) => ({ ...weigh(fields as Weighed) }),
  })
}

/** Lists of a library on MongoDB: an index gives each its order. `builtIn` owns the books that everybody can read. */
export function createLibraryStore(
  books: Collection<BookRow>,
  { tally, builtIn }: { tally: Tally; builtIn: string },
): LibraryStore {
  const list = async (filter: Filter<BookRow>, { sort, limit }: { sort: Sort; limit: number }) => {
    // In one round trip.
    const rows = await books.find(filter).sort(sort).limit(limit).batchSize(limit).toArray()
    return rows.map(toBook)
  }
  const newestFirst = { createdAt: -1, _id: -1 } as const
  return {
    newest(accountId, { behind, limit }) {
      const owners = { ownerId: { $in: [accountId, builtIn] } }
      const { at, id } = behind ?? {}
      const place = behind && { createdAt: { $lte: at }, $nor: [{ createdAt: at, _id: { $gte: id } }] }
      return list({ ...owners, ...place }, { sort: newestFirst, limit })
    },
    newestReady: (accountId, limit) =>
      list({ ownerId: { $in: [accountId, builtIn] }, status: 'READY' }, { sort: newestFirst, limit }),
    needAttention: (accountId, limit) =>
      list(
        { ownerId: accountId, health: { $in: [...unhealthy] }, status: { $in: ['READY', 'FAILED'] } },
        { sort: newestFirst, limit },
      ),
    needEnrichment: (accountId, limit) =>
      list({ ownerId: accountId, needsEnrichment: true }, { sort: { pageCount: 1, ...newestFirst }, limit }),
    async oldest(accountId, limit) {
      const cursor = books.find({ ownerId: accountId }, { projection: { createdAt: 1 } })
      const rows = await cursor.sort({ createdAt: 1, _id: 1 }).limit(limit).toArray()
      return rows.map(({ _id, createdAt }) => ({ id: _id, createdAt }))
    },
    async sums(accountId) {
      const sums = await tally.read([...new Set([accountId, builtIn])])
      return { own: { ...nothing, ...sums.get(accountId) }, builtIn: { ...nothing, ...sums.get(builtIn) } }
    },
    forgetSums: tally.forget,
    wrongSums: tally.wrong,
  }
}

/** The book of a row. */
export function toBook({ _id, ofTheWeek: _ofTheWeek, uncounted: _uncounted, ...fields }: BookRow): Book {
  return { id: _id, ...fields }
}
