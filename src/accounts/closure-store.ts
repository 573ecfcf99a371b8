import type { Db } from 'mongodb'
import { toAccount, type AccountRow } from './account-row.ts'
import { type Account } from '../core/account.ts'

/** How long a closed account can be reopened, ms. */
export const erasureGraceMs = 7 * 24 * 60 * 60 * 1000

export interface ClosureStore {
  /**
   * Suspends an account and schedules its erasure. Returns the date of the first call; null if the account does not
   * exist.
   */
  close(accountId: string, at: Date): Promise<Date | null>
  /** Reopens a closed or suspended account; false if its erasure has begun or it does not exist. */
  reopen(accountId: string): Promise<boolean>
  /** Accounts closed at or before `before`, including those whose erasure has begun. */
  listDueForErasure(before: Date): AsyncIterable<Account>
  /**
   * Marks the account as being erased; after that it cannot be reopened. False if it was reopened, or closed again,
   * since `closedBefore`.
   */
  beginErasure(accountId: string, closedBefore: Date): Promise<boolean>
  /** Removes the row of an account after `beginErasure`. */
  completeErasure(accountId: string): Promise<void>
}

export interface ClosureStores {
  accountClosures: ClosureStore
}

/** Account closures on MongoDB: collection `accounts`. */
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
