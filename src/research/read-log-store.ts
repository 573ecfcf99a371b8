import { LRUCache } from 'lru-cache'
import { MongoBulkWriteError, type AnyBulkWriteOperation, type Collection, type Db } from 'mongodb'
import { gather } from '../gather.ts'
import type { BookRead } from './session-store.ts'
import type { Span } from './window.ts'

/** What was read in one quarter of an hour. */
export interface Tally {
  pages: number
  content: number
  toc: number
  untracked: number
  words: number
}

export interface BookTally {
  itemId: string
  title: string
  reads: number
  pages: number
  /** Research sessions in which it was opened for the first time. */
  sessions: number
}

export interface CountedReads {
  at: Date
  books: readonly BookRead[]
  /** Under a research session. */
  tracked: boolean
  /** Books that are new to the session. */
  freshBooks: readonly string[]
}

export interface ReadLog {
  /** Counts reads at an instant: one row for the account's day, one for each book. */
  count(accountId: string, reads: CountedReads): Promise<void>
  /** What was counted in a span by quarter of an hour, in order; `pagesOfDays` is the sum over the UTC days it touches. */
  quarters(accountId: string, span: Span): Promise<{ quarters: { at: Date; tally: Tally }[]; pagesOfDays: number }>
  /** What was read of each book in a span. */
  byBook(accountId: string, span: Span): Promise<BookTally[]>
  /** Pages read in the UTC days that a span touches, by account; those without are left out. Up to ten minutes old. */
  pagesOfAll(span: Span): Promise<ReadonlyMap<string, number>>
  removeAccount(accountId: string): Promise<void>
}

/** One row an account and UTC day; `quarters` holds what was counted, by quarter of the day (0 to 95). */
interface DayRow {
  _id: string
  accountId: string
  day: string
  pages: number
  quarters: Record<string, Partial<Tally>>
}

/** One row an account, UTC month and book; quarters count from the beginning of the month (0 to 2975). */
interface BookRow {
  _id: string
  accountId: string
  month: string
  itemId: string
  title: string
  quarters: Record<string, Partial<Pick<BookTally, 'reads' | 'pages' | 'sessions'>>>
}

interface Collections {
  days: Collection<DayRow>
  books: Collection<BookRow>
}

const quarterMs = 15 * 60 * 1000

/**
 * Counters of reads on MongoDB: collections `readDays` and `readBooks`. A report adds up as many rows as there were days
 * and books, not as there were reads; quarters of an hour make the days of any time zone exact.
 */
export function createReadLog(db: Db): ReadLog {
  const rows: Collections = { days: db.collection('readDays'), books: db.collection('readBooks') }
  const everybody = cachePages(rows.days)
  const count = gather(async (counted: readonly Counted[]) => {
    await Promise.all([raise(rows.days, counted.map(dayRaise)), raise(rows.books, counted.flatMap(bookRaises))])
    return counted
  })
  return {
    async count(accountId, reads) {
      await count({ accountId, reads })
    },
    quarters: (accountId, span) => quarters(rows.days, accountId, span),
    byBook: (accountId, span) => byBook(rows.books, accountId, span),
    pagesOfAll: everybody,
    async removeAccount(accountId) {
      await Promise.all([rows.days.deleteMany({ accountId }), rows.books.deleteMany({ accountId })])
    },
  }
}

interface Counted {
  accountId: string
  reads: CountedReads
}

/** Counters of one row to raise, and what is set with them. */
interface Raise {
  _id: string
  set?: Record<string, string>
  first: Record<string, string>
  counters: Record<string, number>
}

function dayRaise({ accountId, reads: { at, books, tracked } }: Counted): Raise {
  const content = books.filter(({ depth }) => depth === 'content').length
  const sum = (field: 'pages' | 'words') => books.reduce((total, book) => total + book[field], 0)
  const tally: Tally = {
    pages: sum('pages'),
    content,
    toc: books.length - content,
    untracked: tracked ? 0 : books.length,
    words: sum('words'),
  }
  const day = at.toISOString().slice(0, 10)
  const counters = { pages: tally.pages, ...increments(at, day, tally) }
  return { _id: `${accountId}:${day}`, first: { accountId, day }, counters }
}

function bookRaises({ accountId, reads: { at, books, freshBooks } }: Counted): Raise[] {
  const month = at.toISOString().slice(0, 7)
  return books.map(({ itemId, title, pages }) => {
    const tally = { reads: 1, pages, sessions: freshBooks.includes(itemId) ? 1 : 0 }
    const first = { accountId, month, itemId }
    return { _id: `${accountId}:${month}:${itemId}`, set: { title }, first, counters: increments(at, month, tally) }
  })
}

/** Raises counters, those of one row together, in one round trip. */
async function raise<T extends { _id: string }>(rows: Collection<T>, raises: readonly Raise[]): Promise<void> {
  const operations = [...Map.groupBy(raises, ({ _id }) => _id)].map(([_id, own]) => {
    const counters: Record<string, number> = {}
    for (const [name, value] of own.flatMap((each) => Object.entries(each.counters))) {
      counters[name] = (counters[name] ?? 0) + value
    }
    const { set, first } = own.at(-1) as Raise
    const update = { $setOnInsert: first, $inc: counters, ...(set ? { $set: set } : {}) }
    return { updateOne: { filter: { _id }, update, upsert: true } } as unknown as AnyBulkWriteOperation<T>
  })
  if (operations.length > 0) await upsertAll(rows, operations)
}

/** The counters of a row to raise; `begin` is the day or month that the row is for. */
function increments(at: Date, begin: string, tally: object): Record<string, number> {
  const quarter = Math.floor((at.getTime() - Date.parse(begin)) / quarterMs)
  const counted = Object.entries(tally).filter(([, value]) => value > 0)
  return Object.fromEntries(counted.map(([name, value]) => [`quarters.${quarter}.${name}`, value]))
}

const duplicateKey = 11_000
const attempts = 4

/** Applies upserts in one round trip. One that has met another first upsert of its row did nothing and is done again. */
async function upsertAll<T extends object>(rows: Collection<T>, all: AnyBulkWriteOperation<T>[]): Promise<void> {
  let left = all
  for (let attempt = 1; ; attempt++) {
    try {
      await rows.bulkWrite(left, { ordered: false })
      return
    } catch (error) {
      if (!(error instanceof MongoBulkWriteError) || attempt === attempts) throw error
      const failed = [error.writeErrors].flat()
      if (failed.length === 0 || failed.some(({ code }) => code !== duplicateKey)) throw error
      left = failed.map(({ index }) => left[index] as AnyBulkWriteOperation<T>)
    }
  }
}

async function quarters(days: Collection<DayRow>, accountId: string, span: Span) {
  const rows = await days
    .find({ accountId, day: daysOf(span) })
    .sort({ day: 1 })
    .toArray()
  return {
    quarters: rows.flatMap((row) =>
      within(span, row.day, row.quarters).map(([at, tally]) => ({
        at,
        tally: { pages: 0, content: 0, toc: 0, untracked: 0, words: 0, ...tally },
      })),
    ),
    pagesOfDays: rows.reduce((sum, { pages }) => sum + pages, 0),
  }
}

async function byBook(books: Collection<BookRow>, accountId: string, span: Span): Promise<BookTally[]> {
  const tallies = new Map<string, BookTally>()
  const { $gte, $lte } = daysOf(span)
  const filter = { accountId, month: { $gte: $gte.slice(0, 7), $lte: $lte.slice(0, 7) } }
  for await (const { month, itemId, title, quarters: counted } of books.find(filter).sort({ month: 1 })) {
    const inside = within(span, month, counted)
    if (inside.length === 0) continue
    const sum = tallies.get(itemId) ?? { itemId, title, reads: 0, pages: 0, sessions: 0 }
    for (const [, { reads = 0, pages = 0, sessions = 0 }] of inside) {
      sum.reads += reads
      sum.pages += pages
      sum.sessions += sessions
    }
    tallies.set(itemId, { ...sum, title })
  }
  return [...tallies.values()]
}

/** The UTC days that a span touches; none when it is empty. */
function daysOf({ start, end }: Span) {
  return { $gte: start.toISOString().slice(0, 10), $lte: new Date(end.getTime() - 1).toISOString().slice(0, 10) }
}

/** The quarters of a row that lie in a span, in order; `begin` is the day or month that the row is for. */
function within<T>({ start, end }: Span, begin: string, counted: Record<string, T> = {}): [Date, T][] {
  const first = Date.parse(begin)
  return Object.entries(counted)
    .map(([quarter, tally]): [Date, T] => [new Date(first + Number(quarter) * quarterMs), tally])
    .filter(([at]) => at >= start && at < end)
    .sort(([a], [b]) => a.getTime() - b.getTime())
}

const keepMs = 10 * 60 * 1000

/** The sums over all accounts cost a row for each account and day: kept for ten minutes, never worked out twice at a time. */
function cachePages(days: Collection<DayRow>): ReadLog['pagesOfAll'] {
  let last: Promise<unknown> = Promise.resolve()
  const sums = async (range: ReturnType<typeof daysOf>): Promise<ReadonlyMap<string, number>> => {
    const rows = days.aggregate<{ _id: string; pages: number }>([
      { $match: { day: range, pages: { $gt: 0 } } },
      { $group: { _id: '$accountId', pages: { $sum: '$pages' } } },
    ])
    return new Map((await rows.toArray()).map(({ _id, pages }) => [_id, pages]))
  }
  const cache = new LRUCache<string, ReadonlyMap<string, number>, ReturnType<typeof daysOf>>({
    max: 16,
    ttl: keepMs,
    fetchMethod(_key, _stale, { context }) {
      const turn = last.then(() => sums(context))
      last = turn.catch(() => {})
      return turn
    },
  })
  return async (span) => {
    const range = daysOf(span)
    return (await cache.fetch(`${range.$gte} ${range.$lte}`, { context: range })) ?? new Map()
  }
}
