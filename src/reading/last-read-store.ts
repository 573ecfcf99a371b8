import { LRUCache } from 'lru-cache'
import type { Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import { unjournaled } from '../db/write-concern.ts'
import { batchLoad } from '../runtime/batch.ts'
import { atMost } from '../runtime/at-most.ts'

export interface LastRead {
  version: number
  at: Date
}

export interface LastReadStore {
  /**
   * The version of each book that the account read last, and when; omits unread books. Cached for a minute for books
   * read in their current version.
   */
  find(accountId: string, books: readonly { id: string; version: number }[]): Promise<Map<string, LastRead>>
  /** Records reads in one write; ignores a version older than the stored one. */
  record(accountId: string, reads: readonly { itemId: string; version: number }[], at: Date): Promise<void>
  /** Removes all last reads of a book. */
  removeBook(itemId: string): Promise<void>
  /** Removes all last reads of an account. */
  removeAccount(accountId: string): Promise<void>
}

export interface LastReadStores {
  lastReads: LastReadStore
}

interface Row extends LastRead {
  _id: string
  accountId: string
  itemId: string
}

/** Last reads on MongoDB: collection `lastReads`, one row per account and book, kept for a year. */
export function createLastReadStore(db: Db): LastReadStore {
  const rows = db.collection<Row>('lastReads', unjournaled)
  const loadRows = batchLoad((ids) => rows.find({ _id: { $in: [...ids] } }).toArray())
  // Another process may have recorded a later read, but only of a later version, and a cached entry of an older version
  // is ignored.
  const cache = new LRUCache<string, LastRead>({ ...atMost(20_000), ttl: 60_000 })
  return {
    async find(accountId, books) {
      const last = new Map<string, LastRead>()
      const missingIds: string[] = []
      for (const { id, version } of books) {
        const note = cache.get(lastReadId(accountId, id))
        if (note && note.version >= version) last.set(id, note)
        else missingIds.push(lastReadId(accountId, id))
      }
      for (const { itemId, version, at } of await loadRows(missingIds)) last.set(itemId, { version, at })
      return last
    },
    async record(accountId, reads, at) {
      const operations = reads.map(({ itemId, version }) => ({
        updateOne: {
          filter: { _id: lastReadId(accountId, itemId) },
          update: { $max: { version, at }, $setOnInsert: { accountId, itemId } },
          upsert: true,
        },
      }))
      try {
        if (operations.length > 0) await rows.bulkWrite(operations, { ordered: false })
      } catch (error) {
        // A concurrent call of the account has created the row.
        if (!isDuplicateKey(error)) throw error
      }
      for (const { itemId, version } of reads) cache.set(lastReadId(accountId, itemId), { version, at })
    },
    async removeBook(itemId) {
      await rows.deleteMany({ itemId })
    },
    async removeAccount(accountId) {
      // All ids with the account's prefix (`;` follows `:` in ASCII).
      await rows.deleteMany({ _id: { $gte: `${accountId}:`, $lt: `${accountId};` } })
    },
  }
}

function lastReadId(accountId: string, itemId: string): string {
  return `${accountId}:${itemId}`
}
