import { setTimeout as delay } from 'node:timers/promises'
import type { Collection, Db } from 'mongodb'
import { AppError, isDuplicateKey } from '../core/errors.ts'

/** A shelf; its position is its place in the list. */
export interface Shelf {
  id: string
  name: string
  slug: string
  /** `#RRGGBB` */
  color: string | null
  createdAt: Date
}

/** Makes another list of shelves out of one; the same array when nothing changes. Its refusals are passed on. */
export type ShelfChange = (shelves: readonly Shelf[]) => readonly Shelf[]

export interface ShelfStore {
  /** The account's shelves in display order. */
  list(accountId: string): Promise<readonly Shelf[]>
  /**
   * Puts what `change` makes of the list in its place and returns it. Parallel changes take effect one after the other;
   * `change` runs again for a list that another call has changed meanwhile.
   */
  change(accountId: string, change: ShelfChange, at: Date): Promise<readonly Shelf[]>
  /** Shelves that were deleted before `before` and may still have books on them. */
  listRemoved(before: Date): AsyncIterable<{ accountId: string; shelfId: string }>
  /** The books of a deleted shelf are off it. */
  completeRemoval(accountId: string, shelfId: string): Promise<void>
  removeAccount(accountId: string): Promise<void>
}

export interface ShelfStores {
  shelves: ShelfStore
}

/**
 * All shelves of an account in one document: so names and slugs are unique, positions run from 0 without holes and the
 * plan's limit holds, whatever calls run side by side.
 */
interface Row {
  _id: string
  /** Rises with every change. */
  revision: number
  shelves: Shelf[]
  removing: { id: string; at: Date }[]
}

const maxAttempts = 200
const maxDelayMs = 20

/** Shelves on MongoDB: collection `shelves`, one row an account. */
export function createShelfStore(db: Db): ShelfStore {
  const rows = db.collection<Row>('shelves')
  return {
    list: async (accountId) => (await rows.findOne({ _id: accountId }))?.shelves ?? [],
    async change(accountId, change, at) {
      for (let attempt = 1; attempt <= maxAttempts; attempt++) {
        const row = await rows.findOne({ _id: accountId })
        const before = row?.shelves ?? []
        const after = change(before)
        if (after === before || (await replaceShelves(rows, { accountId, row, after, at }))) return after
        await delay(Math.random() * Math.min(attempt, maxDelayMs))
      }
      throw new AppError('TRANSIENT_CONFLICT', 'Other calls are changing the shelves. Retry in a second.', {
        retryAfterSeconds: 1,
        details: { retryAfterSeconds: 1 },
      })
    },
    async *listRemoved(before) {
      for await (const { _id, removing } of rows.find({ 'removing.at': { $lt: before } })) {
        for (const { id, at } of removing) if (at < before) yield { accountId: _id, shelfId: id }
      }
    },
    async completeRemoval(accountId, shelfId) {
      await rows.updateOne({ _id: accountId }, { $pull: { removing: { id: shelfId } } })
    },
    async removeAccount(accountId) {
      await rows.deleteOne({ _id: accountId })
    },
  }
}

interface Replacement {
  accountId: string
  row: Row | null
  after: readonly Shelf[]
  at: Date
}

/** Stores the new list unless the row has changed since it was read. */
async function replaceShelves(rows: Collection<Row>, { accountId, row, after, at }: Replacement): Promise<boolean> {
  const shelves = [...after]
  if (!row) return insertShelves(rows, { _id: accountId, revision: 1, shelves, removing: [] })
  const kept = new Set(after.map(({ id }) => id))
  const removed = row.shelves.filter(({ id }) => !kept.has(id)).map(({ id }) => ({ id, at }))
  const { revision } = row
  const { modifiedCount } = await rows.updateOne(
    { _id: accountId, revision },
    {
      $set: { shelves, revision: revision + 1 },
      ...(removed.length > 0 ? { $push: { removing: { $each: removed } } } : {}),
    },
  )
  return modifiedCount === 1
}

async function insertShelves(rows: Collection<Row>, row: Row): Promise<boolean> {
  try {
    await rows.insertOne(row)
    return true
  } catch (error) {
    if (isDuplicateKey(error)) return false
    throw error
  }
}
