import type { Db } from 'mongodb'

/** A manuscript slot in use. */
export interface HeldSlot {
  /** New each time a manuscript becomes ACTIVE, so that a late release never releases a later slot. */
  id: string
  manuscriptId: string
  /**
   * When taking or releasing it began; null when complete. After a crash it stays set until the sweep reconciles the
   * slot.
   */
  since: Date | null
}

export interface ManuscriptSlotStore {
  /**
   * Takes a slot unless `limit` slots are in use; one conditional write. Returns true as well for a slot that is held
   * already.
   */
  take(accountId: string, slot: Omit<HeldSlot, 'since'>, options: { limit: number; at: Date }): Promise<boolean>
  /** Completes taking a slot: the manuscript has it now. False if it was released, because its call had stopped. */
  confirm(accountId: string, id: string): Promise<boolean>
  /** Marks a slot as being released, before the manuscript gives it up. */
  markReleasing(accountId: string, id: string, at: Date): Promise<void>
  /** Releases a slot; with `since`, only if it is still pending since then. Idempotent. */
  release(accountId: string, id: string, since?: Date): Promise<void>
  removeAccount(accountId: string): Promise<void>
  /** Slots whose taking or releasing has been pending since before `before`. */
  listStalePending(before: Date): AsyncIterable<HeldSlot & { accountId: string; since: Date }>
  /** The slots in use of every account, for consistency checks. */
  all(): AsyncIterable<{ accountId: string; held: HeldSlot[] }>
}

export interface ManuscriptSlotStores {
  manuscriptSlots: ManuscriptSlotStore
}

interface Row {
  /** The account id. */
  _id: string
  held: HeldSlot[]
}

/** Manuscript slots on MongoDB: collection `manuscriptslots`, one row per account. */
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
      const update = { $set: { 'held.$.since': null } }
      return (await rows.updateOne({ _id: accountId, 'held.id': id }, update)).matchedCount === 1
    },
    async markReleasing(accountId, id, at) {
      await rows.updateOne({ _id: accountId, 'held.id': id }, { $set: { 'held.$.since': at } })
    },
    async release(accountId, id, since) {
      await rows.updateOne({ _id: accountId }, { $pull: { held: { id, ...(since && { since }) } } })
    },
    async removeAccount(accountId) {
      await rows.deleteOne({ _id: accountId })
    },
    async *listStalePending(before) {
      for await (const { _id, held } of rows.find({ 'held.since': { $lt: before } })) {
        for (const slot of held)
          if (slot.since && slot.since < before) yield { ...slot, since: slot.since, accountId: _id }
      }
    },
    async *all() {
      for await (const { _id, held } of rows.find()) yield { accountId: _id, held }
    },
  }
}
