import type { Collection } from 'mongodb'
import type { PendingSlotChange } from '../core/account.ts'
import { newId } from '../core/ids.ts'
import type { AccountRow } from './account-row.ts'

/**
 * Identifies a pending change of the slot of an owned book. An account has at most one pending change per book, so that
 * each slot is taken and released exactly once, even if another call completes an interrupted change.
 */
export type SlotChangeRef = Pick<PendingSlotChange, 'id' | 'itemId'>

/** The library slots of owned books, kept in the account's document. */
export interface LibrarySlotStore {
  /**
   * Takes one library slot for a book, in one conditional write; false if `limit` slots are in use, or a change for the
   * book is pending.
   */
  takeSlot(id: string, slot: SlotChangeRef, options: { limit: number; at: Date }): Promise<boolean>
  /** Confirms a taken slot whose book exists; false if it is not pending, because another call has ended the change. */
  confirmSlot(id: string, slot: SlotChangeRef): Promise<boolean>
  /**
   * Turns a taken slot into a mark (`free`) before what a crash has left of its book is removed. From then on its call
   * cannot confirm it. False if the slot is not pending.
   */
  giveUpSlot(id: string, slot: SlotChangeRef & { at: Date }): Promise<boolean>
  /** Ends a pending change, and releases the slot if this change is still pending. Idempotent. */
  releaseSlot(id: string, slot: SlotChangeRef): Promise<void>
  /**
   * Marks slots before their books are removed (`free`) or moved to the bin (`discard`); returns the id of the marks,
   * or null while another change for one of the books is pending.
   */
  markSlotsReleasing(
    id: string,
    itemIds: readonly string[],
    mark: { change: 'free' | 'discard'; at: Date },
  ): Promise<string | null>
  /** Removes a mark for books that another call has removed, because that call releases their slots. */
  unmarkSlotsReleasing(id: string, itemIds: readonly string[], markId: string): Promise<void>
  /**
   * Replaces the number of used slots by what `count` returns, unless a slot change is pending or begins meanwhile.
   * Returns whether it was replaced.
   */
  recountSlots(id: string, count: () => Promise<number>): Promise<boolean>
}

/** The part of an update that begins a slot change: what a recount in progress has counted is outdated. */
export const endRecount = { $unset: { recount: '' } } as const

/** Library slots on MongoDB: in the rows of `accounts`. */
export function createLibrarySlots(accounts: Collection<AccountRow>): LibrarySlotStore {
  return {
    async takeSlot(id, { id: changeId, itemId }, { limit, at }) {
      const { modifiedCount } = await accounts.updateOne(
        { _id: id, slots: { $lt: limit }, 'pending.itemId': { $ne: itemId } },
        { $inc: { slots: 1 }, $push: { pending: { id: changeId, itemId, change: 'take', at } }, ...endRecount },
      )
      return modifiedCount === 1
    },
    async confirmSlot(id, { id: changeId, itemId }) {
      const taken = { id: changeId, itemId, change: 'take' } as const
      const filter = { _id: id, pending: { $elemMatch: taken } }
      return (await accounts.updateOne(filter, { $pull: { pending: taken } })).modifiedCount === 1
    },
    async giveUpSlot(id, { id: changeId, itemId, at }) {
      const filter = { _id: id, pending: { $elemMatch: { id: changeId, itemId, change: 'take' as const, at } } }
      return (await accounts.updateOne(filter, { $set: { 'pending.$.change': 'free' } })).modifiedCount === 1
    },
    async releaseSlot(id, { id: changeId, itemId }) {
      const change = { id: changeId, itemId }
      await accounts.updateOne(
        { _id: id, pending: { $elemMatch: change } },
        { $inc: { slots: -1 }, $pull: { pending: change } },
      )
    },
    async markSlotsReleasing(id, itemIds, { change, at }) {
      const markId = newId(at)
      const pending = itemIds.map((itemId): PendingSlotChange => ({ id: markId, itemId, change, at }))
      const { modifiedCount } = await accounts.updateOne(
        { _id: id, 'pending.itemId': { $nin: [...itemIds] } },
        { $push: { pending: { $each: pending } }, ...endRecount },
      )
      return modifiedCount === 1 ? markId : null
    },
    async unmarkSlotsReleasing(id, itemIds, markId) {
      await accounts.updateOne(
        { _id: id },
        { $pull: { pending: { id: { $eq: markId }, itemId: { $in: [...itemIds] } } } },
      )
    },
    async recountSlots(id, count) {
      const recount = newId()
      if ((await accounts.updateOne({ _id: id, pending: [] }, { $set: { recount } })).matchedCount === 0) return false
      const slots = await count()
      return (await accounts.updateOne({ _id: id, recount }, { $set: { slots }, ...endRecount })).matchedCount === 1
    },
  }
}
