import { LRUCache } from 'lru-cache'
import type { Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import { newId } from '../core/ids.ts'

/** Remembers how many listings fulfil a wish, because counting them costs far more than reading one page of them. */
export interface Totals {
  /** The number for a wish, counted anew when listings have changed since. */
  of(wish: string, count: () => Promise<number>): Promise<number>
  /** Call it after every change that may change a number. */
  forget(): Promise<void>
}

const longestMs = 30_000
const most = 1000

/**
 * Totals in the memory of each process. All processes share a mark in the store (collection `marketplace`), another one
 * after each change: a total counts for the mark that was read before it was counted. Where a process dies between a change
 * and the mark, the others notice within 30 seconds.
 */
export function createTotals(db: Db): Totals {
  const marks = db.collection<{ _id: string; mark: string }>('marketplace')
  const known = new LRUCache<string, number>({ max: most, ttl: longestMs })
  return {
    async of(wish, count) {
      const key = `${(await marks.findOne({ _id: 'listings' }))?.mark ?? ''}:${wish}`
      const hit = known.get(key)
      if (hit !== undefined) return hit
      const total = await count()
      known.set(key, total)
      return total
    },
    async forget() {
      try {
        await marks.updateOne({ _id: 'listings' }, { $set: { mark: newId() } }, { upsert: true })
      } catch (error) {
        // Another call has just set the first mark.
        if (!isDuplicateKey(error)) throw error
      }
    },
  }
}
