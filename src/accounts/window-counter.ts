import type { Collection } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import { batch } from '../runtime/batch.ts'

/** A rate limit window; collection `rates`. */
export interface WindowRow {
  _id: string
  start: Date
  count: number
  now: Date
  expiresAt: Date
}

export interface WindowCount {
  /** Number of calls in the window, including this one and all that were counted with it. */
  count: number
  /** Remaining time of the window, ms. */
  remainingMs: number
}

interface CountRequest {
  key: string
  windowMs: number
  /** The number of calls to count. Default: 1. */
  calls?: number
}

/**
 * Counts a call in the window of its key and returns its number in that window. A window begins with its first call, by
 * the store's clock, which all processes share. One write covers concurrent calls with the same key. A window that begins
 * in the future has ended: that clock has been set back since.
 */
export function createWindowCounter(rates: Collection<WindowRow>): (call: CountRequest) => Promise<WindowCount> {
  return batch(async (calls: readonly CountRequest[]) => {
    const answers = new Map<CountRequest, WindowCount>()
    const countGroup = async (group: readonly CountRequest[]) => {
      const all = group.reduce((sum, { calls: some = 1 }) => sum + some, 0)
      const { count, remainingMs } = await incrementWindow(rates, group[0] as CountRequest, all)
      let counted = count - all
      for (const call of group) {
        counted += call.calls ?? 1
        answers.set(call, { count: counted, remainingMs })
      }
    }
    await Promise.all([...Map.groupBy(calls, ({ key }) => key).values()].map(countGroup))
    return calls.map((call) => answers.get(call) as WindowCount)
  })
}

async function incrementWindow(
  rates: Collection<WindowRow>,
  { key, windowMs }: CountRequest,
  increment: number,
): Promise<WindowCount> {
  const elapsed = { $subtract: ['$$NOW', '$start'] }
  const update = [
    { $set: { expired: { $cond: [{ $gt: ['$start', '$$NOW'] }, true, { $gte: [elapsed, windowMs] }] } } },
    {
      $set: {
        count: { $cond: ['$expired', increment, { $add: ['$count', increment] }] },
        start: { $cond: ['$expired', '$$NOW', '$start'] },
        now: '$$NOW',
        expiresAt: { $add: ['$$NOW', 2 * windowMs] },
      },
    },
    { $unset: 'expired' },
  ]
  for (let attempt = 0; attempt < 4; attempt++) {
    const row = await rates.findOneAndUpdate({ _id: key }, update, { returnDocument: 'after' })
    if (row) return { count: row.count, remainingMs: windowMs - (row.now.getTime() - row.start.getTime()) }
    await createWindow(rates, key, windowMs)
  }
  throw new Error(`Could not create the window ${key}`)
}

/** Creates an empty window before counting, because concurrent upserts of a first count would conflict. */
async function createWindow(rates: Collection<WindowRow>, _id: string, windowMs: number): Promise<void> {
  const past = new Date(0)
  try {
    await rates.insertOne({ _id, start: past, count: 0, now: past, expiresAt: new Date(Date.now() + 60 * windowMs) })
  } catch (error) {
    // A concurrent call has created it.
    if (!isDuplicateKey(error)) throw error
  }
}
