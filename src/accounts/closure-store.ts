import type { Db } from 'mongodb'
import { toAccount, type AccountRow } from './store.ts'
import { type Account } from '../core/account.ts'

/** How long a deleted account can be brought back, ms. */
export const erasureGraceMs = 7 * 24 * 60 * 60 * 1000

export interface ClosureStore {
  /**
   * Closes an account: it is suspended at once and due to be erased after the grace. A repeat keeps the first date, which
   * is returned; null when there is no such account.
   */
  close(accountId: string, at: Date): Promise<Date | null>
  /** Lets a closed or suspended account in again; false when it is being erased, or is gone. */
  reopen(accountId: string): Promise<boolean>
  /** Accounts that were closed before `before`, those whose erasure has begun included. */
  listDueForErasure(before: Date): AsyncIterable<Account>
  /** From now on the account cannot be reopened; false when it was, just now. */
  beginErasure(accountId: string, closedBefore: Date): Promise<boolean>
  /** Removes the row of an account whose erasure has begun. */
  completeErasure(accountId: string): Promise<void>
}

export interface ClosureStores {
  accountClosures: ClosureStore
}

/** The end of accounts on MongoDB: collection `accounts`. */
export function createClosureStore(db: Db): ClosureStore {
  const accounts = db.collection<AccountRow>('accounts')
  return {
    async close(accountId, at) {
      await accounts.updateOne({ _id: accountId, deletedAt: null }, [
        { $set: { deletedAt: at, suspendedAt: { $ifNull: ['$suspendedAt', at] } } },
      ])
      return (await accounts.findOne({ _id: accountId }, { projection: { deletedAt: 1 } }))?.deletedAt ?? null
    },
    async reopen(accountId) {
      const reopened = { $set: { deletedAt: null, suspendedAt: null } }
      return (await accounts.updateOne({ _id: accountId, erasing: { $exists: false } }, reopened)).matchedCount === 1
    },
    async *listDueForErasure(before) {
      for await (const row of accounts.find({ deletedAt: { $lte: before } })) yield toAccount(row)
    },
    async beginErasure(accountId, closedBefore) {
      const filter = { _id: accountId, deletedAt: { $lte: closedBefore } }
      return (await accounts.updateOne(filter, { $set: { erasing: true } })).matchedCount === 1
    },
    async completeErasure(accountId) {
      await accounts.deleteOne({ _id: accountId, erasing: true })
    },
  }
}
