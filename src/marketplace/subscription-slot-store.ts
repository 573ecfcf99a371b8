import type { Db } from 'mongodb'
import type { AccountRow } from '../accounts/store.ts'
import type { PendingSlotChange } from '../core/account.ts'

type SubscriptionChange = 'subscribe' | 'leave' | 'unsubscribe'

/** A change of a subscription that is under way. */
export interface PendingSubscription extends PendingSlotChange {
  /** Also the id of the subscription. */
  id: string
  /**
   * `subscribe`: the slot is taken, and the subscription stands or will; `leave`: it is to end, if it is still there;
   * `unsubscribe`: it ends, and its slot comes back.
   */
  change: SubscriptionChange
  ownerId: string
}

/** The subscription that a step is about. */
export type SubscriptionRef = Pick<PendingSubscription, 'id' | 'itemId' | 'ownerId'>

/**
 * The library slots of subscriptions, in the account's own document. At most one change of a book's subscription is under
 * way in an account at a time, so that each slot is taken once and comes back once, whoever takes up what a crash left.
 */
export interface SubscriptionSlotStore {
  /** Takes a slot; false when `limit` slots are in use, or a change for the book is under way. */
  take(accountId: string, slot: SubscriptionRef, options: { limit: number; at: Date }): Promise<boolean>
  /** Notes that a subscription is to end; false while another change for the book is under way. */
  markEnding(accountId: string, slot: SubscriptionRef, at: Date): Promise<boolean>
  /** From here on a change ends in the subscription's end; false when it was settled meanwhile. */
  commitToEnd(accountId: string, id: string, from: 'subscribe' | 'leave'): Promise<boolean>
  /** Settles a change and leaves the slots as they are. Repeats change nothing. */
  clearPending(accountId: string, id: string, change: 'subscribe' | 'leave'): Promise<void>
  /** Gives the slot of an ended subscription back. Repeats change nothing. */
  release(accountId: string, id: string): Promise<void>
  /** The change for a book that is under way. */
  findPending(accountId: string, itemId: string): Promise<PendingSubscription | null>
}

export interface SubscriptionSlotStores {
  subscriptionSlots: SubscriptionSlotStore
}

/** Subscription slots on MongoDB: in the rows of `accounts`. */
export function createSubscriptionSlotStore(db: Db): SubscriptionSlotStore {
  const accounts = db.collection<AccountRow>('accounts')
  return {
    async take(accountId, slot, { limit, at }) {
      const filter = { _id: accountId, slots: { $lt: limit }, 'pending.itemId': { $ne: slot.itemId } }
      const pending: PendingSlotChange = { ...slot, change: 'subscribe', at }
      return (await accounts.updateOne(filter, { $inc: { slots: 1 }, $push: { pending } })).modifiedCount === 1
    },
    async markEnding(accountId, slot, at) {
      const filter = { _id: accountId, 'pending.itemId': { $ne: slot.itemId } }
      const pending: PendingSlotChange = { ...slot, change: 'leave', at }
      return (await accounts.updateOne(filter, { $push: { pending } })).modifiedCount === 1
    },
    async commitToEnd(accountId, id, from) {
      const filter = { _id: accountId, pending: { $elemMatch: { id, change: from } } }
      return (await accounts.updateOne(filter, { $set: { 'pending.$.change': 'unsubscribe' } })).modifiedCount === 1
    },
    async clearPending(accountId, id, change) {
      await accounts.updateOne({ _id: accountId }, { $pull: { pending: { id, change } } })
    },
    async release(accountId, id) {
      const filter = { _id: accountId, pending: { $elemMatch: { id, change: 'unsubscribe' as const } } }
      await accounts.updateOne(filter, { $inc: { slots: -1 }, $pull: { pending: { id } } })
    },
    async findPending(accountId, itemId) {
      const row = await accounts.findOne({ _id: accountId, 'pending.itemId': itemId })
      return row?.pending.filter(isPendingSubscription).find((slot) => slot.itemId === itemId) ?? null
    },
  }
}

/** True for a slot change that belongs to a subscription and not to an own book. */
export function isPendingSubscription(slot: PendingSlotChange): slot is PendingSubscription {
  return slot.change !== 'take' && slot.change !== 'free'
}
