import type { Collection, Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'

/** Maximum number of live API keys of an account, neither revoked nor expired. */
export const maxLiveKeys = 50

interface SlotRow {
  /** The account. */
  _id: string
  places: { id: string; at: Date }[]
}

/** The properties of a stored key that determine its slot. */
export interface KeyFacts {
  id: string
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
}

export interface KeySlots {
  /** Takes a slot for a key that is about to be stored, in one conditional write; false if all slots are taken. */
  take(accountId: string, key: Pick<KeyFacts, 'id' | 'createdAt'>): Promise<boolean>
  /** Keeps the slot of a stored key from being released as that of a call that died; false if it was released. */
  renew(accountId: string, id: string, at: Date): Promise<boolean>
  removeAccount(accountId: string): Promise<void>
}

/** A slot without a key is released after this time, ms: its call died before it stored the key. */
const abandonedMs = 60_000
/** A call that takes longer than this to store a key checks whether its slot was released, ms. */
export const renewAfterMs = abandonedMs / 2

/**
 * The slots of live API keys on MongoDB: collection `keyPlaces`, one row per account. Slots of revoked and expired keys
 * are released when all are taken. The row of an account from before this collection existed is created from its keys.
 */
export function createKeySlots(db: Db, listKeys: (accountId: string) => Promise<KeyFacts[]>): KeySlots {
  const rows = db.collection<SlotRow>('keyPlaces')
  return {
    async take(accountId, { id, createdAt: at }) {
      const takeSlot = async () => {
        const filter = { _id: accountId, [`places.${maxLiveKeys - 1}`]: { $exists: false } }
        return (await rows.updateOne(filter, { $push: { places: { id, at } } })).modifiedCount === 1
      }
      if (await takeSlot()) return true
      const keys = await listKeys(accountId)
      const live = keys.filter((key) => isLive(key, at))
      // Creates the missing row of an account together with the slot, if one is left.
      if (live.length < maxLiveKeys && (await addRow(rows, accountId, [...live, { id, createdAt: at }]))) return true
      await freeSlots(rows, { accountId, keys, at })
      return takeSlot()
    },
    async renew(accountId, id, at) {
      const filter = { _id: accountId, 'places.id': id }
      return (await rows.updateOne(filter, { $set: { 'places.$.at': at } })).matchedCount === 1
    },
    async removeAccount(accountId) {
      await rows.deleteOne({ _id: accountId })
    },
  }
}

const isLive = ({ revokedAt, expiresAt }: KeyFacts, at: Date) =>
  revokedAt === null && (expiresAt === null || expiresAt > at)

/** Adds the row of an account; false if it exists. */
async function addRow(
  rows: Collection<SlotRow>,
  accountId: string,
  keys: readonly Pick<KeyFacts, 'id' | 'createdAt'>[],
): Promise<boolean> {
  try {
    await rows.insertOne({ _id: accountId, places: keys.map(({ id, createdAt }) => ({ id, at: createdAt })) })
    return true
  } catch (error) {
    if (isDuplicateKey(error)) return false
    throw error
  }
}

/** Releases the slots of keys that are no longer live, and of calls that died. */
async function freeSlots(
  rows: Collection<SlotRow>,
  { accountId, keys, at }: { accountId: string; keys: readonly KeyFacts[]; at: Date },
): Promise<void> {
  const row = await rows.findOne({ _id: accountId })
  const liveIds = new Set(keys.filter((key) => isLive(key, at)).map(({ id }) => id))
  const knownIds = new Set(keys.map(({ id }) => id))
  const abandonedBefore = new Date(at.getTime() - abandonedMs)
  const unused = (row?.places ?? []).map(({ id }) => id).filter((id) => !liveIds.has(id))
  const [ended, unknown] = [unused.filter((id) => knownIds.has(id)), unused.filter((id) => !knownIds.has(id))]
  if (ended.length > 0) await rows.updateOne({ _id: accountId }, { $pull: { places: { id: { $in: ended } } } })
  if (unknown.length === 0) return
  const abandoned = { id: { $in: unknown }, at: { $lt: abandonedBefore } }
  await rows.updateOne({ _id: accountId }, { $pull: { places: abandoned } })
}
