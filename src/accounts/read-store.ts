import type { Collection, Db } from 'mongodb'
import { isDuplicateKey } from '../errors.ts'

export interface ReadMeter {
  /**
   * Charges `count` reads of the month that `now` lies in, all or none: false when they would pass `limit` (null:
   * unlimited). A charge with an `id` that was charged before is free.
   */
  charge(accountId: string, charge: { id: string; count: number; limit: number | null; now: Date }): Promise<boolean>
  /** Reads charged in the month that `now` lies in (UTC). */
  used(accountId: string, now: Date): Promise<number>
}

interface Row {
  _id: string
  accountId: string
  month: string
  used: number
  recent: { id: string; count: number }[]
}

/** How many charges a row remembers, so that a repeated one is known. */
const remembered = 200

/** The monthly read counter on MongoDB: collection `reads`, one row per account and month, one conditional update per charge. */
export function createReadMeter(db: Db): ReadMeter {
  const reads = db.collection<Row>('reads')
  return {
    async charge(accountId, { id, count, limit, now }) {
      if (count === 0) return true
      const month = monthOf(now)
      const _id = `${accountId}:${month}`
      const guard = limit === null ? {} : { used: { $lte: limit - count } }
      const update = {
        $inc: { used: count },
        $push: { recent: { $each: [{ id, count }], $slice: -remembered } },
      }
      const filter = { _id, 'recent.id': { $ne: id }, ...guard }
      if ((await reads.updateOne(filter, update)).modifiedCount === 1) return true
      await makeRow(reads, { _id, accountId, month, used: 0, recent: [] })
      if ((await reads.updateOne(filter, update)).modifiedCount === 1) return true
      return (await reads.findOne({ _id, 'recent.id': id }, { projection: { _id: 1 } })) !== null
    },
    async used(accountId, now) {
      const row = await reads.findOne({ _id: `${accountId}:${monthOf(now)}` }, { projection: { used: 1 } })
      return row?.used ?? 0
    },
  }
}

/** Makes the row of a month; one that is there, or is being made by somebody else, stays as it is. */
async function makeRow(reads: Collection<Row>, row: Row): Promise<void> {
  try {
    await reads.updateOne({ _id: row._id }, { $setOnInsert: row }, { upsert: true })
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
}

function monthOf(date: Date): string {
  return date.toISOString().slice(0, 7)
}

/** The first instant of the next UTC month: when the read counter starts anew. */
export function monthEnd(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
}
