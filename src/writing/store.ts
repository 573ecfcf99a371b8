import type { Db } from 'mongodb'

/** Pages that a write has begun to store. As long as it is noted they may belong to no version yet. */
export interface StagedWrite {
  ownerId: string
  itemId: string
  revision: string
  at: Date
}

export interface WriteStore {
  /** Notes a write before its first page is stored; repeats change nothing. */
  begin(write: StagedWrite): Promise<void>
  /** The pages of a write belong to a version now, or are gone. */
  end(itemId: string, revision: string): Promise<void>
  /** Writes noted before `before`: a crash left them. */
  listAbandoned(before: Date): Promise<StagedWrite[]>
  /** Runs the writes of one account to one book one after the other, as far as this process knows of them. */
  runExclusive<T>(accountId: string, itemId: string, write: () => Promise<T>): Promise<T>
}

export interface WriteStores {
  writes: WriteStore
}

type Row = Omit<StagedWrite, 'itemId' | 'revision'> & { _id: string }

/** Writes under way on MongoDB: collection `writes`, one short row for as long as a write takes. */
export function createWriteStore(db: Db): WriteStore {
  const rows = db.collection<Row>('writes')
  const tails = new Map<string, Promise<unknown>>()
  return {
    async begin({ itemId, revision, ...fields }) {
      await rows.updateOne({ _id: `${itemId}:${revision}` }, { $setOnInsert: fields }, { upsert: true })
    },
    async end(itemId, revision) {
      await rows.deleteOne({ _id: `${itemId}:${revision}` })
    },
    async listAbandoned(before) {
      const found = await rows
        .find({ at: { $lt: before } })
        .limit(1000)
        .toArray()
      return found.map(({ _id, ownerId, at }) => {
        const [itemId = '', revision = ''] = _id.split(':')
        return { ownerId, itemId, revision, at }
      })
    },
    async runExclusive(accountId, itemId, write) {
      const key = `${accountId}:${itemId}`
      const result = (tails.get(key) ?? Promise.resolve()).then(write)
      const tail = Promise.allSettled([result])
      tails.set(key, tail)
      try {
        return await result
      } finally {
        if (tails.get(key) === tail) tails.delete(key)
      }
    },
  }
}
