import { asBuffer } from '../bson/bytes.ts'
import type { Collection } from '../storage/catalog.ts'
import { rowidOf } from '../storage/index-keys.ts'
import type { Index } from '../storage/index-spec.ts'
import { inverted, successor } from '../storage/key-parts.ts'
import { encodeKey, keyClasses } from '../storage/keys.ts'
import { deleteRow, rowById } from '../storage/records.ts'
import type { Store } from '../storage/records.ts'

const batch = 500

/**
 * Deletes documents that have expired according to a TTL index, up to 500 per index; returns true if more may remain.
 */
export function deleteExpired(store: Store, now: number): boolean {
  let more = false
  for (const collection of store.catalog.list()) {
    for (const index of collection.indexes) {
      if (index.expireAfterSeconds === undefined) continue
      const expired = expiredRows(store, index, now - index.expireAfterSeconds * 1000)
      for (const rowid of expired) deleteIfPresent(store, collection, rowid)
      more ||= expired.length >= batch
    }
  }
  return more
}

/**
 * The rows that expired before a time. An array counts by its earliest date, which is its first key; values that are
 * not dates never expire.
 */
function expiredRows({ connection }: Store, index: Index, before: number): number[] {
  const descending = index.fields[0]?.descending ?? false
  const oldest = Uint8Array.of(keyClasses.date)
  const limit = successor(encodeKey(new Date(before)))
  const [lo, hi] = descending ? [successor(inverted(limit)), successor(inverted(oldest))] : [oldest, limit]
  const sql = `SELECT k FROM i${index.id} WHERE k >= ? AND k < ? LIMIT ${batch}`
  return connection.all<[Uint8Array]>(sql, lo, hi).map(([key]) => rowidOf(asBuffer(key)))
}

function deleteIfPresent(store: Store, collection: Collection, rowid: number): void {
  const bytes = rowById(store.connection, collection, rowid)
  if (bytes) deleteRow(store, collection, { rowid, bytes })
}
