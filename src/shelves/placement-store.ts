import { MongoBulkWriteError, type Collection, type Db, type Filter } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import { createTally, type Tally } from '../db/derived-counts.ts'
import type { TallyRow, Uncounted } from '../db/derived-count-rows.ts'

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
  /** How many own and built-in books stand on each shelf, at the same cost however many; a shelf without any is missing. */
  counts(accountId: string): Promise<ReadonlyMap<string, number>>
  /** The books of others on the account's shelves. */
  granted(accountId: string): Promise<Placement[]>
  /** Takes books off every shelf of the account. */
  takeDown(accountId: string, itemIds: readonly string[]): Promise<void>
  /** Takes a book that is gone off every shelf, its readers' shelves included. */
  removeBook(itemId: string): Promise<void>
  /** Takes all books off all shelves of an account. */
  removeAccount(accountId: string): Promise<void>
  /** Accounts whose counts are not what stands on their shelves; for checks. */
  wrongCounts(): AsyncIterable<string>
}

export interface PlacementStores {
  placements: PlacementStore
}

type Row = Placement & { _id: string; accountId: string; uncounted?: Uncounted }

/** Books of others are not counted: each time it is looked which of them may still be read. */
const counted = { granted: { $ne: true } } as const

/** Books on shelves on MongoDB: collection `placements`, one row for each book on each shelf, and `placementTallies`. */
export function createPlacementStore(db: Db): PlacementStore {
  const rows = db.collection<Row>('placements')
  const tally = createTally<Row>({
    rows,
    tallies: db.collection<TallyRow>('placementTallies'),
    owner: 'accountId',
    only: counted,
    fields: ['shelfId'],
    sumsOf: ({ shelfId }) => ({ [shelfId]: 1 }),
  })
  return {
    ...placementReads(rows),
    ...placementWrites(rows, tally),
    counts: async (accountId) => new Map(Object.entries((await tally.read([accountId])).get(accountId) ?? {})),
    wrongCounts: tally.wrong,
  }
}

function placementReads(rows: Collection<Row>) {
  return {
    async list(accountId: string, { shelfId, itemIds }: { shelfId?: string; itemIds?: readonly string[] } = {}) {
      const filter: Filter<Row> = { accountId, 'uncounted.gone': { $ne: true } }
      if (shelfId !== undefined) filter.shelfId = shelfId
      if (itemIds !== undefined) filter.itemId = { $in: [...itemIds] }
      const found = await rows.find(filter, { projection: { _id: 0, shelfId: 1, itemId: 1, granted: 1 } }).toArray()
      return found.map(toPlacement)
    },
    async granted(accountId: string) {
      return (await rows.find({ accountId, granted: true }).toArray()).map(toPlacement)
    },
  }
}

function placementWrites(rows: Collection<Row>, tally: Tally) {
  /** Takes books off the shelves of accounts and returns how many there were. */
  const takeOff = async (accountIds: readonly string[], filter: Filter<Row>): Promise<number> => {
    const { deletedCount } = await rows.deleteMany({ ...filter, granted: true })
    // Of two calls that take off the same book, one counts it.
    const there = { ...filter, ...counted, 'uncounted.gone': { $ne: true as const } }
    const { modifiedCount } = await rows.updateMany(there, tally.removing())
    for (const accountId of accountIds) await tally.settle(accountId)
    return deletedCount + modifiedCount
  }
  return {
    add: (accountId: string, placements: readonly Placement[]) => addAll(rows, tally, { accountId, placements }),
    remove: (accountId: string, shelfId: string, itemIds: readonly string[]) =>
      takeOff([accountId], { accountId, shelfId, itemId: { $in: [...itemIds] } }),
    async clear(accountId: string, shelfId: string) {
      await takeOff([accountId], { accountId, shelfId })
    },
    async takeDown(accountId: string, itemIds: readonly string[]) {
      await takeOff([accountId], { accountId, itemId: { $in: [...itemIds] } })
    },
    async removeBook(itemId: string) {
      const found = await rows.find({ itemId, ...counted }, { projection: { accountId: 1 } }).toArray()
      await takeOff([...new Set(found.map(({ accountId }) => accountId))], { itemId })
    },
    async removeAccount(accountId: string) {
      await rows.deleteMany({ accountId })
      await tally.forget(accountId)
    },
  }
}

type Added = { accountId: string; placements: readonly Placement[] }

async function addAll(rows: Collection<Row>, tally: Tally, { accountId, placements }: Added): Promise<void> {
  if (placements.length === 0) return
  const added = placements.map((placement): Row => {
    const _id = `${accountId}:${placement.shelfId}:${placement.itemId}`
    return { _id, accountId, ...placement, ...(placement.granted ? {} : tally.fresh(accountId)) }
  })
  if (await insertMissing(rows, added)) return
  // One that was just being taken off stays, or is added once more where it is off already.
  const leaving = { _id: { $in: added.map(({ _id }) => _id) }, 'uncounted.gone': true as const }
  const { modifiedCount } = await rows.updateMany(leaving, tally.keeping())
  if (modifiedCount > 0) await insertMissing(rows, added)
}

/** True when all rows were missing. */
async function insertMissing(rows: Collection<Row>, added: readonly Row[]): Promise<boolean> {
  try {
    await rows.insertMany([...added], { ordered: false })
    return true
  } catch (error) {
    if (!areThereAlready(error)) throw error
    return false
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
