import type { Collection } from 'mongodb'
import type { Manifest } from './manifest.ts'
import { manifestId, type ManifestRow } from './manifest-row.ts'

/** Identifies a version and its hold. */
interface HeldVersionKey extends Pick<Manifest, 'itemId' | 'version'> {
  heldId: string
}

/** Decisions about held versions: of a release and a drop, only one takes effect. */
export interface HeldVersionStore {
  /** Releases a held version; false if it was released or dropped before. */
  releaseHeld(version: HeldVersionKey): Promise<boolean>
  /** Drops a held version; false if it was released or dropped before. */
  dropHeld(version: HeldVersionKey): Promise<boolean>
}

export function heldMethods(contents: Collection<ManifestRow>): HeldVersionStore {
  return {
    async releaseHeld(key) {
      return (await contents.updateOne(heldFilter(key), { $set: { 'held.released': true } })).modifiedCount === 1
    },
    dropHeld: async (key) => (await contents.deleteOne(heldFilter(key))).deletedCount === 1,
  }
}

function heldFilter({ heldId, ...key }: HeldVersionKey) {
  return { _id: manifestId(key), 'held.id': heldId, 'held.released': { $exists: false } }
}
