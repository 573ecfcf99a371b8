import type { Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'

/** A book that an account would like the library to have. */
export interface Suggestion {
  id: string
  accountId: string
  /** The topic key of title and author, unique per account. */
  work: string
  title: string
  author: string | null
  reason: string
  createdAt: Date
}

export interface SuggestionStore {
  /** Adds a suggestion; false if the account has suggested this book already. */
  add(suggestion: Suggestion): Promise<boolean>
  /** The account's suggestions from `start` until before `end`, latest first, at most `limit`. */
  list(accountId: string, window: { start: Date; end: Date; limit: number }): Promise<Suggestion[]>
  /** Removes the suggestions of an account. */
  removeAccount(accountId: string): Promise<void>
}

export interface SuggestionStores {
  suggestions: SuggestionStore
}

type Row = Omit<Suggestion, 'id'> & { _id: string }

/** Suggested books on MongoDB: collection `suggestions`, one row per account and book. */
export function createSuggestionStore(db: Db): SuggestionStore {
  const rows = db.collection<Row>('suggestions')
  return {
    async add({ id, ...fields }) {
      try {
        await rows.insertOne({ _id: id, ...fields })
        return true
      } catch (error) {
        if (isDuplicateKey(error)) return false
        throw error
      }
    },
    async list(accountId, { start, end, limit }) {
      const filter = { accountId, createdAt: { $gte: start, $lt: end } }
      const found = await rows.find(filter).sort({ createdAt: -1, _id: -1 }).limit(limit).toArray()
      return found.map(({ _id, ...fields }) => ({ id: _id, ...fields }))
    },
    async removeAccount(accountId) {
      await rows.deleteMany({ accountId })
    },
  }
}
