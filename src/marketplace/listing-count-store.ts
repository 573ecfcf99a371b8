import { LRUCache } from 'lru-cache'
import type { Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import { newId } from '../core/ids.ts'

/** Remembers how many listings fulfil a wish, because counting them costs far more than reading one page of them. */
export interface ListingCountCache {
  /** The number for a wish, counted anew when listings have changed since. */
  get(queryKey: string, count: () => Promise<number>): Promise<number>
  /** Call it after every change that may change a number. */
  invalidate(): Promise<void>
}

const maxAgeMs = 30_000
const maxEntries = 1000

/**
 * Totals in the memory of each process. All processes share a mark in the store (collection `marketplace`), another one
 * after each change: a total counts for the mark that was read before it was counted. Where a process dies between a change
 * and the mark, the others notice within 30 seconds.
 */
export function createListingCountCache(db: Db): ListingCountCache {
  const generations = db.collection<{ _id: string; mark: string }>('marketplace')
  const cache = new LRUCache<string, number>({ max: maxEntries, ttl: maxAgeMs })
  return {
    async get(queryKey, count) {
      const key = `${(await generations.findOne({ _id: 'listings' }))?.mark ?? ''}:${queryKey}`
      const cached = cache.get(key)
      if (cached !== undefined) return cached
      const total = await count()
      cache.set(key, total)
      return total
    },
    async invalidate() {
      try {
        await generations.updateOne({ _id: 'listings' }, { $set: { mark: newId() } }, { upsert: true })
      } catch (error) {
        // Another call has just set the first mark.
        if (!isDuplicateKey(error)) throw error
      }
    },
  }
}
