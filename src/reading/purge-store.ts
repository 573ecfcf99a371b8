import type { Collection } from 'mongodb'
import type { FigureSet, Manifest, PageRun } from './manifest.ts'
import { manifestId, parseLayout, type ManifestCache, type ManifestRow } from './manifest-row.ts'

type VersionKey = Pick<Manifest, 'itemId' | 'version'>

/** Where the text of a version is stored. */
export interface VersionLayout extends VersionKey {
  runs: PageRun[]
  pageCount: number
  outlineId: string | null
  figures: FigureSet | null
  purged: boolean
}

/** A removal of a version's text that is under way. */
export interface DuePurge extends VersionKey {
  ownerId: string
}

/** The removal of the text of versions. The mark comes first: from then on nobody reads the version. */
export interface PurgeStore {
  /** Marks a version as removed, and its text as due to be removed; a repeat keeps the first time. Returns that time. */
  markPurged(version: DuePurge, at: Date): Promise<Date | null>
  /** Removals that began before `before` and have not ended. */
  listDuePurges(before: Date): Promise<DuePurge[]>
  /** Where the text of each version of books is stored, unpublished ones included: by book, oldest first. */
  listLayouts(itemIds: readonly string[]): Promise<VersionLayout[]>
  /** Corrects the bytes that a version with removed text still stores by itself. */
  setOwnBytes(version: VersionKey, bytes: number): Promise<void>
  /** Ends a removal: the text is gone. */
  endPurge(version: VersionKey): Promise<void>
}

export function purgeMethods(contents: Collection<ManifestRow>, cache: ManifestCache): PurgeStore {
  return {
    async markPurged({ itemId, version, ownerId }, at) {
      const _id = manifestId({ itemId, version })
      const mark = { $set: { purgedAt: at, purging: { at, ownerId } } }
      await contents.updateOne({ _id, purgedAt: { $exists: false } }, mark)
      cache.delete(_id)
      return (await contents.findOne({ _id }, { projection: { purgedAt: 1 } }))?.purgedAt ?? null
    },
    async listDuePurges(before) {
      const rows = await contents.find({ 'purging.at': { $lt: before } }).toArray()
      return rows.flatMap(({ itemId, version, purging }) =>
        purging ? [{ itemId, version, ownerId: purging.ownerId }] : [],
      )
    },
    async listLayouts(itemIds) {
      const projection = {
        itemId: 1,
        version: 1,
        layout: 1,
        pageCount: 1,
        outlineId: 1,
        figures: 1,
        purgedAt: 1,
      } as const
      const rows = contents.find({ itemId: { $in: [...itemIds] } }, { projection }).sort({ itemId: 1, version: 1 })
      return (await rows.toArray()).map(({ _id, layout, figures = null, purgedAt, ...rest }) => {
        return { ...rest, runs: parseLayout(layout), figures, purged: purgedAt !== undefined }
      })
    },
    async setOwnBytes(key, ownBytes) {
      await contents.updateOne({ _id: manifestId(key) }, { $set: { ownBytes } })
      cache.delete(manifestId(key))
    },
    async endPurge(key) {
      await contents.updateOne({ _id: manifestId(key) }, { $set: { outlineId: null }, $unset: { purging: '' } })
    },
  }
}
