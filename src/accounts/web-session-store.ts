import { createHash, randomBytes } from 'node:crypto'
import type { Db } from 'mongodb'
import { newId } from '../core/ids.ts'
import { toAccount, type AccountRow } from './store.ts'
import { type Account } from '../core/account.ts'

/** How long a session lasts after it was last used. */
export const sessionTtlMs = 30 * 24 * 60 * 60 * 1000

/** A browser in which somebody is signed in. */
export interface WebSession {
  /** Names the session; whoever knows it is not signed in. */
  id: string
  accountId: string
  createdAt: Date
  lastSeenAt: Date
  expiresAt: Date
  userAgent: string | null
}

export interface WebSessionStore {
  /** Begins a session; the token in the answer is the browser's credential and kept nowhere. */
  create(
    accountId: string,
    options: { userAgent: string | null; at: Date },
  ): Promise<{ token: string; session: WebSession }>
  /** The live session of a token and its account, in one read. */
  byToken(token: string, now: Date): Promise<{ session: WebSession; account: Account } | null>
  /** Notes that a session was used, which prolongs it. */
  touch(accountId: string, id: string, at: Date): Promise<void>
  /** The account's live sessions, last used first. */
  list(accountId: string, now: Date): Promise<WebSession[]>
  /** Ends a session of the account; false when there is none of that id. */
  end(accountId: string, id: string): Promise<boolean>
  /** Ends all sessions of the account but the one to keep; returns how many. */
  endAll(accountId: string, options?: { exceptId: string }): Promise<number>
}

export interface WebSessionStores {
  webSessions: WebSessionStore
}

interface Row extends Omit<WebSession, 'id'> {
  /** SHA-256 of the token. */
  _id: string
  sessionId: string
}

/** Sessions of browsers on MongoDB: collection `webSessions`. */
export function createWebSessionStore(db: Db): WebSessionStore {
  const sessions = db.collection<Row>('webSessions')
  return {
    async create(accountId, { userAgent, at }) {
      const token = randomBytes(32).toString('base64url')
      const expiresAt = new Date(at.getTime() + sessionTtlMs)
      const session: WebSession = { id: newId(at), accountId, createdAt: at, lastSeenAt: at, expiresAt, userAgent }
      const { id: sessionId, ...fields } = session
      await sessions.insertOne({ _id: hashToken(token), sessionId, ...fields })
      return { token, session }
    },
    async byToken(token, now) {
      const [row] = await sessions
        .aggregate<Row & { account: AccountRow[] }>([
          { $match: { _id: hashToken(token), expiresAt: { $gt: now } } },
          { $lookup: { from: 'accounts', localField: 'accountId', foreignField: '_id', as: 'account' } },
        ])
        .toArray()
      const account = row?.account[0]
      return row && account ? { session: toSession(row), account: toAccount(account) } : null
    },
    async touch(accountId, sessionId, at) {
      const expiresAt = new Date(at.getTime() + sessionTtlMs)
      await sessions.updateOne({ sessionId, accountId }, { $max: { lastSeenAt: at, expiresAt } })
    },
    async list(accountId, now) {
      const rows = await sessions
        .find({ accountId, expiresAt: { $gt: now } })
        .sort({ lastSeenAt: -1 })
        .toArray()
      return rows.map(toSession)
    },
    async end(accountId, sessionId) {
      return (await sessions.deleteOne({ sessionId, accountId })).deletedCount === 1
    },
    async endAll(accountId, options) {
      const others = options ? { sessionId: { $ne: options.exceptId } } : {}
      return (await sessions.deleteMany({ accountId, ...others })).deletedCount
    },
  }
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

function toSession({ sessionId, accountId, createdAt, lastSeenAt, expiresAt, userAgent }: Row): WebSession {
  return { id: sessionId, accountId, createdAt, lastSeenAt, expiresAt, userAgent }
}
