import type { Collection, Db, Filter } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import { countByField } from '../db/count-by-field.ts'
import { cachedRead } from '../db/cached-reads.ts'

/** A marketplace book in an account's library. */
export interface Subscription {
  id: string
  accountId: string
  itemId: string
  listingId: string
  /** The owner of the book. */
  ownerId: string
  createdAt: Date
  /** The first readable version: that of its publication. Absent in rows from before this was recorded. */
  sinceVersion?: number
  /** True once another call than the one that added it relies on its library slot. Absent: never. */
  slotConfirmed?: true
}

export interface SubscriptionStore {
  /** The account's subscriptions: all (null) or those to `itemIds`. */
  listByAccount(accountId: string, itemIds: readonly string[] | null): Promise<Subscription[]>
  /** The account's `limit` oldest subscriptions. */
  oldest(accountId: string, limit: number): Promise<Subscription[]>
  /** The number of subscriptions of each account, by account id; accounts without any are omitted. */
  countByAccount(accountIds: readonly string[]): Promise<Map<string, number>>
  /** Whether the account has the subscription `id`. */
  has(accountId: string, id: string): Promise<boolean>
  /** Adds a subscription; false if the account already has one to that book. */
  add(subscription: Subscription): Promise<boolean>
  /** Keeps a subscription from being removed by `removeUnconfirmed`; false if it does not exist. */
  confirm(accountId: string, id: string): Promise<boolean>
  /** Removes a subscription that no other call relies on; false if there is none. */
  removeUnconfirmed(accountId: string, id: string): Promise<boolean>
  /** Removes a subscription. Idempotent. */
  remove(accountId: string, id: string): Promise<void>
  /** How many accounts are subscribed to a book. */
  countByBook(ownerId: string, itemId: string): Promise<number>
  /** All subscriptions to a book. */
  listByBook(ownerId: string, itemId: string): AsyncIterable<Subscription>
}

export interface SubscriptionStores {
  subscriptions: SubscriptionStore
}

type Row = Omit<Subscription, 'id'> & { _id: string }

/** Subscriptions on MongoDB: collection `subscriptions`, one row per account and book. */
export function createSubscriptionStore(db: Db): SubscriptionStore {
  const subscriptions = db.collection<Row>('subscriptions')
  return { ...readMethods(db, subscriptions), ...writeMethods(subscriptions) }
}

function readMethods(db: Db, subscriptions: Collection<Row>) {
  const list = async (filter: Filter<Row>) => (await subscriptions.find(filter).toArray()).map(toSubscription)
  const listAll = cachedRead(db, ['subscriptions'], (accountId) => list({ accountId }))
  return {
    listByAccount: (accountId: string, itemIds: readonly string[] | null) =>
      itemIds === null ? listAll(accountId) : list({ accountId, itemId: { $in: [...itemIds] } }),
    async oldest(accountId: string, limit: number) {
      const cursor = subscriptions.find({ accountId }).sort({ createdAt: 1, _id: 1 }).limit(limit)
      return (await cursor.toArray()).map(toSubscription)
    },
    countByAccount: (accountIds: readonly string[]) =>
      countByField(subscriptions, { field: 'accountId', values: accountIds }),
    has: async (accountId: string, id: string) => (await subscriptions.findOne({ _id: id, accountId })) !== null,
    countByBook: (ownerId: string, itemId: string) => subscriptions.countDocuments({ itemId, ownerId }),
    async *listByBook(ownerId: string, itemId: string) {
      for await (const row of subscriptions.find({ itemId, ownerId })) yield toSubscription(row)
    },
  }
}

function writeMethods(subscriptions: Collection<Row>) {
  return {
    async add({ id, ...fields }: Subscription) {
      try {
        await subscriptions.insertOne({ _id: id, ...fields })
        return true
      } catch (error) {
        if (isDuplicateKey(error)) return false
        throw error
      }
    },
    async confirm(accountId: string, id: string) {
      return (
        (await subscriptions.updateOne({ _id: id, accountId }, { $set: { slotConfirmed: true } })).matchedCount === 1
      )
    },
    async removeUnconfirmed(accountId: string, id: string) {
      const filter = { _id: id, accountId, slotConfirmed: { $exists: false } }
      return (await subscriptions.deleteOne(filter)).deletedCount === 1
    },
    async remove(accountId: string, id: string) {
      await subscriptions.deleteOne({ _id: id, accountId })
    },
  }
}

function toSubscription({ _id, ...fields }: Row): Subscription {
  return { id: _id, ...fields }
}
