import { MongoBulkWriteError, type Db, type Filter } from 'mongodb'
import { isDuplicateKey } from '../errors.ts'

/** A book on a shelf. */
export interface Placement {
  shelfId: string
  itemId: string
  /** Somebody else's book: it is seen as long as the account may read it. */
  granted?: true
}

export interface PlacementStore {
  /** Puts books on a shelf; those that are there already stay as they are. */
  add(accountId: string, placements: readonly Placement[]): Promise<void>
  /** Takes books off a shelf; returns how many were on it. */
  remove(accountId: string, shelfId: string, itemIds: readonly string[]): Promise<number>
  /** Takes all books off a shelf. */
  clear(accountId: string, shelfId: string): Promise<void>
  /** What stands on the account's shelves, or on one of them, or where certain books stand. */
  list(accountId: string, only?: { shelfId?: string; itemIds?: readonly string[] }): Promise<Placement[]>
  /** How many books stand on each shelf; a shelf without books is missing. */
  counts(accountId: string): Promise<Map<string, number>>
  /** The books of others on the account's shelves. */
  granted(accountId: string): Promise<Placement[]>
  /** Takes books off every shelf of the account. */
  takeDown(accountId: string, itemIds: readonly string[]): Promise<void>
  /** Takes a book that is gone off every shelf, its readers' shelves included. */
  removeBook(itemId: string): Promise<void>
  /** Takes all books off all shelves of an account. */
  removeAccount(accountId: string): Promise<void>
}

type Row = Placement & { _id: string; accountId: string }

/** Books on shelves on MongoDB: collection `placements`, one row for each book on each shelf. */
export function createPlacementStore(db: Db): PlacementStore {
  const rows = db.collection<Row>('placements')
  return {
    async add(accountId, placements) {
      if (placements.length === 0) return
      const added = placements.map((placement) => {
        return { _id: `${accountId}:${placement.shelfId}:${placement.itemId}`, accountId, ...placement }
      })
      try {
        await rows.insertMany(added, { ordered: false })
      } catch (error) {
        if (!areThereAlready(error)) throw error
      }
    },
    async remove(accountId, shelfId, itemIds) {
      return (await rows.deleteMany({ accountId, shelfId, itemId: { $in: [...itemIds] } })).deletedCount
    },
    async clear(accountId, shelfId) {
      await rows.deleteMany({ accountId, shelfId })
    },
    async list(accountId, { shelfId, itemIds } = {}) {
      const filter: Filter<Row> = { accountId }
      if (shelfId !== undefined) filter.shelfId = shelfId
      if (itemIds !== undefined) filter.itemId = { $in: [...itemIds] }
      const found = await rows.find(filter, { projection: { _id: 0, shelfId: 1, itemId: 1, granted: 1 } }).toArray()
      return found.map(toPlacement)
    },
    async counts(accountId) {
      const groups = await rows
        .aggregate<{ _id: string; count: number }>([
          { $match: { accountId } },
          { $group: { _id: '$shelfId', count: { $sum: 1 } } },
        ])
        .toArray()
      return new Map(groups.map(({ _id, count }) => [_id, count]))
    },
    async granted(accountId) {
      return (await rows.find({ accountId, granted: true }).toArray()).map(toPlacement)
    },
    async takeDown(accountId, itemIds) {
      await rows.deleteMany({ accountId, itemId: { $in: [...itemIds] } })
    },
    async removeBook(itemId) {
      await rows.deleteMany({ itemId })
    },
    async removeAccount(accountId) {
      await rows.deleteMany({ accountId })
    },
  }
}

function toPlacement({ shelfId, itemId, granted }: Row): Placement {
  return { shelfId, itemId, ...(granted ? { granted } : {}) }
}

/** True when nothing went wrong but that some rows exist. */
function areThereAlready(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError)) return isDuplicateKey(error)
  return [error.writeErrors].flat().every(({ code }) => code === 11000) && error.result.getWriteConcernError() == null
}
