import type { Collection, Db } from 'mongodb'
import { writeBehindDelayMs, unjournaled } from '../db/write-concern.ts'
import { isDuplicateKey } from '../core/errors.ts'
import { writeBehind, batch } from '../runtime/batch.ts'

export interface ReadMeter {
  /**
   * Charges `count` reads to the month of `now`, all or none; false if they exceed `limit` (null: unlimited).
   * Idempotent per `id`. Unlimited charges are written asynchronously, a moment after the call.
   */
  charge(accountId: string, charge: { id: string; count: number; limit: number | null; now: Date }): Promise<boolean>
  /** Reads charged in the month that `now` lies in (UTC). */
  used(accountId: string, now: Date): Promise<number>
  /** Resolves when all charges so far are stored. */
  flush(): Promise<void>
  removeAccount(accountId: string): Promise<void>
}

export interface ReadStores {
  readMeter: ReadMeter
}

interface Row {
  _id: string
  accountId: string
  month: string
  used: number
  recent: { id: string; count: number }[]
}

/** Number of charge ids that a row keeps, to recognise repeats. */
const maxRememberedCharges = 200

/**
 * Monthly read counters on MongoDB: collection `reads`, one row per account and month. One conditional update writes
 * all concurrent charges.
 */
export function createReadMeter(db: Db, { onError }: { onError(error: unknown): void }): ReadMeter {
  const reads = db.collection<Row>('reads', unjournaled)
  const chargeLimited = batch((charges: readonly Charge[]) => chargeAll(reads, charges))
  const unlimitedCharges = writeBehind((charges: readonly Charge[]) => chargeAll(reads, charges), {
    delayMs: writeBehindDelayMs,
    onError,
  })
  return {
    async charge(accountId, { id, count, limit, now }) {
      if (count === 0) return true
      const charge = { accountId, month: monthOf(now), id, count, limit }
      if (limit !== null) return chargeLimited(charge)
      unlimitedCharges.add(charge)
      return true
    },
    flush: unlimitedCharges.flush,
    async used(accountId, now) {
      await unlimitedCharges.flush()
      const row = await reads.findOne({ _id: `${accountId}:${monthOf(now)}` }, { projection: { used: 1 } })
      return row?.used ?? 0
    },
    async removeAccount(accountId) {
      await unlimitedCharges.flush()
      await reads.deleteMany({ accountId })
    },
  }
}

interface Charge {
  accountId: string
  month: string
  id: string
  count: number
  limit: number | null
}

/** Charges a batch in one update per account, month and limit; if a batch exceeds the limit, one by one. */
async function chargeAll(reads: Collection<Row>, charges: readonly Charge[]): Promise<boolean[]> {
  const first = new Map(charges.map((charge) => [charge.id, charge]).reverse() as [string, Charge][])
  const distinct = charges.filter((charge) => first.get(charge.id) === charge)
  const groups = Map.groupBy(distinct, ({ accountId, month, limit }) => `${accountId}:${month}:${limit}`)
  const charged = new Set<Charge>()
  const chargeGroup = async (group: readonly Charge[]) => {
    if (await chargeTogether(reads, group)) for (const charge of group) charged.add(charge)
  }
  await Promise.all([...groups.values()].map(chargeGroup))
  const answers: boolean[] = []
  for (const charge of charges) answers.push(charged.has(charge) || (await chargeOne(reads, charge)))
  return answers
}

/** Charges several reads of one account, month and limit in one conditional update: all or none. */
async function chargeTogether(reads: Collection<Row>, charges: readonly Charge[]): Promise<boolean> {
  const [first] = charges
  if (!first) return true
  const { accountId, month, limit } = first
  const recent = charges.slice(-maxRememberedCharges).map(({ id, count }) => ({ id, count }))
  const sum = charges.reduce((total, { count }) => total + count, 0)
  const limitFilter = limit === null ? {} : { used: { $lte: limit - sum } }
  const ids = charges.map(({ id }) => id)
  const { modifiedCount } = await reads.updateOne(
    { _id: `${accountId}:${month}`, 'recent.id': { $nin: ids }, ...limitFilter },
    { $inc: { used: sum }, $push: { recent: { $each: recent, $slice: -maxRememberedCharges } } },
  )
  return modifiedCount === 1
}

/** Charges once; true without a write if the id was charged before. */
async function chargeOne(reads: Collection<Row>, charge: Charge): Promise<boolean> {
  const { accountId, month, id } = charge
  const _id = `${accountId}:${month}`
  if (await chargeTogether(reads, [charge])) return true
  await ensureRow(reads, { _id, accountId, month, used: 0, recent: [] })
  if (await chargeTogether(reads, [charge])) return true
  return (await reads.findOne({ _id, 'recent.id': id }, { projection: { _id: 1 } })) !== null
}

/** Creates the row of a month, unless it exists or a concurrent call creates it. */
async function ensureRow(reads: Collection<Row>, row: Row): Promise<void> {
  try {
    await reads.updateOne({ _id: row._id }, { $setOnInsert: row }, { upsert: true })
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
}

function monthOf(date: Date): string {
  return date.toISOString().slice(0, 7)
}

/** The first instant of the next UTC month, when the read counter resets. */
export function monthEnd(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
}
