import { LRUCache } from 'lru-cache'
import type { AnyBulkWriteOperation, Collection, Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import { unjournaled, writeBehindDelayMs } from '../db/write-concern.ts'
import { batchLoad, writeBehind } from '../runtime/batch.ts'
import { atMost } from '../runtime/at-most.ts'

/** The current page of a reader in a book. */
export interface ReadingPosition {
  page: number
  /** Number of pages of the book at that time. */
  of: number
  version: number
  at: Date
}

export interface ReadingPositionStore {
  /** The account's position in each of these books; omits unopened books. One query for concurrent calls. */
  find(accountId: string, itemIds: readonly string[]): Promise<Map<string, ReadingPosition>>
  /**
   * The account's latest positions, newest first, at most `limit`, after a given position; null: from the newest on.
   */
  listRecent(
    accountId: string,
    limit: number,
    after?: { at: Date; itemId: string } | null,
  ): Promise<(ReadingPosition & { itemId: string })[]>
  /**
   * Records a position; the latest one wins, also between processes. The write is deferred (`flush` waits for it), and
   * skipped while the account stays on the same page.
   */
  save(accountId: string, itemId: string, position: ReadingPosition): void
  /** Waits until all positions so far are written. */
  flush(): Promise<void>
  /** Removes all positions in a book. */
  removeBook(itemId: string): Promise<void>
  /** Removes all positions of an account. */
  removeAccount(accountId: string): Promise<void>
}

export interface ReadingPositionStores {
  readingPositions: ReadingPositionStore
}

interface Row extends ReadingPosition {
  _id: string
  accountId: string
  itemId: string
}

/** An unchanged position is written again after this time, ms, so that the order of recent books is right. */
const repeatAfterMs = 10 * 60_000

/** Reading positions on MongoDB: collection `readingPositions`, one row per account and book. */
export function createReadingPositionStore(
  db: Db,
  { onError }: { onError(error: unknown): void },
): ReadingPositionStore {
  const rows = db.collection<Row>('readingPositions', unjournaled)
  const loadRows = batchLoad((ids) => rows.find({ _id: { $in: [...ids] } }).toArray())
  const saved = new LRUCache<string, Row>(atMost(20_000))
  const { add, flush } = writeBehind((changed: readonly Row[]) => writeRows(rows, changed), {
    delayMs: writeBehindDelayMs,
    onError(error) {
      saved.clear()
      onError(error)
    },
  })
  return {
    async find(accountId, itemIds) {
      await flush()
      const found = await loadRows(itemIds.map((itemId) => positionId(accountId, itemId)))
      return new Map(found.map((row) => [row.itemId, toPosition(row)]))
    },
    async listRecent(accountId, limit, after = null) {
      await flush()
      const last = after && { at: after.at, _id: { $gte: positionId(accountId, after.itemId) } }
      const filter = { accountId, ...(last ? { at: { $lte: last.at }, $nor: [last] } : {}) }
      const found = await rows.find(filter).sort({ at: -1, _id: -1 }).limit(limit).batchSize(limit).toArray()
      return found.map((row) => ({ itemId: row.itemId, ...toPosition(row) }))
    },
    save(accountId, itemId, position) {
      const row = { _id: positionId(accountId, itemId), accountId, itemId, ...position }
      if (isRepeat(saved.get(row._id), row)) return
      saved.set(row._id, row)
      add(row)
    },
    flush,
    async removeBook(itemId) {
      await flush()
      await rows.deleteMany({ itemId })
      for (const [id, row] of saved.entries()) if (row.itemId === itemId) saved.delete(id)
    },
    async removeAccount(accountId) {
      await flush()
      await rows.deleteMany({ accountId })
    },
  }
}

/** Writes the last position of each account and book in one command; keeps a later one of another process. */
async function writeRows(rows: Collection<Row>, changed: readonly Row[]): Promise<void> {
  const last = new Map(changed.map((row) => [row._id, row]))
  const operations: AnyBulkWriteOperation<Row>[] = Array.from(
    last.values(),
    ({ _id, accountId, itemId, ...position }) => ({
      updateOne: {
        filter: { _id, at: { $lte: position.at } },
        update: { $set: position, $setOnInsert: { accountId, itemId } },
        upsert: true,
      },
    }),
  )
  try {
    await rows.bulkWrite(operations, { ordered: false })
  } catch (error) {
    // The stored position is more recent.
    if (!isDuplicateKey(error)) throw error
  }
}

function isRepeat(last: Row | undefined, { page, of, version, at }: ReadingPosition): boolean {
  if (!last || last.page !== page || last.of !== of || last.version !== version) return false
  return at.getTime() - last.at.getTime() < repeatAfterMs
}

function positionId(accountId: string, itemId: string): string {
  return `${accountId}:${itemId}`
}

function toPosition({ page, of, version, at }: Row): ReadingPosition {
  return { page, of, version, at }
}
