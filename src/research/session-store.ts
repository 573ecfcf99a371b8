import type { Collection, Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import type { Span } from './report-days.ts'

export type Outcome = 'content-read' | 'toc-only' | 'no-read'
export type Depth = 'content' | 'toc'

export interface AccessSession {
  id: string
  accountId: string
  intent: string | null
  channel: 'rest' | 'mcp'
  client: string | null
  startedAt: Date
  lastReadAt: Date
  completedAt: Date | null
  /** Books opened under it, each as often as it was. */
  contentReads: number
  tocReads: number
  pagesRead: number
  reads: number
  /** What was read of each book. */
  books: Record<string, SessionBook>
}

export interface SessionBook {
  title: string
  depth: Depth
  pagesRead: number
}

/** One book opened by one reading call. */
export interface BookRead {
  itemId: string
  title: string
  depth: Depth
  pages: number
  words: number
}

/** The sessions that started in the same quarter of an hour, over the same channel, with the same outcome. */
export interface SessionTally {
  at: Date
  outcome: Outcome
  channel: string
  sessions: number
  /** Of the one with most. */
  pagesRead: number
}

export interface SessionStore {
  /** Adds a session and gives the time of its start: that of the first call when it is repeated. */
  add(session: AccessSession): Promise<Date>
  /** Ends a session of the account; false when there is none. A repeat changes nothing. */
  complete(accountId: string, id: string, at: Date): Promise<boolean>
  /** Open sessions of an account (null: of all) in which nothing was read since `before`, at most 1,000. */
  idle(accountId: string | null, before: Date): Promise<{ id: string; accountId: string }[]>
  /** Which of these sessions of the account are open. */
  open(accountId: string, ids: readonly string[]): Promise<Set<string>>
  removeAccount(accountId: string): Promise<void>
  /**
   * Notes reads under an open session of the account in which something was read since `idle`, in one write. Gives the
   * books that are new to it; null when there is no such session.
   */
  record(
    accountId: string,
    id: string,
    reads: { books: readonly BookRead[]; at: Date; idle: Date },
  ): Promise<string[] | null>
  /** Sessions that started in a span, newest first. */
  list(accountId: string, span: Span, page: { limit: number; offset: number }): Promise<AccessSession[]>
  /** The sessions that started in a span, counted; no row of theirs leaves the store. */
  tally(accountId: string, span: Span): Promise<SessionTally[]>
  /** The first session of a span in which this many pages were read. */
  withPages(accountId: string, span: Span, pagesRead: number): Promise<AccessSession | null>
}

export interface SessionStores {
  sessions: SessionStore
}

type Row = Omit<AccessSession, 'id'> & { _id: string }

/** Research sessions on MongoDB: collection `sessions`, one row a session with the books that were read in it. */
export function createSessionStore(db: Db): SessionStore {
  const sessions = db.collection<Row>('sessions')
  return { ...lifeMethods(sessions), ...reportMethods(sessions) }
}

function lifeMethods(sessions: Collection<Row>) {
  return {
    async add({ id, ...fields }: AccessSession) {
      try {
        await sessions.insertOne({ _id: id, ...fields })
      } catch (error) {
        const made = isDuplicateKey(error) ? await sessions.findOne({ _id: id, accountId: fields.accountId }) : null
        if (!made) throw error
        return made.startedAt
      }
      return fields.startedAt
    },
    async complete(accountId: string, id: string, at: Date) {
      const update = [{ $set: { completedAt: { $ifNull: ['$completedAt', at] } } }]
      return (await sessions.updateOne({ _id: id, accountId }, update)).matchedCount === 1
    },
    async idle(accountId: string | null, before: Date) {
      const filter = { completedAt: null, lastReadAt: { $lte: before }, ...(accountId === null ? {} : { accountId }) }
      const rows = await sessions
        .find(filter, { projection: { accountId: 1 } })
        .limit(1000)
        .toArray()
      return rows.map(({ _id, accountId: owner }) => ({ id: _id, accountId: owner }))
    },
    async open(accountId: string, ids: readonly string[]) {
      const filter = { _id: { $in: [...ids] }, accountId, completedAt: null }
      const rows = await sessions.find(filter, { projection: { _id: 1 } }).toArray()
      return new Set(rows.map(({ _id }) => _id))
    },
    async removeAccount(accountId: string) {
      await sessions.deleteMany({ accountId })
    },
    record: (accountId: string, id: string, reads: { books: readonly BookRead[]; at: Date; idle: Date }) =>
      record(sessions, { _id: id, accountId, completedAt: null, lastReadAt: { $gt: reads.idle } }, reads),
  } satisfies Partial<SessionStore>
}

/** A session lists the books of about its first 1,000 reads, so that its row stays small; later ones are counted. */
const mostListed = 1000

async function record(
  sessions: Collection<Row>,
  filter: { _id: string; accountId: string; completedAt: null; lastReadAt: object },
  { books, at }: { books: readonly BookRead[]; at: Date },
): Promise<string[] | null> {
  const contentReads = books.filter(({ depth }) => depth === 'content').length
  const pagesRead = books.reduce((sum, { pages }) => sum + pages, 0)
  const counts = { contentReads, tocReads: books.length - contentReads, pagesRead, reads: books.length }
  const place = (book: BookRead, field: string) => `books.${book.itemId}.${field}`
  const fields = <T>(field: string, value: (book: BookRead) => T) =>
    Object.fromEntries(books.map((book) => [place(book, field), value(book)]))
  const update = {
    $max: { lastReadAt: at },
    $set: fields('title', ({ title }) => title),
    // A book that was read stays so when its outline is looked at: `content` sorts before `toc`.
    $min: fields('depth', ({ depth }) => depth),
    $inc: { ...counts, ...fields('pagesRead', ({ pages }) => pages) },
  }
  const projection = fields('depth', () => 1)
  const options = { returnDocument: 'before', projection } as const
  const before = await sessions.findOneAndUpdate({ ...filter, reads: { $lt: mostListed } }, update, options)
  if (before) return books.map(({ itemId }) => itemId).filter((itemId) => !before.books?.[itemId])
  const full = { ...filter, reads: { $gte: mostListed } }
  const { matchedCount } = await sessions.updateOne(full, { $max: { lastReadAt: at }, $inc: counts })
  return matchedCount === 1 ? [] : null
}

/** `outcomeOf` as the store computes it. */
const outcome = {
  $cond: [{ $gt: ['$contentReads', 0] }, 'content-read', { $cond: [{ $gt: ['$tocReads', 0] }, 'toc-only', 'no-read'] }],
}

/** What came of a session. */
export function outcomeOf({ contentReads, tocReads }: Pick<AccessSession, 'contentReads' | 'tocReads'>): Outcome {
  if (contentReads > 0) return 'content-read'
  return tocReads > 0 ? 'toc-only' : 'no-read'
}

const within = (accountId: string, { start, end }: Span) => ({ accountId, startedAt: { $gte: start, $lt: end } })

function reportMethods(sessions: Collection<Row>) {
  const quarter = { $dateTrunc: { date: '$startedAt', unit: 'minute', binSize: 15 } }
  return {
    async list(accountId: string, span: Span, { limit, offset }: { limit: number; offset: number }) {
      if (limit === 0) return []
      const cursor = sessions.find(within(accountId, span)).sort({ startedAt: -1, _id: -1 })
      return (await cursor.skip(offset).limit(limit).toArray()).map(toSession)
    },
    async tally(accountId: string, span: Span) {
      const groups = await sessions
        .aggregate<{ _id: Pick<SessionTally, 'at' | 'outcome' | 'channel'>; sessions: number; pagesRead: number }>([
          { $match: within(accountId, span) },
          {
            $group: {
              _id: { at: quarter, outcome, channel: '$channel' },
              sessions: { $sum: 1 },
              pagesRead: { $max: '$pagesRead' },
            },
          },
        ])
        .toArray()
      return groups.map(({ _id, ...counts }) => ({ ..._id, ...counts }))
    },
    async withPages(accountId: string, span: Span, pagesRead: number) {
      const [row] = await sessions
        .find({ ...within(accountId, span), pagesRead })
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
