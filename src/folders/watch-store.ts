import { createHash } from 'node:crypto'
import type { Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'

/** A file of a watched folder that was dealt with. */
export interface WatchedFile {
  /** Below the folder. */
  name: string
  /** Its size and time of change; another signature is another file. */
  signature: string
}

export interface WatchStore {
  /** Takes the watch over an account's folder, or keeps it, until `until`; false while another process has it. */
  hold(accountId: string, watch: { holder: string; now: Date; until: Date }): Promise<boolean>
  /** Gives the watch up. */
  release(accountId: string, holder: string): Promise<void>
  /** The files of the account's folder that were dealt with. */
  list(accountId: string): AsyncIterable<WatchedFile>
  /** Records that a file was dealt with, so that it is not looked at again. */
  record(accountId: string, file: WatchedFile, at: Date): Promise<void>
  removeAccount(accountId: string): Promise<void>
}

export interface WatchStores {
  watches: WatchStore
}

interface WatchRow {
  /** The account. */
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
