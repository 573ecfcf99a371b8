import type { BookAccessStores } from '../books/access.ts'
import { findOwnBook } from '../books/find-book.ts'
import type { Call } from '../core/context.ts'
import { keptWeeks, programName, weekOf, type PageReadRow } from './page-read-store.ts'
import type { ReadLogStores } from './read-log-store.ts'
import type { SessionStores } from './session-store.ts'

/** A reader: one program of the owner, or all other readers together. */
export type BookReader = { kind: 'agent'; name: string } | { kind: 'others' }

export interface BookReadsQuery {
  itemId: string
  /** Number of pages of the displayed version. */
  pageCount: number
  /** A Monday, YYYY-MM-DD; null: all stored weeks. */
  week: string | null
  /** A key from `readerKey`; null: all. */
  reader: string | null
}

/** A run of pages of equal length; `reads` is that of its most read page. */
export interface PageMark {
  from: number
  to: number
  reads: number
  /** Its most read page. */
  page: number
}

export interface BookReads {
  /** Number of calls that read pages, in the selected week and by the selected reader. */
  reads: number
  marks: PageMark[]
  /** All readers of the stored weeks, most reads first, whatever is selected. */
  readers: { key: string; reader: BookReader; reads: number }[]
  /** All weeks with reads, newest first. */
  weeks: { week: string; reads: number }[]
  /** The owner's research sessions that contain the reads, newest first, at most 20. */
  sessions: BookSession[]
}

/** One of the owner's research sessions that read pages of the book. */
export interface BookSession {
  startedAt: Date
  intent: string | null
  program: string
  /** Pages of this book. */
  pagesRead: number
}

const weekMs = 7 * 24 * 60 * 60 * 1000
/** Maximum number of marks per book. */
const maxMarks = 200
const maxSessions = 20
/** The program of the owner's reads in a browser. */
const ownBrowser = ''
/** Minimum number of other readers in a week for including them; fewer could be identified by what they read. */
const minOthers = 3

/**
 * How often the pages of one of the caller's books were read in the last 26 weeks. The caller's own programs are listed
 * separately; what the caller read in a browser is left out. Other readers are summed, and only for weeks with at least three of them. Refuses like `findOwnBook`.
 */
export async function describeBookReads(
  ctx: Call & BookAccessStores & ReadLogStores & SessionStores,
  query: BookReadsQuery,
): Promise<BookReads> {
  const { itemId, pageCount, week, reader } = query
  const book = await findOwnBook(ctx, itemId, 'Only the owner of a book sees what was read in it')
  const firstWeek = weekOf(new Date(ctx.now().getTime() - (keptWeeks - 1) * weekMs))
  const rows = (await ctx.readLog.pageReads(book.id, firstWeek)).filter(canShow)
  const chosen = rows.filter((row) => (week ?? row.week) === row.week && (reader ?? keyOf(row)) === keyOf(row))
  const hasSessions = chosen.some(({ agent }) => agent !== null)
  return {
    reads: sumReads(chosen),
    marks: bucketPages(readsByPage(chosen, pageCount)),
    readers: listReaders(rows),
    weeks: listWeeks(rows),
    sessions: hasSessions ? await listSessions(ctx, { ...query, firstWeek }) : [],
  }
}

function canShow({ agent, seen = {} }: PageReadRow): boolean {
  if (agent === ownBrowser) return false
  return agent !== null || Object.keys(seen).length >= minOthers
}

/** Identifies a reader in a URL. */
function readerKey(reader: BookReader): string {
  return reader.kind === 'agent' ? `agent:${reader.name}` : reader.kind
}

function readerOf({ agent }: PageReadRow): BookReader {
  return agent === null ? { kind: 'others' } : { kind: 'agent', name: agent }
}

function keyOf(row: PageReadRow): string {
  return readerKey(readerOf(row))
}

function sumReads(rows: readonly PageReadRow[]): number {
  return rows.reduce((sum, { reads }) => sum + reads, 0)
}

function listReaders(rows: readonly PageReadRow[]): BookReads['readers'] {
  return [...Map.groupBy(rows, keyOf)]
    .map(([key, ofReader]) => ({ key, reader: readerOf(ofReader[0] as PageReadRow), reads: sumReads(ofReader) }))
    .sort((a, b) => b.reads - a.reads || (a.key < b.key ? -1 : 1))
}

function listWeeks(rows: readonly PageReadRow[]): BookReads['weeks'] {
  return [...Map.groupBy(rows, ({ week }) => week)]
    .map(([week, ofWeek]) => ({ week, reads: sumReads(ofWeek) }))
    .sort((a, b) => (a.week < b.week ? 1 : -1))
}

/** The reads of each page, from page 1 on. */
function readsByPage(rows: readonly PageReadRow[], pageCount: number): number[] {
  const steps = new Map<number, number>()
  for (const row of rows) {
    for (const [page, by] of Object.entries(row.steps)) steps.set(Number(page), (steps.get(Number(page)) ?? 0) + by)
  }
  let reads = 0
  return Array.from({ length: pageCount }, (_, index) => (reads += steps.get(index + 1) ?? 0))
}

function bucketPages(reads: readonly number[]): PageMark[] {
  const width = Math.max(1, Math.ceil(reads.length / maxMarks))
  return Array.from({ length: Math.ceil(reads.length / width) }, (_, index) => {
    const [from, to] = [index * width + 1, Math.min(reads.length, (index + 1) * width)]
    const most = Math.max(...reads.slice(from - 1, to))
    return { from, to, reads: most, page: reads.indexOf(most, from - 1) + 1 }
  })
}

async function listSessions(
  ctx: Call & SessionStores,
  { itemId, week, reader, firstWeek }: BookReadsQuery & { firstWeek: string },
): Promise<BookSession[]> {
  const start = new Date(week ?? firstWeek)
  const span = { start, end: week === null ? new Date(ctx.now().getTime() + 1) : new Date(start.getTime() + weekMs) }
  const sessions = await ctx.sessions.listOfBook(ctx.actor.id, itemId, span)
  return sessions
    .map(({ client, by, ...session }) => ({ ...session, program: by ?? programName(client) }))
    .filter(({ program }) => reader === null || reader === `agent:${program}`)
    .slice(0, maxSessions)
}
