import type { Db } from 'mongodb'
import { endRecount } from '../accounts/library-slot-store.ts'
import type { AccountRow } from '../accounts/account-row.ts'
import type { PendingSlotChange } from '../core/account.ts'

type SubscriptionChange = 'subscribe' | 'leave' | 'unsubscribe'

/** A pending change of a subscription. */
export interface PendingSubscription extends PendingSlotChange {
  /** Also the id of the subscription. */
  id: string
  /**
   * `subscribe`: the slot is taken, and the subscription exists or is about to. `leave`: the subscription, if it still
   * exists, is to end. `unsubscribe`: the subscription ends, then the slot is released.
   */
  change: SubscriptionChange
  ownerId: string
}

/** Identifies the subscription of a pending change. */
export type SubscriptionRef = Pick<PendingSubscription, 'id' | 'itemId' | 'ownerId'>

/**
 * The library slots of subscriptions, kept in the account's document. An account has at most one pending change per
 * book, so that each slot is taken and released exactly once, even if another call completes an interrupted change.
 */
export interface SubscriptionSlotStore {
  /** Takes a slot; false if `limit` slots are in use or a change for the book is pending. */
  take(accountId: string, slot: SubscriptionRef, options: { limit: number; at: Date }): Promise<boolean>
  /** Marks a subscription as ending (`leave`); false while another change for the book is pending. */
  markEnding(accountId: string, slot: SubscriptionRef, at: Date): Promise<boolean>
  /**
   * Turns a pending change into `unsubscribe`, after which the subscription always ends; false if another call has
   * completed it.
   */
  commitToEnd(accountId: string, id: string, from: 'subscribe' | 'leave'): Promise<boolean>
  /** Completes a pending change and leaves the slots as they are; false if it is not pending. */
  clearPending(accountId: string, id: string, change: 'subscribe' | 'leave'): Promise<boolean>
  /** Releases the slot of an ended subscription. Idempotent. */
  release(accountId: string, id: string): Promise<void>
  /** The pending change for a book, or null. */
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
      return (
        (await accounts.updateOne(filter, { $inc: { slots: 1 }, $push: { pending }, ...endRecount })).modifiedCount ===
        1
      )
    },
    async markEnding(accountId, slot, at) {
      const filter = { _id: accountId, 'pending.itemId': { $ne: slot.itemId } }
      const pending: PendingSlotChange = { ...slot, change: 'leave', at }
      return (await accounts.updateOne(filter, { $push: { pending }, ...endRecount })).modifiedCount === 1
    },
    async commitToEnd(accountId, id, from) {
      const filter = { _id: accountId, pending: { $elemMatch: { id, change: from } } }
      return (await accounts.updateOne(filter, { $set: { 'pending.$.change': 'unsubscribe' } })).modifiedCount === 1
    },
    async clearPending(accountId, id, change) {
      const filter = { _id: accountId, pending: { $elemMatch: { id, change } } }
      return (await accounts.updateOne(filter, { $pull: { pending: { id, change } } })).modifiedCount === 1
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

/** True for a slot change of a subscription, false for one of a book of the account. */
export function isPendingSubscription(slot: PendingSlotChange): slot is PendingSubscription {
  return slot.change !== 'take' && slot.change !== 'free' && slot.change !== 'discard'
}
