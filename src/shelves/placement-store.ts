import { MongoBulkWriteError, type Collection, type Db, type Filter } from 'mongodb'
import { duplicateKeyCode, isDuplicateKey } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { createDerivedCounts, type DerivedCounts } from '../db/derived-counts.ts'
import type { CountsRow, PendingCount } from '../db/derived-count-rows.ts'
import { isOneOf } from '../db/plan-removal.ts'

/** A book on a shelf. */
export interface Placement {
  shelfId: string
  itemId: string
  /** Another account's book: visible only while the account may read it. */
  granted?: true
}

interface PlacementQuery {
  shelfId?: string
  itemIds?: readonly string[]
  limit?: number
}

export interface PlacementStore {
  /** Puts books on shelves. Idempotent. Returns the placements that are new. */
  add(accountId: string, placements: readonly Placement[]): Promise<Placement[]>
  /** Takes books off a shelf; returns how many were on it. */
  remove(accountId: string, shelfId: string, itemIds: readonly string[]): Promise<number>
  /** Takes all books off a shelf. */
  clear(accountId: string, shelfId: string): Promise<void>
  /** The placements on the account's shelves, optionally of one shelf or of certain books; all of them or `limit`. */
  list(accountId: string, only?: PlacementQuery): Promise<Placement[]>
  /** Number of the account's and built-in books on each shelf, at a constant cost; omits empty shelves. */
  countByShelf(accountId: string): Promise<ReadonlyMap<string, number>>
  /** Other accounts' books on the account's shelves. */
  listGranted(accountId: string): Promise<Placement[]>
  /**
   * Finds the placements of a book, on the shelves of one account or of all; the returned function removes exactly
   * these, and none that is added later.
   */
  planRemoval(itemId: string, accountId?: string): Promise<() => Promise<void>>
  /** Removes all placements of an account. */
  removeAccount(accountId: string): Promise<void>
  /** Accounts whose stored counts differ from their placements; for checks. */
  findCountMismatches(): AsyncIterable<string>
  /** Replaces the derived counts of an account by those of its rows. */
  correctCounts(accountId: string): Promise<void>
}

export interface PlacementStores {
  placements: PlacementStore
}

type Row = Placement & {
  _id: string
  accountId: string
  uncounted?: PendingCount
  /** New each time the book is put on the shelf; absent in a row of an earlier version. */
  added?: string
}

/** Rows in one removal. */
const batchSize = 1000

/** Other accounts' books are not counted: each request checks which of them are still readable. */
const countedFilter = { granted: { $ne: true } } as const

/** Placements on MongoDB: collection `placements`, one row per book and shelf, and `placementTallies`. */
export function createPlacementStore(db: Db): PlacementStore {
  const rows = db.collection<Row>('placements')
  const derivedCounts = createDerivedCounts<Row>({
    rows,
    counts: db.collection<CountsRow>('placementTallies'),
    ownerField: 'accountId',
    rowFilter: countedFilter,
    fields: ['shelfId'],
    sumsOf: ({ shelfId }) => ({ [shelfId]: 1 }),
  })
  return {
    ...placementReads(rows),
    ...placementWrites(rows, derivedCounts),
    countByShelf: async (accountId) =>
      new Map(Object.entries((await derivedCounts.read([accountId])).get(accountId) ?? {})),
    findCountMismatches: derivedCounts.findMismatches,
    correctCounts: derivedCounts.correct,
  }
}

function placementReads(rows: Collection<Row>) {
  return {
    async list(accountId: string, { shelfId, itemIds, limit = 0 }: PlacementQuery = {}) {
      const filter: Filter<Row> = { accountId, 'uncounted.gone': { $ne: true } }
      // A shelf may contain very many books, so the rows of some books are found by their ids.
      if (shelfId !== undefined && itemIds !== undefined)
        filter._id = { $in: itemIds.map((itemId) => rowId({ accountId, shelfId, itemId })) }
      else if (shelfId !== undefined) filter.shelfId = shelfId
      else if (itemIds !== undefined) filter.itemId = { $in: [...itemIds] }
      const projection = { _id: 0, shelfId: 1, itemId: 1, granted: 1 }
      return (await rows.find(filter, { projection }).limit(limit).toArray()).map(toPlacement)
    },
    async listGranted(accountId: string) {
      return (await rows.find({ accountId, granted: true }).toArray()).map(toPlacement)
    },
  }
}

function placementWrites(rows: Collection<Row>, derivedCounts: DerivedCounts) {
  /** Removes placements of accounts and returns their number. */
  const removePlacements = async (accountIds: readonly string[], filter: Filter<Row>): Promise<number> => {
    const { deletedCount } = await rows.deleteMany({ ...filter, granted: true })
    // Of two concurrent removals of a book, one counts it.
    const present = { ...filter, ...countedFilter, 'uncounted.gone': { $ne: true as const } }
    const { modifiedCount } = await rows.updateMany(present, derivedCounts.pendingRemoval())
    for (const accountId of accountIds) await derivedCounts.reconcile(accountId)
    return deletedCount + modifiedCount
  }
  return {
    add: (accountId: string, placements: readonly Placement[]) =>
      addPlacements(rows, derivedCounts, { accountId, placements }),
    remove: (accountId: string, shelfId: string, itemIds: readonly string[]) =>
      removePlacements([accountId], { accountId, shelfId, itemId: { $in: [...itemIds] } }),
    async clear(accountId: string, shelfId: string) {
      await removePlacements([accountId], { accountId, shelfId })
    },
    async planRemoval(itemId: string, accountId?: string) {
      const filter = { itemId, ...(accountId === undefined ? {} : { accountId }) }
      const found = await rows.find(filter, { projection: { accountId: 1, granted: 1, added: 1 } }).toArray()
      return async () => {
        for (let from = 0; from < found.length; from += batchSize) {
          const batch = found.slice(from, from + batchSize)
          const counted = new Set(batch.flatMap((row) => (row.granted ? [] : [row.accountId])))
          await removePlacements([...counted], { ...filter, ...isOneOf(batch, '_id'), ...isOneOf(batch, 'added') })
        }
      }
    },
    async removeAccount(accountId: string) {
      await rows.deleteMany({ accountId })
      await derivedCounts.reset(accountId)
    },
  }
}

function rowId({ accountId, shelfId, itemId }: Pick<Row, 'accountId' | 'shelfId' | 'itemId'>): string {
  return `${accountId}:${shelfId}:${itemId}`
}

type NewPlacements = { accountId: string; placements: readonly Placement[] }

async function addPlacements(
  rows: Collection<Row>,
  derivedCounts: DerivedCounts,
  { accountId, placements }: NewPlacements,
): Promise<Placement[]> {
  if (placements.length === 0) return []
  const stamp = newId()
  const added = placements.map((placement): Row => {
    const _id = rowId({ accountId, ...placement })
    const uncounted = placement.granted ? {} : derivedCounts.pendingInsert(accountId)
    return { _id, accountId, ...placement, ...uncounted, added: stamp }
  })
  const inserted = await insertMissing(rows, added)
  if (inserted.length === added.length) return inserted.map(toPlacement)
  // Cancels a concurrent removal; if that has already finished, inserts the row again.
  const beingRemoved = { _id: { $in: added.map(({ _id }) => _id) }, 'uncounted.gone': true as const }
  const returning = await rows.find(beingRemoved).toArray()
  if (returning.length === 0) return inserted.map(toPlacement)
  const { modifiedCount } = await rows.updateMany(beingRemoved, derivedCounts.cancelRemoval({ added: stamp }))
  if (modifiedCount === 0) return inserted.map(toPlacement)
  const again = await insertMissing(rows, added)
  return [...new Map([...inserted, ...returning, ...again].map((row) => [row._id, toPlacement(row)])).values()]
}

/** Inserts the missing rows and returns them. */
async function insertMissing(rows: Collection<Row>, added: readonly Row[]): Promise<readonly Row[]> {
  try {
    await rows.insertMany([...added], { ordered: false })
    return added
  } catch (error) {
    if (!isDuplicateOnly(error)) throw error
    if (!(error instanceof MongoBulkWriteError)) return []
    const present = new Set([error.writeErrors].flat().map(({ index }) => index))
    return added.filter((_, index) => !present.has(index))
  }
}

function toPlacement({ shelfId, itemId, granted }: Row): Placement {
  return { shelfId, itemId, ...(granted ? { granted } : {}) }
}

/** True if every failure is a duplicate key. */
function isDuplicateOnly(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError)) return isDuplicateKey(error)
  return (
    [error.writeErrors].flat().every(({ code }) => code === duplicateKeyCode) &&
    error.result.getWriteConcernError() == null
  )
}
