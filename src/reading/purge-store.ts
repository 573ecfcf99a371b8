import type { Collection } from 'mongodb'
import type { FigureSet, Manifest, PageRun } from './manifest.ts'
import { manifestId, parseLayout, type ManifestCache, type ManifestRow } from './manifest-row.ts'

type VersionKey = Pick<Manifest, 'itemId' | 'version'>

/** The storage locations of a version's text. */
export interface VersionLayout extends VersionKey {
  runs: PageRun[]
  pageCount: number
  outlineId: string | null
  figures: FigureSet | null
  purged: boolean
}

/** An unfinished removal of a version's text. */
export interface DuePurge extends VersionKey {
  ownerId: string
}

/** Removes the text of versions. A version is marked first; from then on it is unreadable. */
export interface PurgeStore {
  /** Marks a version as removed and its text as due for removal; a repeat keeps the first time. Returns that time. */
  markPurged(version: DuePurge, at: Date): Promise<Date | null>
  /** Unfinished removals that began before `before`. */
  listDuePurges(before: Date): Promise<DuePurge[]>
  /** The storage locations of each version of books, including unpublished ones: by book, oldest first. */
  listLayouts(itemIds: readonly string[]): Promise<VersionLayout[]>
  /** Corrects the number of bytes that only a version with removed text still stores. */
  setOwnBytes(version: VersionKey, bytes: number): Promise<void>
  /** Ends a removal after the text is gone. */
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
