import { randomBytes } from 'node:crypto'
import { MongoServerError, type Db } from 'mongodb'
import { installationCollection } from './installation.ts'

/** An exclusive right of one process that lasts while the process renews it; see `takeLease`. */
export interface Lease {
  /** True once another process may hold it, because this process was silent for too long. */
  isLost(): boolean
  /** Renews it now; returns false if it is lost. */
  renew(): Promise<boolean>
  /** Releases it, unless it is lost. */
  release(): Promise<void>
}

interface LeaseRow {
  _id: string
  holder?: string
  /** Expiry by the clock of the database. */
  until?: Date
}

const past = new Date(0)

/**
 * Takes the lease of a row of the collection `installation` for `ms` milliseconds of database time, and renews it every
 * `ms / 3` until `release`. Returns null if another process holds it. The lease of a dead process expires.
 */
export async function takeLease(db: Db, id: string, ms: number): Promise<Lease | null> {
  const rows = db.collection<LeaseRow>(installationCollection)
  await addRow(db, id)
  const holder = randomBytes(12).toString('hex')
  const until = { $add: ['$$NOW', ms] }
  const take = [
    { $set: { free: { $gte: ['$$NOW', { $ifNull: ['$until', past] }] } } },
    {
      $set: {
        holder: { $cond: ['$free', holder, '$holder'] },
        until: { $cond: ['$free', until, '$until'] },
      },
    },
    { $unset: 'free' },
  ]
  const row = await rows.findOneAndUpdate({ _id: id }, take, { returnDocument: 'after' })
  if (row?.holder !== holder) return null
  let lost = false
  const renew = async () => {
    const { matchedCount } = await rows.updateOne({ _id: id, holder }, [{ $set: { until } }])
    if (matchedCount === 0) lost = true
    return !lost
  }
  const heartbeat = setInterval(() => void renew().catch(() => {}), Math.ceil(ms / 3)).unref()
  return {
    isLost: () => lost,
    renew,
    async release() {
      clearInterval(heartbeat)
      if (!lost) await rows.deleteOne({ _id: id, holder })
    },
  }
}

/** When the lease of a row expires unless it is renewed, by the clock of the database; null if it is free. */
export async function leaseEnd(db: Db, id: string): Promise<Date | null> {
  const row = await db.collection<LeaseRow>(installationCollection).findOne({ _id: id })
  return row?.holder === undefined ? null : (row.until ?? null)
}

/** Creates the row before the lease is taken, because concurrent upserts would conflict. */
async function addRow(db: Db, _id: string): Promise<void> {
  const rows = db.collection<LeaseRow>(installationCollection)
  if (await rows.findOne({ _id }, { projection: { _id: 1 } })) return
  try {
    await rows.insertOne({ _id })
  } catch (error) {
    // Another process was faster.
    if (!(error instanceof MongoServerError && error.code === 11_000)) throw error
  }
}
