import type { Db } from 'mongodb'

/**
 * Parts of the index to be written or replaced. The row is stored before them, so that a crash leaves nothing
 * unrecorded: after `dueAt` the sweep removes those that nothing refers to. By then, earlier readers have ended.
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
  /** Keeps only `units` on a work row, to be removed after `dueAt`; removes the row when there are none. */
  scheduleRemoval(ownerId: string, id: string, rest: Pick<IndexWork, 'units' | 'dueAt'>): Promise<void>
  complete(ownerId: string, id: string): Promise<void>
  /** Due work rows, oldest first, at most `limit`. */
  listDue(now: Date, limit: number): Promise<IndexWork[]>
  /** Every work row, for checks. */
  all(): AsyncIterable<IndexWork>
}

type Row = Omit<IndexWork, 'id'> & { _id: string }

/** Index work on MongoDB: collection `search_work`. */
export function createIndexWorkStore(db: Db): IndexWorkStore {
  const works = db.collection<Row>('search_work')
  const toWork = ({ _id, ...fields }: Row): IndexWork => ({ id: _id, ...fields })
  const complete = async (ownerId: string, id: string) => {
    await works.deleteOne({ _id: id, ownerId })
  }
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
