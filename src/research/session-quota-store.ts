import type { Collection, Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'

export interface SessionQuotaStore {
  /**
   * Takes a place for a session among the account's open ones and counts it among those of the last hour, in one
   * conditional write. A repeat finds its place taken already.
   */
  acquire(
    accountId: string,
    session: { id: string; at: Date },
    limits: { open: number; hour: number },
  ): Promise<QuotaResult>
  /** Gives places back; repeats change nothing. */
  release(accountId: string, ids: readonly string[]): Promise<void>
  removeAccount(accountId: string): Promise<void>
  /** The places of an account (null: of all) that were taken before `before`. */
  listHeld(accountId: string | null, before: Date): AsyncIterable<{ accountId: string; ids: string[] }>
}

export interface SessionQuotaStores {
  sessionQuota: SessionQuotaStore
}

/** Which limit refused a place, if any; `freeAt` is when the next one may be taken. */
export type QuotaResult = { refusedBy: null } | { refusedBy: 'open' } | { refusedBy: 'hour'; retryAt: Date }

interface Row {
  _id: string
  open: { id: string; at: Date }[]
  /** When the latest sessions were started, oldest first. */
  starts: Date[]
}

const hourMs = 60 * 60 * 1000

/** The limits of research sessions on MongoDB: collection `sessionPlaces`, one row an account. */
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
    // Of the last `hour` starts the first one must be an hour ago.
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

/** Makes the row of an account; one that is there, or is being made by another call, stays as it is. */
async function ensureRow(rows: Collection<Row>, accountId: string): Promise<void> {
  try {
    await rows.updateOne({ _id: accountId }, { $setOnInsert: { open: [], starts: [] } }, { upsert: true })
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
}
