import type { Db } from 'mongodb'

/** One manuscript slot in use. */
export interface HeldSlot {
  /** A new one for each time that a manuscript becomes ACTIVE: a late release never takes another's slot away. */
  id: string
  manuscriptId: string
  /** Since when it is being taken or released; null at rest. A crash leaves a date behind, which the sweep settles. */
  since: Date | null
}

export interface ManuscriptSlotStore {
  /** Takes a slot unless `limit` are in use already; one conditional write. True also for a slot that is held already. */
  take(accountId: string, slot: Omit<HeldSlot, 'since'>, options: { limit: number; at: Date }): Promise<boolean>
  /** The manuscript has the slot now. */
  confirm(accountId: string, id: string): Promise<void>
  /** The manuscript is about to give the slot up. */
  markReleasing(accountId: string, id: string, at: Date): Promise<void>
  /** Gives a slot back; repeats change nothing. */
  release(accountId: string, id: string): Promise<void>
  removeAccount(accountId: string): Promise<void>
  /** Slots that have been in between since before `before`. */
  listStalePending(before: Date): AsyncIterable<HeldSlot & { accountId: string }>
  /** The slots in use of every account, for checks. */
  all(): AsyncIterable<{ accountId: string; held: HeldSlot[] }>
}

export interface ManuscriptSlotStores {
  manuscriptSlots: ManuscriptSlotStore
}

interface Row {
  /** The account. */
  _id: string
  held: HeldSlot[]
}

/** Manuscript slots on MongoDB: collection `manuscriptslots`, one row an account. */
export function createManuscriptSlotStore(db: Db): ManuscriptSlotStore {
  const rows = db.collection<Row>('manuscriptslots')
  return {
    async take(accountId, slot, { limit, at }) {
      if (limit < 1) return false
      await rows.updateOne({ _id: accountId }, { $setOnInsert: { held: [] } }, { upsert: true })
      const { modifiedCount } = await rows.updateOne(
        { _id: accountId, 'held.id': { $ne: slot.id }, [`held.${limit - 1}`]: { $exists: false } },
        { $push: { held: { ...slot, since: at } } },
      )
      return modifiedCount === 1 || (await rows.findOne({ _id: accountId, 'held.id': slot.id })) !== null
    },
    async confirm(accountId, id) {
      await rows.updateOne({ _id: accountId, 'held.id': id }, { $set: { 'held.$.since': null } })
    },
    async markReleasing(accountId, id, at) {
      await rows.updateOne({ _id: accountId, 'held.id': id }, { $set: { 'held.$.since': at } })
    },
    async release(accountId, id) {
      await rows.updateOne({ _id: accountId }, { $pull: { held: { id } } })
    },
    async removeAccount(accountId) {
      await rows.deleteOne({ _id: accountId })
    },
    async *listStalePending(before) {
      for await (const { _id, held } of rows.find({ 'held.since': { $lt: before } })) {
        for (const slot of held) if (slot.since && slot.since < before) yield { ...slot, accountId: _id }
      }
    },
    async *all() {
      for await (const { _id, held } of rows.find()) yield { accountId: _id, held }
    },
  }
}
