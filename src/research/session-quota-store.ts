import type { Collection, Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'

export interface SessionQuotaStore {
  /**
   * Reserves one of the account's open sessions, and one of its session starts per hour, in one conditional write.
   * Idempotent for a session id.
   */
  acquire(
    accountId: string,
    session: { id: string; at: Date },
    limits: { open: number; hour: number },
  ): Promise<QuotaResult>
  /** Releases reservations of open sessions. Idempotent. */
  release(accountId: string, ids: readonly string[]): Promise<void>
  removeAccount(accountId: string): Promise<void>
  /** The reservations of an account (null: of all) that were made before `before`. */
  listHeld(accountId: string | null, before: Date): AsyncIterable<{ accountId: string; ids: string[] }>
}

export interface SessionQuotaStores {
  sessionQuota: SessionQuotaStore
}

/** Which limit refused the reservation, if any; `retryAt` is when the next session may start. */
export type QuotaResult = { refusedBy: null } | { refusedBy: 'open' } | { refusedBy: 'hour'; retryAt: Date }

interface Row {
  _id: string
  open: { id: string; at: Date }[]
  /** Times of the latest session starts, oldest first; at most as many as the hourly limit. */
  starts: Date[]
}

const hourMs = 60 * 60 * 1000

/** Limits of research sessions on MongoDB: collection `sessionPlaces`, one row per account. */
export function createSessionQuotaStore(db: Db): SessionQuotaStore {
  const rows = db.collection<Row>('sessionPlaces')
  return {
    acquire: (accountId, session, limits) => acquire(rows, { accountId, ...session }, limits),
    async release(accountId, ids) {
      await rows.updateOne({ _id: accountId }, { $pull: { open: { id: { $in: [...ids] } } } })
    },
    async removeAccount(accountId) {
      await rows.deleteOne({ _id: accountId })
    },
    async *listHeld(accountId, before) {
      const filter = { 'open.at': { $lt: before }, ...(accountId === null ? {} : { _id: accountId }) }
      for await (const { _id, open } of rows.find(filter, { projection: { open: 1 } })) {
        yield { accountId: _id, ids: open.filter(({ at }) => at < before).map(({ id }) => id) }
      }
    },
  }
}

async function acquire(
  rows: Collection<Row>,
  { accountId, id, at }: { accountId: string; id: string; at: Date },
  limits: { open: number; hour: number },
): Promise<QuotaResult> {
  const filter = {
    _id: accountId,
    'open.id': { $ne: id },
    [`open.${limits.open - 1}`]: { $exists: false },
    // The oldest of the last `limits.hour` starts must be at least an hour old.
    $or: [
      { [`starts.${limits.hour - 1}`]: { $exists: false } },
      { 'starts.0': { $lte: new Date(at.getTime() - hourMs) } },
    ],
  }
  const update = { $push: { open: { id, at }, starts: { $each: [at], $sort: 1 as const, $slice: -limits.hour } } }
  if ((await rows.updateOne(filter, update)).modifiedCount === 1) return { refusedBy: null }
  await ensureRow(rows, accountId)
  if ((await rows.updateOne(filter, update)).modifiedCount === 1) return { refusedBy: null }
  const row = await rows.findOne({ _id: accountId })
  if (row?.open.some((session) => session.id === id)) return { refusedBy: null }
  if (row && row.open.length >= limits.open) return { refusedBy: 'open' }
  return { refusedBy: 'hour', retryAt: new Date((row?.starts[0] ?? at).getTime() + hourMs) }
}

/** Creates the row of an account unless it exists or another call is creating it. */
async function ensureRow(rows: Collection<Row>, accountId: string): Promise<void> {
  try {
    await rows.updateOne({ _id: accountId }, { $setOnInsert: { open: [], starts: [] } }, { upsert: true })
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
}
