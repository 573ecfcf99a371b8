import type { Collection } from 'mongodb'
import { isDuplicateKey } from '../errors.ts'

/** What is counted in one window; collection `rates`. */
export interface WindowRow {
  _id: string
  start: Date
  count: number
  now: Date
  expiresAt: Date
}

/**
 * Counts one more in the window of `key` and tells the count and what is left of the window, ms. A window begins with
 * its first count; its clock is the store's, so that all processes share it.
 */
export async function countInWindow(
  rates: Collection<WindowRow>,
  key: string,
  windowMs: number,
): Promise<{ count: number; leftMs: number }> {
  const elapsed = { $subtract: ['$$NOW', '$start'] }
  const update = [
    { $set: { expired: { $gte: [elapsed, windowMs] } } },
    {
      $set: {
        count: { $cond: ['$expired', 1, { $add: ['$count', 1] }] },
        start: { $cond: ['$expired', '$$NOW', '$start'] },
        now: '$$NOW',
        expiresAt: { $add: ['$$NOW', 2 * windowMs] },
      },
    },
    { $unset: 'expired' },
  ]
  for (let attempt = 0; attempt < 4; attempt++) {
    const row = await rates.findOneAndUpdate({ _id: key }, update, { returnDocument: 'after' })
    if (row) return { count: row.count, leftMs: windowMs - (row.now.getTime() - row.start.getTime()) }
    await makeWindow(rates, key, windowMs)
  }
  throw new Error(`The window ${key} could not be made`)
}

/** Makes an empty window. Apart from the count: upserts of first counts would race with each other. */
async function makeWindow(rates: Collection<WindowRow>, _id: string, windowMs: number): Promise<void> {
  const past = new Date(0)
  try {
    await rates.insertOne({ _id, start: past, count: 0, now: past, expiresAt: new Date(Date.now() + 60 * windowMs) })
  } catch (error) {
    // Another first count has made it.
    if (!isDuplicateKey(error)) throw error
  }
}
