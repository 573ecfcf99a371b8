import { LRUCache } from 'lru-cache'
import type { Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import { newId } from '../core/ids.ts'

/** Caches how many listings match a query, because counting them costs far more than reading one page of them. */
export interface ListingCountCache {
  /** Returns the cached count, or calls `count` if listings have changed since it was cached. */
  get(queryKey: string, count: () => Promise<number>): Promise<number>
  /** Drops all cached counts in all processes. Call it after every change that may alter a count. */
  invalidate(): Promise<void>
}

const maxAgeMs = 30_000
const maxEntries = 1000

/**
 * Counts in the memory of each process, keyed by a generation that all processes share (collection `marketplace`, field
 * `mark`) and that every change replaces. The generation is read before counting. If a process dies between a change
 * and the new generation, the others serve the old counts for at most 30 seconds.
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
        // Another call has just inserted the first generation.
        if (!isDuplicateKey(error)) throw error
      }
    },
  }
}
