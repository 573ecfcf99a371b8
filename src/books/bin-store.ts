import type { Collection, Db, Filter } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import type { Book } from './book.ts'

/**
 * The state of a deleted book: moving into the bin, in it, moving back, or being erased. Only a `kept` book is in the
 * bin for its owner.
 */
export type BinState = 'deleting' | 'kept' | 'restoring' | 'erasing'

/** A deleted book in its former state, with the data needed to bring it back. */
export interface BinnedBook {
  id: string
  ownerId: string
  book: Book
  /** The owner's shelves that contained it. */
  shelfIds: string[]
  deletedAt: Date
  state: BinState
  /** The slot change of the deletion or the return in progress; only a call that knows it can end that. */
  token: string
}

/** Position in a bin: the time of a deletion and the id of the book. */
export interface BinPosition {
  at: Date
  id: string
}

export interface BinStore {
  /** Stores a book that is being deleted, in place of the entry `replaced`; false if that entry has changed. */
  put(entry: Omit<BinnedBook, 'id' | 'ownerId' | 'state'>, replaced: BinnedBook | null): Promise<boolean>
  /** Ends a deletion: the book is in the bin. */
  keep(ownerId: string, id: string): Promise<void>
  /** Reverts the entry of the deletion `token`, if it has not ended. */
  dropDeletion(ownerId: string, id: string, token: string): Promise<void>
  find(ownerId: string, id: string): Promise<BinnedBook | null>
  /** The ids that have an entry, in any state. */
  listKnown(ids: readonly string[]): Promise<Set<string>>
  /** The books in the account's bin, most recently deleted first, at most `limit`, after a position. */
  list(ownerId: string, page: { after: BinPosition | null; limit: number }): Promise<BinnedBook[]>
  /** The stored bytes of each book in the bin, most recently deleted first. */
  listSizes(ownerId: string): Promise<{ id: string; bytes: number }[]>
  /** Begins a return with the slot change `token`, or finds the one in progress; null if the book is not in the bin. */
  claimReturn(ownerId: string, id: string, token: string): Promise<BinnedBook | null>
  /** Reverts the beginning of the return `token`: the book is in the bin. */
  dropReturn(ownerId: string, id: string, token: string): Promise<void>
  /** Ends a return and removes the entry. False if another call has ended it, or the book was deleted again. */
  endReturn(ownerId: string, id: string, token: string): Promise<boolean>
  /** Begins to erase a book in the bin, or finds an erasure in progress; false in any other state. */
  claimErasure(ownerId: string, id: string): Promise<boolean>
  /** Begins to erase everything in an account's bin, in any state; returns the ids. */
  claimErasureOfAll(ownerId: string): Promise<string[]>
  /** Ends an erasure and removes the entry. */
  endErasure(ownerId: string, id: string): Promise<void>
  /** Books deleted before `before`, and those with an unfinished erasure, at most `limit` of each. */
  listDue(before: Date, limit: number): Promise<{ ownerId: string; id: string }[]>
  /** Unfinished deletions that began before `before`, at most `limit`. */
  listDeleting(before: Date, limit: number): Promise<BinnedBook[]>
  /** Unfinished returns, at most `limit`. */
  listReturning(limit: number): Promise<BinnedBook[]>
  /** Every entry, for checks. */
  all(): AsyncIterable<BinnedBook>
}

export interface BinStores {
  bin: BinStore
}

type Row = Omit<BinnedBook, 'id'> & { _id: string }

/** Bins on MongoDB: collection `deletedBooks`, one row per deleted book; its text and file stay in place. */
export function createBinStore(db: Db): BinStore {
  const rows = db.collection<Row>('deletedBooks')
  return { ...binReads(rows), ...binWrites(rows) }
}

const deletedLastFirst = { deletedAt: -1, _id: -1 } as const

function binReads(rows: Collection<Row>) {
  return {
    async find(ownerId: string, id: string) {
      const row = await rows.findOne({ _id: id, ownerId })
      return row && toEntry(row)
    },
    async listKnown(ids: readonly string[]) {
      const found = await rows.find({ _id: { $in: [...ids] } }, { projection: { _id: 1 } }).toArray()
      return new Set(found.map(({ _id }) => _id))
    },
    async list(ownerId: string, { after, limit }: { after: BinPosition | null; limit: number }) {
      const filter: Filter<Row> = { ownerId, state: 'kept' }
      if (after) {
        filter.deletedAt = { $lte: after.at }
        filter.$nor = [{ deletedAt: after.at, _id: { $gte: after.id } }]
      }
      return (await rows.find(filter).sort(deletedLastFirst).limit(limit).toArray()).map(toEntry)
    },
    async listSizes(ownerId: string) {
      const projection = { 'book.storedBytes': 1 }
      const found = await rows.find({ ownerId, state: 'kept' }, { projection }).sort(deletedLastFirst).toArray()
      return found.map(({ _id, book }) => ({ id: _id, bytes: book?.storedBytes ?? 0 }))
    },
    async listDue(before: Date, limit: number) {
      const projection = { ownerId: 1 }
      const old = rows.find({ state: 'kept', deletedAt: { $lt: before } }, { projection }).limit(limit)
      const begun = rows.find({ state: 'erasing' }, { projection }).limit(limit)
      return [...(await begun.toArray()), ...(await old.toArray())].map(({ _id, ownerId }) => ({ id: _id, ownerId }))
    },
    async listDeleting(before: Date, limit: number) {
      const filter = { state: 'deleting' as const, deletedAt: { $lt: before } }
      return (await rows.find(filter).limit(limit).toArray()).map(toEntry)
    },
    async listReturning(limit: number) {
      return (await rows.find({ state: 'restoring' }).limit(limit).toArray()).map(toEntry)
    },
    async *all() {
      for await (const row of rows.find({})) yield toEntry(row)
    },
  }
}

const inState = (ownerId: string, id: string, state: BinState) => ({ _id: id, ownerId, state })

function binWrites(rows: Collection<Row>) {
  return {
    async put({ book, ...fields }: Omit<BinnedBook, 'id' | 'ownerId' | 'state'>, replaced: BinnedBook | null) {
      const { id: _id, ownerId } = book
      const entry = { ownerId, book, ...fields, state: 'deleting' as const }
      if (replaced) {
        const { state, token } = replaced
        return (await rows.replaceOne({ _id, ownerId, state, token }, entry)).matchedCount === 1
      }
      try {
        await rows.insertOne({ _id, ...entry })
        return true
      } catch (error) {
        if (isDuplicateKey(error)) return false
        throw error
      }
    },
    async keep(ownerId: string, id: string) {
      await rows.updateOne(inState(ownerId, id, 'deleting'), { $set: { state: 'kept' } })
    },
    async dropDeletion(ownerId: string, id: string, token: string) {
      await rows.deleteOne({ ...inState(ownerId, id, 'deleting'), token })
    },
    async claimReturn(ownerId: string, id: string, token: string) {
      await rows.updateOne(inState(ownerId, id, 'kept'), { $set: { state: 'restoring', token } })
      const row = await rows.findOne(inState(ownerId, id, 'restoring'))
      return row && toEntry(row)
    },
    async dropReturn(ownerId: string, id: string, token: string) {
      await rows.updateOne({ ...inState(ownerId, id, 'restoring'), token }, { $set: { state: 'kept' } })
    },
    async endReturn(ownerId: string, id: string, token: string) {
      return (await rows.deleteOne({ ...inState(ownerId, id, 'restoring'), token })).deletedCount === 1
    },
    async claimErasure(ownerId: string, id: string) {
      await rows.updateOne(inState(ownerId, id, 'kept'), { $set: { state: 'erasing' } })
      return (await rows.findOne(inState(ownerId, id, 'erasing'), { projection: { _id: 1 } })) !== null
    },
    async claimErasureOfAll(ownerId: string) {
      await rows.updateMany({ ownerId }, { $set: { state: 'erasing' } })
      const found = await rows.find({ ownerId }, { projection: { _id: 1 } }).toArray()
      return found.map(({ _id }) => _id)
    },
    async endErasure(ownerId: string, id: string) {
      await rows.deleteOne(inState(ownerId, id, 'erasing'))
    },
  }
}

function toEntry({ _id, ...fields }: Row): BinnedBook {
  return { id: _id, ...fields }
}
