import type { Db } from 'mongodb'

/** Pages that a write has begun to store. While the row exists, they may not belong to a version yet. */
export interface StagedWrite {
  ownerId: string
  itemId: string
  revision: string
  at: Date
}

export interface WriteStore {
  /** Records a write before its first page is stored. Idempotent. */
  begin(write: StagedWrite): Promise<void>
  /** Removes the row, after the pages belong to a version or were removed. */
  end(itemId: string, revision: string): Promise<void>
  /** Writes that began before `before` and were interrupted by a crash; at most 1000. */
  listAbandoned(before: Date): Promise<StagedWrite[]>
  /** Serialises the writes of one account to one book, within this process. */
  runExclusive<T>(accountId: string, itemId: string, write: () => Promise<T>): Promise<T>
}

export interface WriteStores {
  writes: WriteStore
}

type Row = Omit<StagedWrite, 'itemId' | 'revision'> & { _id: string }

/** Writes in progress on MongoDB: collection `writes`, one short row per write. */
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
