import { createHash, randomBytes } from 'node:crypto'
import type { Db } from 'mongodb'
import { newId } from '../core/ids.ts'
import { toAccount, type AccountRow } from './account-row.ts'
import { type Account } from '../core/account.ts'

/** Lifetime of a session after its last use, ms. */
export const sessionTtlMs = 30 * 24 * 60 * 60 * 1000

/** Maximum lifetime of a session after its sign-in, even if it is used, ms. */
export const maxSessionAgeMs = 90 * 24 * 60 * 60 * 1000

/** A signed-in browser. */
export interface WebSession {
  /** Id of the session; it is not a credential. */
  id: string
  accountId: string
  createdAt: Date
  lastSeenAt: Date
  expiresAt: Date
  userAgent: string | null
}

export interface WebSessionStore {
  /** Starts a session. The browser gets the token; the store has only its hash. */
  create(
    accountId: string,
    options: { userAgent: string | null; at: Date },
  ): Promise<{ token: string; session: WebSession }>
  /** The unexpired session of a token and its account, in one read. */
  byToken(token: string, now: Date): Promise<{ session: WebSession; account: Account } | null>
  /** Records the use of a session and extends it, up to its maximum age. */
  touch(session: Pick<WebSession, 'accountId' | 'id' | 'createdAt'>, at: Date): Promise<void>
  /** The account's unexpired sessions, most recently used first. */
  list(accountId: string, now: Date): Promise<WebSession[]>
  /** Ends a session of the account; false if the account has none with that id. */
  end(accountId: string, id: string): Promise<boolean>
  /** Ends all sessions of the account; returns their number. */
  endAll(accountId: string): Promise<number>
}

export interface WebSessionStores {
  webSessions: WebSessionStore
}

interface Row extends Omit<WebSession, 'id'> {
  /** SHA-256 of the token. */
  _id: string
  sessionId: string
}

/** Browser sessions on MongoDB: collection `webSessions`. */
export function createWebSessionStore(db: Db): WebSessionStore {
  const sessions = db.collection<Row>('webSessions')
  return {
    async create(accountId, { userAgent, at }) {
      const token = randomBytes(32).toString('base64url')
      const expiresAt = new Date(at.getTime() + sessionTtlMs)
      const row = { sessionId: newId(at), accountId, createdAt: at, lastSeenAt: at, expiresAt, userAgent }
      await sessions.insertOne({ _id: hashToken(token), ...row })
      return { token, session: toSession(row) }
    },
    async byToken(token, now) {
      const [row] = await sessions
        .aggregate<Row & { account: AccountRow[] }>([
          { $match: { _id: hashToken(token), ...validAt(now) } },
          { $lookup: { from: 'accounts', localField: 'accountId', foreignField: '_id', as: 'account' } },
        ])
        .toArray()
      const account = row?.account[0]
      return row && account ? { session: toSession(row), account: toAccount(account) } : null
    },
    async touch({ accountId, id: sessionId, createdAt }, at) {
      const end = Math.min(at.getTime() + sessionTtlMs, createdAt.getTime() + maxSessionAgeMs)
      const expiresAt = new Date(end)
      await sessions.updateOne({ sessionId, accountId }, { $max: { lastSeenAt: at, expiresAt } })
    },
    async list(accountId, now) {
      const rows = await sessions
        .find({ accountId, ...validAt(now) })
        .sort({ lastSeenAt: -1 })
        .toArray()
      return rows.map(toSession)
    },
    async end(accountId, sessionId) {
      return (await sessions.deleteOne({ sessionId, accountId })).deletedCount === 1
    },
    async endAll(accountId) {
      return (await sessions.deleteMany({ accountId })).deletedCount
    },
  }
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Matches unexpired sessions. Also checks the age, for sessions from before it was limited. */
function validAt(now: Date) {
  return { expiresAt: { $gt: now }, createdAt: { $gt: new Date(now.getTime() - maxSessionAgeMs) } }
}

function toSession(row: Omit<Row, '_id'>): WebSession {
  const { sessionId, accountId, createdAt, lastSeenAt, expiresAt, userAgent } = row
  return { id: sessionId, accountId, createdAt, lastSeenAt, expiresAt, userAgent }
}
