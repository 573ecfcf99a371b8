import { createHash } from 'node:crypto'
import type { Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'

/** A processed file of a watched folder. */
export interface WatchedFile {
  /** Path below the folder. */
  name: string
  /** Its size and modification time; a changed signature means a changed file. */
  signature: string
}

export interface WatchStore {
  /** Acquires or extends the watch over an account's folder until `until`; false while another process holds it. */
  hold(accountId: string, watch: { holder: string; now: Date; until: Date }): Promise<boolean>
  /** Releases the watch. */
  release(accountId: string, holder: string): Promise<void>
  /** The processed files of the account's folder. */
  list(accountId: string): AsyncIterable<WatchedFile>
  /** Records a file as processed. */
  record(accountId: string, file: WatchedFile, at: Date): Promise<void>
  removeAccount(accountId: string): Promise<void>
}

export interface WatchStores {
  watches: WatchStore
}

interface WatchRow {
  /** The account id. */
  _id: string
  holder: string
  until: Date
}

type FileRow = WatchedFile & { _id: string; accountId: string; at: Date }

/** Watched folders on MongoDB: collections `watches` (one row per account) and `watchedFiles`. */
export function createWatchStore(db: Db): WatchStore {
  const watches = db.collection<WatchRow>('watches')
  const files = db.collection<FileRow>('watchedFiles')
  return {
    async hold(accountId, { holder, now, until }) {
      const isFree = { $or: [{ holder }, { until: { $lt: now } }] }
      try {
        const set = { $set: { holder, until } }
        const { matchedCount, upsertedCount } = await watches.updateOne({ _id: accountId, ...isFree }, set, {
          upsert: true,
        })
        return matchedCount + upsertedCount === 1
      } catch (error) {
        // Another process has the row.
        if (isDuplicateKey(error)) return false
        throw error
      }
    },
    async release(accountId, holder) {
      await watches.deleteOne({ _id: accountId, holder })
    },
    async *list(accountId) {
      for await (const { name, signature } of files.find({ accountId })) yield { name, signature }
    },
    async record(accountId, { name, signature }, at) {
      const key = createHash('sha256').update(name).digest('base64url').slice(0, 22)
      await files.updateOne(
        { _id: `${accountId}:${key}` },
        { $set: { accountId, name, signature, at } },
        { upsert: true },
      )
    },
    async removeAccount(accountId) {
      await files.deleteMany({ accountId })
      await watches.deleteOne({ _id: accountId })
    },
  }
}
