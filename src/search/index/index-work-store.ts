import type { Collection, Db } from 'mongodb'
import { unjournaled } from '../../db/write-concern.ts'
import { writeBehind } from '../../runtime/batch.ts'

/** How long parts of an index stay after they are no longer listed, ms: searches that started before may still read them. */
export const readerGraceMs = 60 * 1000

/**
 * The parts of an index that a process is about to write or replace. The row is stored first, so that nothing is unrecorded after a crash.
 * After `dueAt`, the sweep removes the parts that nothing refers to. By then, all readers that started earlier have ended.
 */
export interface IndexWork {
  id: string
  ownerId: string
  bookId: string | null
  units: string[]
  segments: string[]
  dueAt: Date
}

export interface IndexWorkStore {
  add(work: IndexWork): Promise<void>
  /** Adds a unit to a work row. */
  addUnit(ownerId: string, id: string, unitId: string): Promise<void>
  /** Reduces a work row to `units`, which are removed after `dueAt`. Completes the work if there are none. */
  scheduleRemoval(ownerId: string, id: string, rest: Pick<IndexWork, 'units' | 'dueAt'>): Promise<void>
  /** Deletes a work row within a second. If the process dies before, the sweep finds nothing to remove, and deletes the row. */
  complete(ownerId: string, id: string): void
  /** Deletes the rows of completed work at once. */
  flush(): Promise<void>
  /** Returns at most `limit` due work rows, the oldest first. */
  listDue(now: Date, limit: number): Promise<IndexWork[]>
  /** Returns every work row, for checks. */
  all(): AsyncIterable<IndexWork>
}

type Row = Omit<IndexWork, 'id'> & { _id: string }

const completionDelayMs = 1000

/** Creates the store of index work on MongoDB: collection `search_work`. `onError` receives the error of a background write. */
export function createIndexWorkStore(db: Db, onError: (error: unknown) => void): IndexWorkStore {
  const works = db.collection<Row>('search_work')
  const toWork = ({ _id, ...fields }: Row): IndexWork => ({ id: _id, ...fields })
  const completed = db.collection<Row>('search_work', unjournaled)
  const { add: addCompleted, flush } = writeBehind((rows: readonly WorkKey[]) => deleteAll(completed, rows), {
    delayMs: completionDelayMs,
    onError,
  })
  const complete = (ownerId: string, id: string) => addCompleted({ ownerId, id })
  return {
    async add({ id, ...fields }) {
      await works.insertOne({ _id: id, ...fields })
    },
    async addUnit(ownerId, id, unitId) {
      await works.updateOne({ _id: id, ownerId }, { $push: { units: unitId } })
    },
    async scheduleRemoval(ownerId, id, { units, dueAt }) {
      if (units.length === 0) return complete(ownerId, id)
      await works.updateOne({ _id: id, ownerId }, { $set: { units, dueAt } })
    },
    complete,
    flush,
    async listDue(now, limit) {
      const rows = await works
        .find({ dueAt: { $lte: now } })
        .sort({ dueAt: 1 })
        .limit(limit)
        .toArray()
      return rows.map(toWork)
    },
    async *all() {
      for await (const row of works.find()) yield toWork(row)
    },
  }
}

type WorkKey = Pick<IndexWork, 'id' | 'ownerId'>

async function deleteAll(works: Collection<Row>, rows: readonly WorkKey[]): Promise<void> {
  const byOwner = Map.groupBy(rows, ({ ownerId }) => ownerId)
  const deletions = [...byOwner].map(([ownerId, owned]) => ({
    deleteMany: { filter: { _id: { $in: owned.map(({ id }) => id) }, ownerId } },
  }))
  await works.bulkWrite(deletions, { ordered: false })
}
