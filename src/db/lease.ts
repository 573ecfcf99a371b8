import { randomBytes } from 'node:crypto'
import { MongoServerError, type Db } from 'mongodb'
import { installationCollection } from './installation.ts'

/** What one process does alone, for as long as it renews it; see `takeLease`. */
export interface Lease {
  /** True once somebody else may have it: this process said nothing for too long. */
  isLost(): boolean
  /** Renews it now; false when it is lost. */
  renew(): Promise<boolean>
  /** Gives it back, unless it is lost. */
  release(): Promise<void>
}

interface LeaseRow {
  _id: string
  holder?: string
  /** By the clock of the database. */
  until?: Date
}

const past = new Date(0)

/**
 * Takes what a row of the collection `installation` stands for during `ms` milliseconds, renewed at a third of that until `release`; null when another
 * process has it. Time is that of the database. A process that dies gives it back with the end of that time.
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

/** When the lease of a row ends unless it is renewed, by the clock of the database; null: nobody has it. */
export async function leaseEnd(db: Db, id: string): Promise<Date | null> {
  const row = await db.collection<LeaseRow>(installationCollection).findOne({ _id: id })
  return row?.holder === undefined ? null : (row.until ?? null)
}

/** Separately from taking it: concurrent upserts would conflict. */
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
