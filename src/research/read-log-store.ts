import { LRUCache } from 'lru-cache'
import type { Collection, Db } from 'mongodb'
import { collectMs, unjournaled } from '../db/write-concern.ts'
import { collect } from '../runtime/batch.ts'
import {
  countReads,
  quarterMs,
  type BookRow,
  type BookTally,
  type Counted,
  type CountedReads,
  type DayRow,
  type ReadRows,
  type Tally,
} from './read-count-store.ts'
import type { Span } from './report-days.ts'

export interface ReadLog {
  /** Counts reads at an instant: one row for the account's day, one for each book. They are in the store a moment later. */
  count(accountId: string, reads: CountedReads): void
  /** Waits until what was counted so far is in the store. */
  settled(): Promise<void>
  /** What was counted in a span by quarter of an hour, in order; `pagesOfDays` is the sum over the UTC days it touches. */
  quarters(accountId: string, span: Span): Promise<{ quarters: { at: Date; tally: Tally }[]; pagesOfDays: number }>
  /** What was read of each book in a span. */
  byBook(accountId: string, span: Span): Promise<BookTally[]>
  /** Pages read in the UTC days that a span touches, by account; those without are left out. Up to ten minutes old. */
  pagesOfAll(span: Span): Promise<ReadonlyMap<string, number>>
  removeAccount(accountId: string): Promise<void>
}

export interface ReadLogStores {
  readLog: ReadLog
}

/**
 * Counters of reads on MongoDB: collections `readDays` and `readBooks`. A report adds up as many rows as there were days
 * and books, not as there were reads; quarters of an hour make the days of any time zone exact.
 */
export function createReadLog(db: Db, { failed }: { failed(error: unknown): void }): ReadLog {
  const rows: ReadRows = {
    days: db.collection('readDays', unjournaled),
    books: db.collection('readBooks', unjournaled),
  }
  const { give, settled } = collect((counted: readonly Counted[]) => countReads(rows, counted), {
    afterMs: collectMs,
    failed,
  })
  return {
    count: (accountId, reads) => give({ accountId, reads }),
    settled,
    async quarters(accountId, span) {
      await settled()
      return quarters(rows.days, accountId, span)
    },
    async byBook(accountId, span) {
      await settled()
      return byBook(rows.books, accountId, span)
    },
    pagesOfAll: cachePages(rows.days, settled),
    async removeAccount(accountId) {
      await settled()
      await Promise.all([rows.days.deleteMany({ accountId }), rows.books.deleteMany({ accountId })])
    },
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
function cachePages(days: Collection<DayRow>, settled: () => Promise<void>): ReadLog['pagesOfAll'] {
  let last: Promise<unknown> = Promise.resolve()
  const sums = async (range: ReturnType<typeof daysOf>): Promise<ReadonlyMap<string, number>> => {
    await settled()
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
