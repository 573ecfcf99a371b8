import { setTimeout as delay } from 'node:timers/promises'
import type { Collection, Db } from 'mongodb'
import { createSlots } from '../runtime/slots.ts'
import { AppError, isDuplicateKey } from '../core/errors.ts'

/** A shelf; its position is its index in the list. */
export interface Shelf {
  id: string
  name: string
  slug: string
  /** `#RRGGBB`; null: none. */
  color: string | null
  createdAt: Date
}

/** Returns the changed list of shelves, or the same array if nothing changes. May throw a refusal. */
export type ShelfChange = (shelves: readonly Shelf[]) => readonly Shelf[]

export interface ShelfStore {
  /** The account's shelves in display order. */
  list(accountId: string): Promise<readonly Shelf[]>
  /**
   * Replaces the list by the result of `change` and returns it. Serializes concurrent changes: `change` runs again if
   * another call has changed the list. Throws the errors of `change`, and TRANSIENT_CONFLICT after too many attempts.
   */
  change(accountId: string, change: ShelfChange, at: Date): Promise<readonly Shelf[]>
  /** Shelves deleted before `before` that may still have placements. */
  listRemoved(before: Date): AsyncIterable<{ accountId: string; shelfId: string }>
  /** Records that a deleted shelf has no placements left. */
  completeRemoval(accountId: string, shelfId: string): Promise<void>
  removeAccount(accountId: string): Promise<void>
}

export interface ShelfStores {
  shelves: ShelfStore
}

/**
 * All shelves of an account in one document. So names and slugs are unique, positions have no gaps and the plan's limit
 * holds under concurrent calls.
 */
interface Row {
  _id: string
  /** Increases with every change. */
  revision: number
  shelves: Shelf[]
  removing: { id: string; at: Date }[]
}

const maxAttempts = 200
const maxDelayMs = 20
/** The maximum time that a change waits for the others of this process before it competes with them, ms. */
const maxLineMs = 30_000

/** Shelves on MongoDB: collection `shelves`, one row per account. */
export function createShelfStore(db: Db): ShelfStore {
  const rows = db.collection<Row>('shelves')
  const lines = createSlots({ perKey: 1, total: Infinity, maxWaitingPerKey: Infinity, maxWaitMs: maxLineMs })
  return {
    list: async (accountId) => (await rows.findOne({ _id: accountId }))?.shelves ?? [],
    async change(accountId, change, at) {
      const leave = await lines.take(accountId)
      try {
        for (let attempt = 1; attempt <= maxAttempts; attempt++) {
          const row = await rows.findOne({ _id: accountId })
          const before = row?.shelves ?? []
          const after = change(before)
          if (after === before || (await replaceShelves(rows, { accountId, row, after, at }))) return after
          await delay(Math.random() * Math.min(attempt, maxDelayMs))
        }
      } finally {
        leave?.()
      }
      throw new AppError(
        'TRANSIENT_CONFLICT',
        'Other calls are changing your shelves at the same time. Retry in a second.',
        { retryAfterSeconds: 1, details: { retryAfterSeconds: 1 } },
      )
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

/** Stores the new list; false when the row has changed since it was read. */
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
