import { LRUCache } from 'lru-cache'
import type { Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import { unjournaled } from '../db/write-concern.ts'
import { batchLoad } from '../runtime/batch.ts'

export interface LastRead {
  version: number
  at: Date
}

export interface LastReadStore {
  /**
   * What version of each book the account has read last, and when; books it has not read are left out. Whoever has read a
   * book in the version that it has is known from memory for a minute.
   */
  find(accountId: string, books: readonly { id: string; version: number }[]): Promise<Map<string, LastRead>>
  /** Notes reads in one write; an older version than the noted one changes nothing. */
  record(accountId: string, reads: readonly { itemId: string; version: number }[], at: Date): Promise<void>
  /** Forgets who has read a book. */
  removeBook(itemId: string): Promise<void>
  /** Forgets what an account has read. */
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
  // Another process may know of a later read: only of a book that has a later version, which is asked for then.
  const cache = new LRUCache<string, LastRead>({ max: 20_000, ttl: 60_000 })
  return {
    async find(accountId, books) {
      const last = new Map<string, LastRead>()
      const unknown: string[] = []
      for (const { id, version } of books) {
        const note = cache.get(lastReadId(accountId, id))
        if (note && note.version >= version) last.set(id, note)
        else unknown.push(lastReadId(accountId, id))
      }
      for (const { itemId, version, at } of await loadRows(unknown)) last.set(itemId, { version, at })
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
        // Another call of the account has just made the row.
        if (!isDuplicateKey(error)) throw error
      }
      for (const { itemId, version } of reads) cache.set(lastReadId(accountId, itemId), { version, at })
    },
    async removeBook(itemId) {
      await rows.deleteMany({ itemId })
    },
    async removeAccount(accountId) {
      // All ids that begin with the account's (`;` is the next character after `:`).
      await rows.deleteMany({ _id: { $gte: `${accountId}:`, $lt: `${accountId};` } })
    },
  }
}

function lastReadId(accountId: string, itemId: string): string {
  return `${accountId}:${itemId}`
}
