import { MongoBulkWriteError, type AnyBulkWriteOperation, type Collection } from 'mongodb'
import { duplicateKey } from '../core/errors.ts'
import type { BookRead } from './session-store.ts'

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

/** One row an account and UTC day; `quarters` holds what was counted, by quarter of the day (0 to 95). */
export interface DayRow {
  _id: string
  accountId: string
  day: string
  pages: number
  quarters: Record<string, Partial<Tally>>
}

/** One row an account, UTC month and book; quarters count from the beginning of the month (0 to 2975). */
export interface BookRow {
  _id: string
  accountId: string
  month: string
  itemId: string
  title: string
  quarters: Record<string, Partial<Pick<BookTally, 'reads' | 'pages' | 'sessions'>>>
}

export interface ReadRows {
  days: Collection<DayRow>
  books: Collection<BookRow>
}

/** What reads are counted by, ms. */
export const quarterMs = 15 * 60 * 1000

export interface Counted {
  accountId: string
  reads: CountedReads
}

/** What is added to one row; `quarters` by quarter of the row's day or month. */
interface Raise {
  first: Record<string, string>
  set: Record<string, string> | null
  pages: number
  quarters: Map<number, Record<string, number>>
}

type Raises = Map<string, Raise>

/** Adds reads to their rows, those of one row together, in one round trip for each collection. */
export async function countReads(rows: ReadRows, counted: readonly Counted[]): Promise<void> {
  const [days, books]: [Raises, Raises] = [new Map(), new Map()]
  for (const each of counted) {
    addToDay(days, each)
    addToBooks(books, each)
  }
  const dayUpdates = [...days].map(([_id, raise]) => updateOf<DayRow>(_id, raise, { pages: raise.pages }))
  const bookUpdates = [...books].map(([_id, raise]) => updateOf<BookRow>(_id, raise))
  await Promise.all([upsertAll(rows.days, dayUpdates), upsertAll(rows.books, bookUpdates)])
}

function addToDay(raises: Raises, { accountId, reads: { at, books, tracked } }: Counted): void {
  const day = at.toISOString().slice(0, 10)
  const raise = raiseOf(raises, `${accountId}:${day}`, { accountId, day })
  const tally = { pages: 0, content: 0, toc: 0, untracked: tracked ? 0 : books.length, words: 0 }
  for (const { depth, pages, words } of books) {
    tally[depth] += 1
    tally.pages += pages
    tally.words += words
  }
  raise.pages += tally.pages
  add(raise, quarterOf(at, day), tally)
}

function addToBooks(raises: Raises, { accountId, reads: { at, books, freshBooks } }: Counted): void {
  const month = at.toISOString().slice(0, 7)
  const quarter = quarterOf(at, month)
  for (const { itemId, title, pages } of books) {
    const raise = raiseOf(raises, `${accountId}:${month}:${itemId}`, { accountId, month, itemId })
    raise.set = { title }
    add(raise, quarter, { reads: 1, pages, sessions: freshBooks.includes(itemId) ? 1 : 0 })
  }
}

function raiseOf(raises: Raises, _id: string, first: Record<string, string>): Raise {
  const known = raises.get(_id)
  if (known) return known
  const raise: Raise = { first, set: null, pages: 0, quarters: new Map() }
  raises.set(_id, raise)
  return raise
}

/** Which quarter of an hour it is, counted from the beginning of the day or month. */
function quarterOf(at: Date, begin: string): number {
  return Math.floor((at.getTime() - Date.parse(begin)) / quarterMs)
}

function add(raise: Raise, quarter: number, tally: Record<string, number>): void {
  const sum = raise.quarters.get(quarter)
  if (sum) for (const [name, value] of Object.entries(tally)) sum[name] = (sum[name] ?? 0) + value
  else raise.quarters.set(quarter, tally)
}

function updateOf<T extends { _id: string }>(
  _id: string,
  { first, set, quarters: counted }: Raise,
  totals: Record<string, number> = {},
): AnyBulkWriteOperation<T> {
  const counters: Record<string, number> = { ...totals }
  for (const [quarter, tally] of counted) {
    for (const [name, value] of Object.entries(tally)) if (value > 0) counters[`quarters.${quarter}.${name}`] = value
  }
  const update = { $setOnInsert: first, $inc: counters, ...(set ? { $set: set } : {}) }
  return { updateOne: { filter: { _id }, update, upsert: true } } as unknown as AnyBulkWriteOperation<T>
}

const attempts = 4

/** Applies upserts in one round trip. One that has met another first upsert of its row did nothing and is done again. */
async function upsertAll<T extends object>(rows: Collection<T>, all: AnyBulkWriteOperation<T>[]): Promise<void> {
  let left = all
  if (left.length === 0) return
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
