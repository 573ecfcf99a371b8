import { MongoBulkWriteError, type AnyBulkWriteOperation, type Collection } from 'mongodb'
import { duplicateKeyCode } from '../core/errors.ts'
import { pageReadUpserts, type PageRead, type PageReadRow } from './page-read-store.ts'
import { quarterHourMs } from './report-days.ts'
import type { BookRead } from './session-store.ts'

/** The reads of an account in a quarter of an hour. */
export interface ReadCounts {
  pages: number
  content: number
  toc: number
  untracked: number
  words: number
}

export interface BookReadCounts {
  itemId: string
  title: string
  reads: number
  pages: number
  /** Number of research sessions that opened the book for the first time in the span. */
  sessions: number
}

export interface ReadsToCount {
  at: Date
  books: readonly BookRead[]
  /** True if the reads belong to a research session. */
  tracked: boolean
  /** Ids of books that the session had not opened before. */
  newBooks: readonly string[]
  /** The program that read; null in a browser. */
  agent: string | null
}

/** One row per account and UTC day; `quarters` holds the counts by quarter-hour of the day (0 to 95). */
export interface DayRow {
  _id: string
  accountId: string
  day: string
  pages: number
  quarters: Record<string, Partial<ReadCounts>>
}

/** One row per account, UTC month and book; `quarters` counts quarter-hours from the start of the month (0 to 2975). */
export interface BookRow {
  _id: string
  accountId: string
  month: string
  itemId: string
  title: string
  quarters: Record<string, Partial<Pick<BookReadCounts, 'reads' | 'pages' | 'sessions'>>>
}

export interface ReadRows {
  days: Collection<DayRow>
  books: Collection<BookRow>
  pages: Collection<PageReadRow>
}

export interface AccountReads {
  accountId: string
  reads: ReadsToCount
}

/** The increments of one row; `quarters` is keyed by the quarter-hour of the row's day or month. */
interface RowIncrement {
  insertFields: Record<string, string>
  setFields: Record<string, string> | null
  pages: number
  quarters: Map<number, Record<string, number>>
}

type RowIncrements = Map<string, RowIncrement>

/** Adds reads to their rows: one increment per row, one round trip per collection. */
export async function countReads(rows: ReadRows, reads: readonly AccountReads[]): Promise<void> {
  const [days, books]: [RowIncrements, RowIncrements] = [new Map(), new Map()]
  for (const read of reads) {
    addToDay(days, read)
    addToBooks(books, read)
  }
  const dayUpdates = [...days].map(([_id, increment]) =>
    buildUpsert<DayRow>(_id, increment, { pages: increment.pages }),
  )
  const bookUpdates = [...books].map(([_id, increment]) => buildUpsert<BookRow>(_id, increment))
  await Promise.all([
    upsertAll(rows.days, dayUpdates),
    upsertAll(rows.books, bookUpdates),
    upsertAll(rows.pages, pageReadUpserts(reads.flatMap(pageReads))),
  ])
}

function pageReads({ accountId, reads: { at, books, agent } }: AccountReads): PageRead[] {
  return books.flatMap(({ itemId, read }) => {
    if (read === undefined) return []
    const { ownerId, pageCount, ranges } = read
    const reader = ownerId === accountId ? (agent ?? '') : null
    return [{ itemId, pageCount, ranges, agent: reader, readerId: accountId, at }]
  })
}

function addToDay(increments: RowIncrements, { accountId, reads: { at, books, tracked } }: AccountReads): void {
  const day = at.toISOString().slice(0, 10)
  const increment = incrementFor(increments, `${accountId}:${day}`, { accountId, day })
  const counts = { pages: 0, content: 0, toc: 0, untracked: tracked ? 0 : books.length, words: 0 }
  for (const { depth, pages, words } of books) {
    counts[depth] += 1
    counts.pages += pages
    counts.words += words
  }
  increment.pages += counts.pages
  addCounts(increment, quarterHourOf(at, day), counts)
}

function addToBooks(increments: RowIncrements, { accountId, reads: { at, books, newBooks } }: AccountReads): void {
  const month = at.toISOString().slice(0, 7)
  const quarter = quarterHourOf(at, month)
  for (const { itemId, title, pages } of books) {
    const increment = incrementFor(increments, `${accountId}:${month}:${itemId}`, { accountId, month, itemId })
    increment.setFields = { title }
    addCounts(increment, quarter, { reads: 1, pages, sessions: newBooks.includes(itemId) ? 1 : 0 })
  }
}

function incrementFor(increments: RowIncrements, _id: string, insertFields: Record<string, string>): RowIncrement {
  const existing = increments.get(_id)
  if (existing) return existing
  const increment: RowIncrement = { insertFields, setFields: null, pages: 0, quarters: new Map() }
  increments.set(_id, increment)
  return increment
}

/** The index of the quarter-hour since the start of the day or month. */
function quarterHourOf(at: Date, periodStart: string): number {
  return Math.floor((at.getTime() - Date.parse(periodStart)) / quarterHourMs)
}

function addCounts(increment: RowIncrement, quarter: number, counts: Record<string, number>): void {
  const sum = increment.quarters.get(quarter)
  if (sum) for (const [name, value] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + value
  else increment.quarters.set(quarter, counts)
}

function buildUpsert<T extends { _id: string }>(
  _id: string,
  { insertFields, setFields, quarters }: RowIncrement,
  totals: Record<string, number> = {},
): AnyBulkWriteOperation<T> {
  const counters: Record<string, number> = { ...totals }
  for (const [quarter, counts] of quarters) {
    for (const [name, value] of Object.entries(counts)) if (value > 0) counters[`quarters.${quarter}.${name}`] = value
  }
  const update = { $setOnInsert: insertFields, $inc: counters, ...(setFields ? { $set: setFields } : {}) }
  return { updateOne: { filter: { _id }, update, upsert: true } } as unknown as AnyBulkWriteOperation<T>
}

const maxAttempts = 4

/**
 * Applies upserts in one round trip. Two concurrent first upserts of a row collide on its id; the failing one is
 * applied again.
 */
async function upsertAll<T extends object>(rows: Collection<T>, operations: AnyBulkWriteOperation<T>[]): Promise<void> {
  let remaining = operations
  if (remaining.length === 0) return
  for (let attempt = 1; ; attempt++) {
    try {
      await rows.bulkWrite(remaining, { ordered: false })
      return
    } catch (error) {
      if (!(error instanceof MongoBulkWriteError) || attempt === maxAttempts) throw error
      const failed = [error.writeErrors].flat()
      if (failed.length === 0 || failed.some(({ code }) => code !== duplicateKeyCode)) throw error
      remaining = failed.map(({ index }) => remaining[index] as AnyBulkWriteOperation<T>)
    }
  }
}
