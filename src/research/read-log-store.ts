import { LRUCache } from 'lru-cache'
import type { Collection, Db } from 'mongodb'
import { writeBehindDelayMs, unjournaled } from '../db/write-concern.ts'
import { writeBehind } from '../runtime/batch.ts'
import {
  countReads,
  type BookRow,
  type BookReadCounts,
  type AccountReads,
  type ReadsToCount,
  type DayRow,
  type ReadRows,
  type ReadCounts,
} from './read-count-store.ts'
import { findPageReads, type PageReadRow } from './page-read-store.ts'
import { quarterHourMs, type TimeSpan } from './report-days.ts'

export interface ReadLog {
  /**
   * Counts reads at an instant, in the account's row of the day and one row per book. The write is deferred; `flush`
   * waits for it.
   */
  count(accountId: string, reads: ReadsToCount): void
  /** Waits until everything counted so far is written. */
  flush(): Promise<void>
  /**
   * The counts of a span by quarter-hour, in order; `pagesOfDays` is the sum over all UTC days that the span touches.
   */
  countsByQuarterHour(
    accountId: string,
    span: TimeSpan,
  ): Promise<{ quarters: { at: Date; counts: ReadCounts }[]; pagesOfDays: number }>
  /** The reads of each book in a span. */
  countsByBook(accountId: string, span: TimeSpan): Promise<BookReadCounts[]>
  /**
   * The number of pages read on the UTC days of a span, by account; omits accounts without any. Up to ten minutes old.
   */
  pagesByAccount(span: TimeSpan): Promise<ReadonlyMap<string, number>>
  removeAccount(accountId: string): Promise<void>
  /** How often the pages of a book were read since a week (its Monday), newest first, at most 400 rows. */
  pageReads(itemId: string, sinceWeek: string): Promise<PageReadRow[]>
  /** Removes the page reads of a book. */
  removeBook(itemId: string): Promise<void>
}

export interface ReadLogStores {
  readLog: ReadLog
}

/**
 * Read counters on MongoDB: collections `readDays`, `readBooks` and `pageReads`. A report reads one row per day and per book,
 * whatever the number of reads; quarter-hours make the days of any time zone exact. `onError` receives the error of a
 * background write.
 */
export function createReadLog(db: Db, { onError }: { onError(error: unknown): void }): ReadLog {
  const rows: ReadRows = {
    days: db.collection('readDays', unjournaled),
    books: db.collection('readBooks', unjournaled),
    pages: db.collection('pageReads', unjournaled),
  }
  const { add, flush } = writeBehind((counted: readonly AccountReads[]) => countReads(rows, counted), {
    delayMs: writeBehindDelayMs,
    onError,
  })
  return {
    count: (accountId, reads) => add({ accountId, reads }),
    flush,
    async countsByQuarterHour(accountId, span) {
      await flush()
      return countsByQuarterHour(rows.days, accountId, span)
    },
    async countsByBook(accountId, span) {
      await flush()
      return countsByBook(rows.books, accountId, span)
    },
    pagesByAccount: createPagesCache(rows.days, flush),
    async pageReads(itemId, sinceWeek) {
      await flush()
      return findPageReads(rows.pages, itemId, sinceWeek)
    },
    async removeBook(itemId) {
      await flush()
      await rows.pages.deleteMany({ itemId })
    },
    async removeAccount(accountId) {
      await flush()
      await Promise.all([rows.days.deleteMany({ accountId }), rows.books.deleteMany({ accountId })])
    },
  }
}

async function countsByQuarterHour(days: Collection<DayRow>, accountId: string, span: TimeSpan) {
  const rows = await days
    .find({ accountId, day: dayRange(span) })
    .sort({ day: 1 })
    .toArray()
  return {
    quarters: rows.flatMap((row) =>
      withinSpan(span, row.day, row.quarters).map(([at, counts]) => ({
        at,
        counts: { pages: 0, content: 0, toc: 0, untracked: 0, words: 0, ...counts },
      })),
    ),
    pagesOfDays: rows.reduce((sum, { pages }) => sum + pages, 0),
  }
}

async function countsByBook(books: Collection<BookRow>, accountId: string, span: TimeSpan): Promise<BookReadCounts[]> {
  const totals = new Map<string, BookReadCounts>()
  const { $gte, $lte } = dayRange(span)
  const filter = { accountId, month: { $gte: $gte.slice(0, 7), $lte: $lte.slice(0, 7) } }
  for await (const { month, itemId, title, quarters } of books.find(filter).sort({ month: 1 })) {
    const inside = withinSpan(span, month, quarters)
    if (inside.length === 0) continue
    const total = totals.get(itemId) ?? { itemId, title, reads: 0, pages: 0, sessions: 0 }
    for (const [, { reads = 0, pages = 0, sessions = 0 }] of inside) {
      total.reads += reads
      total.pages += pages
      total.sessions += sessions
    }
    totals.set(itemId, { ...total, title })
  }
  return [...totals.values()]
}

/** The UTC days of a span; empty for an empty span. */
function dayRange({ start, end }: TimeSpan) {
  return { $gte: start.toISOString().slice(0, 10), $lte: new Date(end.getTime() - 1).toISOString().slice(0, 10) }
}

/** The quarter-hours of a row that lie in a span, in order; `periodStart` is the day or month of the row. */
function withinSpan<T>({ start, end }: TimeSpan, periodStart: string, quarters: Record<string, T> = {}): [Date, T][] {
  const first = Date.parse(periodStart)
  return Object.entries(quarters)
    .map(([quarter, counts]): [Date, T] => [new Date(first + Number(quarter) * quarterHourMs), counts])
    .filter(([at]) => at >= start && at < end)
    .sort(([a], [b]) => a.getTime() - b.getTime())
}

const cacheTtlMs = 10 * 60 * 1000

/**
 * Sums over all accounts read one row per account and day, so they are cached for ten minutes and computed one at a
 * time.
 */
function createPagesCache(days: Collection<DayRow>, flush: () => Promise<void>): ReadLog['pagesByAccount'] {
  let lastRun: Promise<unknown> = Promise.resolve()
  const sums = async (range: ReturnType<typeof dayRange>): Promise<ReadonlyMap<string, number>> => {
    await flush()
    const rows = days.aggregate<{ _id: string; pages: number }>([
      { $match: { day: range, pages: { $gt: 0 } } },
      { $group: { _id: '$accountId', pages: { $sum: '$pages' } } },
    ])
    return new Map((await rows.toArray()).map(({ _id, pages }) => [_id, pages]))
  }
  const cache = new LRUCache<string, ReadonlyMap<string, number>, ReturnType<typeof dayRange>>({
    max: 16,
    ttl: cacheTtlMs,
    fetchMethod(_key, _stale, { context }) {
      const run = lastRun.then(() => sums(context))
      lastRun = run.catch(() => {})
      return run
    },
  })
  return async (span) => {
    const range = dayRange(span)
    return (await cache.fetch(`${range.$gte} ${range.$lte}`, { context: range })) ?? new Map()
  }
}
