import type { Collection, Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import type { PageRange } from '../text/page-ranges.ts'
import type { TimeSpan } from './report-days.ts'

export type SessionOutcome = 'content-read' | 'toc-only' | 'no-read'
export type ReadDepth = 'content' | 'toc'

export interface AccessSession {
  id: string
  accountId: string
  intent: string | null
  channel: 'rest' | 'mcp'
  client: string | null
  /** Name of the API key or application that started it; absent or null: not known. */
  by?: string | null
  startedAt: Date
  lastReadAt: Date
  completedAt: Date | null
  /** Reads of books in the session; every opening of a book counts. */
  contentReads: number
  tocReads: number
  pagesRead: number
  reads: number
  /** The reads of each book, by its id. */
  books: Record<string, SessionBook>
}

export interface SessionBook {
  title: string
  depth: ReadDepth
  pagesRead: number
}

/** A book opened by a reading call. */
export interface BookRead {
  itemId: string
  title: string
  depth: ReadDepth
  pages: number
  words: number
  /** The read pages and the book's owner; absent if there is no owner who could see them. */
  read?: { ownerId: string; pageCount: number; ranges: readonly PageRange[] }
}

/** The number of sessions that started in the same quarter-hour, over the same channel and with the same outcome. */
export interface SessionCounts {
  at: Date
  outcome: SessionOutcome
  channel: string
  sessions: number
  /** The maximum over these sessions. */
  pagesRead: number
}

export interface SessionStore {
  /**
   * Adds a session and returns its start time; for a repeat, that of the first call. Null if `preventStarts` has come
   * first.
   */
  add(session: AccessSession): Promise<Date | null>
  /** Prevents sessions from being added later under those of these ids that do not exist. */
  preventStarts(accountId: string, ids: readonly string[], at: Date): Promise<void>
  /** Completes a session of the account; false if there is none. Idempotent. */
  complete(accountId: string, id: string, at: Date): Promise<boolean>
  /** Open sessions of an account (null: of all) without a read since `before`, at most 1,000. */
  listIdle(accountId: string | null, before: Date): Promise<{ id: string; accountId: string }[]>
  /** The ids among these of the account's open sessions. */
  filterOpen(accountId: string, ids: readonly string[]): Promise<Set<string>>
  removeAccount(accountId: string): Promise<void>
  /**
   * Adds reads to an open session of the account whose last read is after `idle`, in one write. Returns the ids of
   * books that are new to it; null if there is no such session.
   */
  recordReads(
    accountId: string,
    id: string,
    reads: { books: readonly BookRead[]; at: Date; idle: Date },
  ): Promise<string[] | null>
  /** Sessions that started in a span, newest first. */
  list(accountId: string, span: TimeSpan, page: { limit: number; offset: number }): Promise<AccessSession[]>
  /** The number of sessions that started in a span, aggregated in the database. */
  countByQuarterHour(accountId: string, span: TimeSpan): Promise<SessionCounts[]>
  /** The sessions that read pages of a book, among the last 500 that started in a span, newest first. */
  listOfBook(
    accountId: string,
    itemId: string,
    span: TimeSpan,
  ): Promise<(Pick<AccessSession, 'startedAt' | 'intent' | 'client' | 'by'> & { pagesRead: number })[]>
  /** The first session of a span with exactly this many pages read. */
  findByPages(accountId: string, span: TimeSpan, pagesRead: number): Promise<AccessSession | null>
}

export interface SessionStores {
  sessions: SessionStore
}

type Row = Omit<AccessSession, 'id'> & { _id: string }

/** Research sessions on MongoDB: collection `sessions`, one row per session with its books. */
export function createSessionStore(db: Db): SessionStore {
  const sessions = db.collection<Row>('sessions')
  return { ...lifecycleMethods(sessions), ...reportMethods(sessions) }
}

/** The start of a session that was prevented from being added; reports do not include it. */
const neverStarted = new Date(0)

function preventedSession(accountId: string, at: Date): Omit<AccessSession, 'id'> {
  const counts = { contentReads: 0, tocReads: 0, pagesRead: 0, reads: 0, books: {} }
  const times = { startedAt: neverStarted, lastReadAt: neverStarted, completedAt: at }
  return { accountId, intent: null, channel: 'rest', client: null, ...times, ...counts }
}

function lifecycleMethods(sessions: Collection<Row>) {
  return {
    async add({ id, ...fields }: AccessSession) {
      try {
        await sessions.insertOne({ _id: id, ...fields })
      } catch (error) {
        const existing = isDuplicateKey(error) ? await sessions.findOne({ _id: id, accountId: fields.accountId }) : null
        if (!existing) throw error
        return existing.startedAt.getTime() === neverStarted.getTime() ? null : existing.startedAt
      }
      return fields.startedAt
    },
    async preventStarts(accountId: string, ids: readonly string[], at: Date) {
      for (const id of ids) {
        try {
          await sessions.insertOne({ _id: id, ...preventedSession(accountId, at) })
        } catch (error) {
          if (!isDuplicateKey(error)) throw error
        }
      }
    },
    async complete(accountId: string, id: string, at: Date) {
      const update = [{ $set: { completedAt: { $ifNull: ['$completedAt', at] } } }]
      return (await sessions.updateOne({ _id: id, accountId }, update)).matchedCount === 1
    },
    async listIdle(accountId: string | null, before: Date) {
      const filter = { completedAt: null, lastReadAt: { $lte: before }, ...(accountId === null ? {} : { accountId }) }
      const rows = await sessions
        .find(filter, { projection: { accountId: 1 } })
        .limit(1000)
        .toArray()
      return rows.map(({ _id, accountId: owner }) => ({ id: _id, accountId: owner }))
    },
    async filterOpen(accountId: string, ids: readonly string[]) {
      const filter = { _id: { $in: [...ids] }, accountId, completedAt: null }
      const rows = await sessions.find(filter, { projection: { _id: 1 } }).toArray()
      return new Set(rows.map(({ _id }) => _id))
    },
    async removeAccount(accountId: string) {
      await sessions.deleteMany({ accountId })
    },
    recordReads: (accountId: string, id: string, reads: { books: readonly BookRead[]; at: Date; idle: Date }) =>
      recordReads(sessions, { _id: id, accountId, completedAt: null, lastReadAt: { $gt: reads.idle } }, reads),
  } satisfies Partial<SessionStore>
}

/**
 * Maximum number of reads after which a session lists no further books, so that its row stays small. Later reads only
 * add to its totals.
 */
const maxListedReads = 1000

async function recordReads(
  sessions: Collection<Row>,
  filter: { _id: string; accountId: string; completedAt: null; lastReadAt: object },
  { books, at }: { books: readonly BookRead[]; at: Date },
): Promise<string[] | null> {
  const contentReads = books.filter(({ depth }) => depth === 'content').length
  const pagesRead = books.reduce((sum, { pages }) => sum + pages, 0)
  const counts = { contentReads, tocReads: books.length - contentReads, pagesRead, reads: books.length }
  const fieldPath = (book: BookRead, field: string) => `books.${book.itemId}.${field}`
  const fieldsPerBook = <T>(field: string, value: (book: BookRead) => T) =>
    Object.fromEntries(books.map((book) => [fieldPath(book, field), value(book)]))
  const update = {
    $max: { lastReadAt: at },
    $set: fieldsPerBook('title', ({ title }) => title),
    // A book whose pages were read keeps `content` when its outline is read later: `content` sorts before `toc`.
    $min: fieldsPerBook('depth', ({ depth }) => depth),
    $inc: { ...counts, ...fieldsPerBook('pagesRead', ({ pages }) => pages) },
  }
  const projection = fieldsPerBook('depth', () => 1)
  const options = { returnDocument: 'before', projection } as const
  const before = await sessions.findOneAndUpdate({ ...filter, reads: { $lt: maxListedReads } }, update, options)
  if (before) return books.map(({ itemId }) => itemId).filter((itemId) => !before.books?.[itemId])
  const full = { ...filter, reads: { $gte: maxListedReads } }
  const { matchedCount } = await sessions.updateOne(full, { $max: { lastReadAt: at }, $inc: counts })
  return matchedCount === 1 ? [] : null
}

/** `outcomeOf` as a MongoDB expression. */
const outcomeExpression = {
  $cond: [{ $gt: ['$contentReads', 0] }, 'content-read', { $cond: [{ $gt: ['$tocReads', 0] }, 'toc-only', 'no-read'] }],
}

/** The outcome of a session: pages read, only outlines read, or nothing. */
export function outcomeOf({
  contentReads,
  tocReads,
}: Pick<AccessSession, 'contentReads' | 'tocReads'>): SessionOutcome {
  if (contentReads > 0) return 'content-read'
  return tocReads > 0 ? 'toc-only' : 'no-read'
}

const startedWithin = (accountId: string, { start, end }: TimeSpan) => ({
  accountId,
  startedAt: { $gte: start, $lt: end },
})

/** Number of sessions that are searched for those of one book. */
const maxSearchedSessions = 500

function reportMethods(sessions: Collection<Row>) {
  const quarter = { $dateTrunc: { date: '$startedAt', unit: 'minute', binSize: 15 } }
  return {
    async list(accountId: string, span: TimeSpan, { limit, offset }: { limit: number; offset: number }) {
      if (limit === 0) return []
      const cursor = sessions.find(startedWithin(accountId, span)).sort({ startedAt: -1, _id: -1 })
      return (await cursor.skip(offset).limit(limit).toArray()).map(toSession)
    },
    async listOfBook(accountId: string, itemId: string, span: TimeSpan) {
      const projection = { startedAt: 1, intent: 1, client: 1, by: 1, [`books.${itemId}.pagesRead`]: 1 }
      const cursor = sessions.find(startedWithin(accountId, span), { projection }).sort({ startedAt: -1, _id: -1 })
      const rows = await cursor.limit(maxSearchedSessions).toArray()
      return rows.flatMap(({ startedAt, intent, client, by, books }) => {
        const pagesRead = books?.[itemId]?.pagesRead ?? 0
        return pagesRead > 0 ? [{ startedAt, intent, client, by: by ?? null, pagesRead }] : []
      })
    },
    async countByQuarterHour(accountId: string, span: TimeSpan) {
      const groups = await sessions
        .aggregate<{ _id: Pick<SessionCounts, 'at' | 'outcome' | 'channel'>; sessions: number; pagesRead: number }>([
          { $match: startedWithin(accountId, span) },
          {
            $group: {
              _id: { at: quarter, outcome: outcomeExpression, channel: '$channel' },
              sessions: { $sum: 1 },
              pagesRead: { $max: '$pagesRead' },
            },
          },
        ])
        .toArray()
      return groups.map(({ _id, ...counts }) => ({ ..._id, ...counts }))
    },
    async findByPages(accountId: string, span: TimeSpan, pagesRead: number) {
      const [row] = await sessions
        .find({ ...startedWithin(accountId, span), pagesRead })
        .sort({ startedAt: 1, _id: 1 })
        .limit(1)
        .toArray()
      return row ? toSession(row) : null
    },
  } satisfies Partial<SessionStore>
}

function toSession({ _id, ...fields }: Row): AccessSession {
  return { id: _id, ...fields }
}
