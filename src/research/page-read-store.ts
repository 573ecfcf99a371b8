import { createHash } from 'node:crypto'
import type { AnyBulkWriteOperation, Collection } from 'mongodb'
import type { PageRange } from '../text/page-ranges.ts'

/** Retention of page reads, in weeks. */
export const keptWeeks = 26
const weekMs = 7 * 24 * 60 * 60 * 1000
/** Approximate maximum number of marks per row; longer books are counted in steps of several pages. */
const maxSteps = 1000
/** Number of buckets for hashes of readers in a row; with this many, three readers rarely collide. */
const readerBuckets = 64

/**
 * How often the pages of a book were read in a week (UTC, from Monday), by one agent of its owner or by all other
 * readers together. Identifies no reader.
 */
export interface PageReadRow {
  _id: string
  itemId: string
  /** The Monday of the week, YYYY-MM-DD. */
  week: string
  /** The name of the owner's API key or application, or else of its program; empty for the owner in a browser, null for other readers. */
  agent: string | null
  /** Number of calls that read pages. */
  reads: number
  /** Difference of the number of reads from the previous page, by page. */
  steps: Record<string, number>
  /** For other readers: how often each bucket of reader hashes was hit; has at most as many entries as readers. */
  seen?: Record<string, number>
  expiresAt: Date
}

/** The pages of a book that one call read. */
export interface PageRead {
  itemId: string
  /** Number of pages of the whole book. */
  pageCount: number
  ranges: readonly PageRange[]
  /** Like `PageReadRow.agent`. */
  agent: string | null
  readerId: string
  at: Date
}

/** The name of a calling program without its version. */
export function programName(clientName: string | null): string {
  return clientName?.split('/')[0]?.trim() || 'unknown program'
}

/** The Monday of an instant's week in UTC, YYYY-MM-DD. */
export function weekOf(at: Date): string {
  const day = (at.getUTCDay() + 6) % 7
  return new Date(at.getTime() - day * (weekMs / 7)).toISOString().slice(0, 10)
}

interface Increment {
  insert: Pick<PageReadRow, 'itemId' | 'week' | 'agent' | 'expiresAt'>
  counts: Map<string, number>
}

/** Upserts that add reads to their rows, one per row. */
export function pageReadUpserts(reads: readonly PageRead[]): AnyBulkWriteOperation<PageReadRow>[] {
  const increments = new Map<string, Increment>()
  for (const read of reads) addRead(increments, read)
  return [...increments].map(([_id, { insert, counts }]) => ({
    updateOne: {
      filter: { _id },
      update: { $setOnInsert: insert, $inc: Object.fromEntries([...counts].filter(([, count]) => count !== 0)) },
      upsert: true,
    },
  }))
}

function addRead(increments: Map<string, Increment>, read: PageRead): void {
  const { itemId, pageCount, ranges, agent, readerId, at } = read
  if (ranges.length === 0) return
  const week = weekOf(at)
  const _id = `${itemId}:${week}:${agent === null ? 'others' : shortHash(agent)}`
  const expiresAt = new Date(Date.parse(week) + (keptWeeks + 1) * weekMs)
  const increment = increments.get(_id) ?? { insert: { itemId, week, agent, expiresAt }, counts: new Map() }
  increments.set(_id, increment)
  const add = (field: string, by: number) => increment.counts.set(field, (increment.counts.get(field) ?? 0) + by)
  add('reads', 1)
  const width = Math.ceil(pageCount / maxSteps)
  for (const [first, end] of stepsOf(ranges, width)) {
    add(`steps.${first}`, 1)
    add(`steps.${end}`, -1)
  }
  if (agent === null) add(`seen.${bucketOf(itemId, readerId)}`, 1)
}

/** The first pages of ranges and the pages after their last ones, in whole steps; a step counts once per call. */
function stepsOf(ranges: readonly PageRange[], width: number): [first: number, end: number][] {
  const steps: [number, number][] = []
  for (const { from, to } of ranges) {
    const first = Math.floor((from - 1) / width) * width + 1
    const end = Math.ceil(to / width) * width + 1
    const previous = steps.at(-1)
    if (previous && first <= previous[1]) previous[1] = Math.max(previous[1], end)
    else steps.push([first, end])
  }
  return steps
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

function bucketOf(itemId: string, readerId: string): number {
  return createHash('sha256').update(`${itemId}:${readerId}`).digest().readUInt16BE() % readerBuckets
}

/** Maximum number of rows that a description reads. */
const maxRows = 400

/** The rows of a book since a week, newest first, at most 400. */
export async function findPageReads(
  rows: Collection<PageReadRow>,
  itemId: string,
  sinceWeek: string,
): Promise<PageReadRow[]> {
  const filter = { itemId, week: { $gte: sinceWeek } }
  return rows.find(filter).sort({ week: -1 }).limit(maxRows).toArray()
}
