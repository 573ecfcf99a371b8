import type { Collection, Db } from 'mongodb'

/** A marketplace book in somebody's library. */
export interface Subscription {
  accountId: string
  itemId: string
  listingId: string
  /** Whose book it is. */
  ownerId: string
  createdAt: Date
}

export interface SubscriptionStore {
  /** The account's subscriptions, all of them or those of `itemIds`. */
  of(accountId: string, itemIds: readonly string[] | null): Promise<Subscription[]>
  /** The account's `limit` oldest subscriptions. */
  oldest(accountId: string, limit: number): Promise<Subscription[]>
  count(accountId: string): Promise<number>
}

type Row = Omit<Subscription, 'accountId' | 'itemId'> & { _id: string; accountId: string; itemId: string }

/** Subscriptions on MongoDB: collection `subscriptions`, one row for each account and book. */
export function createSubscriptionStore(db: Db): SubscriptionStore {
  return reads(db.collection<Row>('subscriptions'))
}

function reads(subscriptions: Collection<Row>) {
  return {
    async of(accountId: string, itemIds: readonly string[] | null) {
      const some = itemIds === null ? {} : { itemId: { $in: [...itemIds] } }
      return (await subscriptions.find({ accountId, ...some }).toArray()).map(toSubscription)
    },
    async oldest(accountId: string, limit: number) {
      const cursor = subscriptions.find({ accountId }).sort({ createdAt: 1, _id: 1 }).limit(limit)
      return (await cursor.toArray()).map(toSubscription)
    },
    count: (accountId: string) => subscriptions.countDocuments({ accountId }),
  }
}

function toSubscription({ _id, ...fields }: Row): Subscription {
  return fields
}
