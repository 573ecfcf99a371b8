import type { Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'

/** The position of a draft: a page number, or a new page at the `start` or the `end`. */
export type DraftPlace = string

/** Identifies a draft: an account has one for each position in a book. */
export interface DraftKey {
  accountId: string
  itemId: string
  place: DraftPlace
}

/** Text that was typed and not saved to the book. */
export interface Draft extends DraftKey {
  content: string
  /** The version of the book on which it is based; for a new page, the one that was current. */
  version: number
  /** Changes with every save, so that two windows do not overwrite each other's text. */
  revision: string
  at: Date
}

export type DraftSummary = Omit<Draft, 'content'>

export interface DraftStore {
  /**
   * Adds a draft (`known` is null) or replaces the one with the revision `known`. Returns which of the two it did; null
   * if another revision is stored.
   */
  save(draft: Draft, known: string | null): Promise<'added' | 'replaced' | null>
  find(key: DraftKey): Promise<Draft | null>
  /** The account's drafts without their text, most recent first, at most `limit`. */
  list(accountId: string, limit: number): Promise<DraftSummary[]>
  count(accountId: string): Promise<number>
  /** Removes a draft, or only the given revision of it. */
  remove(key: DraftKey, revision?: string): Promise<void>
  /** Removes all drafts of a book, by any account. */
  removeBook(itemId: string): Promise<void>
  removeAccount(accountId: string): Promise<void>
  /** Removes drafts that were last saved before `before`. */
  removeOlderThan(before: Date): Promise<void>
}

export interface DraftStores {
  drafts: DraftStore
}

type Row = Draft & { _id: string }

/** Drafts on MongoDB: collection `drafts`, one row per account, book and place. */
export function createDraftStore(db: Db): DraftStore {
  const rows = db.collection<Row>('drafts')
  return {
    async save(draft, known) {
      const _id = draftId(draft)
      if (known !== null) {
        const { content, version, revision, at } = draft
        const set = { content, version, revision, at }
        const { matchedCount } = await rows.updateOne({ _id, revision: known }, { $set: set })
        return matchedCount === 1 ? 'replaced' : null
      }
      try {
        await rows.insertOne({ _id, ...draft })
        return 'added'
      } catch (error) {
        if (isDuplicateKey(error)) return null
        throw error
      }
    },
    async find(key) {
      const row = await rows.findOne({ _id: draftId(key) })
      return row && withoutId(row)
    },
    async list(accountId, limit) {
      const found = rows.find({ accountId }, { projection: { content: 0 } }).sort({ at: -1 })
      return (await found.limit(limit).toArray()).map(withoutId)
    },
    count: (accountId) => rows.countDocuments({ accountId }),
    async remove(key, revision) {
      const _id = draftId(key)
      await rows.deleteOne(revision === undefined ? { _id } : { _id, revision })
    },
    async removeBook(itemId) {
      await rows.deleteMany({ itemId })
    },
    async removeAccount(accountId) {
      await rows.deleteMany({ accountId })
    },
    async removeOlderThan(before) {
      await rows.deleteMany({ at: { $lt: before } })
    },
  }
}

function draftId({ accountId, itemId, place }: DraftKey): string {
  return `${accountId}:${itemId}:${place}`
}

function withoutId<T extends { _id: string }>({ _id, ...fields }: T): Omit<T, '_id'> {
  return fields
}
