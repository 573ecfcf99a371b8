import type { Collection, Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import { batchLoad } from '../runtime/batch.ts'
import { heldMethods, type HeldVersionStore } from './held-version-store.ts'
import type { Manifest, OutlineEntry, VersionSummary } from './manifest.ts'
import {
  formatLayout,
  manifestId,
  outlineIdOf,
  parseLayout,
  type ManifestCache,
  type ManifestRow,
  type OutlineRow,
} from './manifest-row.ts'
import { purgeMethods, type PurgeStore } from './purge-store.ts'

/** Replaces the author after the account is erased. */
const formerUser = 'former-user'

/** A book in a version. */
type BookVersion = Pick<Manifest, 'version'> & { id: string }

interface HistoryRange {
  fromVersion: number
  beforeVersion: number
  limit: number
}

/** The versions of books, without the text of their pages. */
export interface ManifestStore extends HeldVersionStore, PurgeStore {
  /**
   * The manifest of a current or former version. Cached, so only `findSealedManifest` knows whether an earlier version
   * was removed. Null if it does not exist.
   */
  getManifest(itemId: string, version: number): Promise<Manifest | null>
  /** The manifests of several books, in that order; see `getManifest`. */
  getManifests(versions: readonly Pick<Manifest, 'itemId' | 'version'>[]): Promise<(Manifest | null)[]>
  /** The manifest of a version in its present state: unpublished and replaceable, current, or removed. Never cached. */
  findSealedManifest(itemId: string, version: number): Promise<Manifest | null>
  /** Caches the manifest of a version that this process has sealed and published. */
  remember(manifest: Manifest): void
  /** Stores the manifest of a version; false if that version, or another one with the same `writeId`, exists. */
  seal(manifest: Manifest): Promise<boolean>
  /** Replaces a version that import `jobId` has sealed and will never publish; false if it no longer exists. */
  replaceSealed(manifest: Manifest, jobId: string): Promise<boolean>
  /** The version created by the call `writeId`. */
  findByWriteId(itemId: string, writeId: string): Promise<Manifest | null>
  /** The version sealed by import `jobId`, published or not. */
  findByJobId(itemId: string, jobId: string): Promise<Manifest | null>
  /** Versions from `fromVersion` up to the one before `beforeVersion`, newest first, at most `limit`. */
  listHistory(itemId: string, options: HistoryRange): Promise<VersionSummary[]>
  /** Like `listHistory`, with the locations of stored pages. */
  listLayoutHistory(itemId: string, options: HistoryRange): Promise<(VersionSummary & Pick<Manifest, 'runs'>)[]>
  /** The number of the last version written at or before a time; 0 if there is none. */
  versionAt(itemId: string, at: Date): Promise<number>
  /** Number of versions written in `start <= time < end`, and of new pages in them; reads no outline. */
  countWritten(itemId: string, span: { start: Date; end: Date }): Promise<{ versions: number; pages: number }>
  /** Stores a table of contents outside any version; returns its id. */
  saveOutline(itemId: string, toc: OutlineEntry[]): Promise<string>
  removeOutline(id: string): Promise<void>
  /** A table of contents by its id; cached. Empty if it does not exist. */
  getOutline(id: string): Promise<OutlineEntry[]>
  /** Removes a table of contents that no version refers to. The caller ensures that no book's `tocId` refers to it. */
  removeUnusedOutline(itemId: string, id: string): Promise<void>
  /** The bytes that the versions of each book up to `version` store, by book; estimated for rows without `ownBytes`. */
  sumOwnBytes(books: readonly BookVersion[]): Promise<Map<string, number>>
  /** Replaces an account as the author of all its versions, in any book. */
  anonymizeAuthor(accountId: string): Promise<void>
  /** The versions of a book, oldest first. */
  listVersions(itemId: string): Promise<Manifest[]>
}

/** Versions on MongoDB: collections `contents` (manifests) and `outlines`. */
export function createManifestStore(db: Db, cache: ManifestCache): ManifestStore {
  const contents = db.collection<ManifestRow>('contents')
  const outlines = outlineMethods(db.collection<OutlineRow>('outlines'), cache)
  const toManifest = async ({ _id, layout, outlineId, purging: _, ...rest }: ManifestRow): Promise<Manifest> => {
    const hasOutline = outlineId !== null && rest.purgedAt === undefined
    return { ...rest, runs: parseLayout(layout), toc: hasOutline ? await outlines.getOutline(outlineId) : [] }
  }
  const findRow = async (_id: string): Promise<Manifest | null> => {
    const row = await contents.findOne({ _id })
    return row && toManifest(row)
  }
  const toRow = async ({ runs, toc, ...rest }: Manifest): Promise<ManifestRow> => {
    const outlineId = toc.length > 0 ? await outlines.saveOutline(rest.itemId, toc) : null
    return { _id: manifestId(rest), ...rest, layout: formatLayout(runs), outlineId }
  }
  return {
    ...outlines,
    ...queryMethods(contents, toManifest),
    ...heldMethods(contents),
    ...purgeMethods(contents, cache),
    async getManifest(itemId, version) {
      const _id = manifestId({ itemId, version })
      const hit = cache.get(_id) as Manifest | undefined
      if (hit) return hit
      const manifest = await findRow(_id)
      if (manifest) cache.set(_id, manifest)
      return manifest
    },
    async getManifests(versions) {
      const ids = versions.map(manifestId)
      const missing = ids.filter((_id) => cache.get(_id) === undefined)
      const rows = missing.length === 0 ? [] : await contents.find({ _id: { $in: missing } }).toArray()
      const loaded = new Map(await Promise.all(rows.map(async (row) => [row._id, await toManifest(row)] as const)))
      for (const [_id, manifest] of loaded) cache.set(_id, manifest)
      return ids.map((_id) => loaded.get(_id) ?? (cache.get(_id) as Manifest | undefined) ?? null)
    },
    async removeUnusedOutline(itemId, id) {
      const used = () => contents.findOne({ itemId, outlineId: id }, { projection: { _id: 1 } })
      if (await used()) return
      const toc = await outlines.getOutline(id)
      await outlines.removeOutline(id)
      // A version that was sealed in the meantime may use the outline; then it is restored.
      if (await used()) await outlines.saveOutline(itemId, toc)
    },
    async anonymizeAuthor(accountId) {
      await contents.updateMany({ createdBy: accountId }, { $set: { createdBy: formerUser }, $unset: { by: '' } })
    },
    remember: (manifest) => void cache.set(manifestId(manifest), manifest),
    findSealedManifest: (itemId, version) => findRow(manifestId({ itemId, version })),
    async seal(manifest) {
      return insertIfAbsent(contents.insertOne(await toRow(manifest)))
    },
    async replaceSealed(manifest, jobId) {
      const row = await toRow(manifest)
      return (await contents.replaceOne({ _id: row._id, jobId }, row)).matchedCount === 1
    },
  }
}

function queryMethods(contents: Collection<ManifestRow>, toManifest: (row: ManifestRow) => Promise<Manifest>) {
  return {
    async findByWriteId(itemId: string, writeId: string) {
      const row = await contents.findOne({ itemId, writeId })
      return row && toManifest(row)
    },
    async findByJobId(itemId: string, jobId: string) {
      const row = await contents.findOne({ itemId, jobId })
      return row && toManifest(row)
    },
    async listHistory(itemId: string, { fromVersion, beforeVersion, limit }: HistoryRange) {
      const versions = { itemId, version: { $gte: fromVersion, $lt: beforeVersion } }
      return contents
        .find(versions, { projection: { layout: 0 } })
        .sort({ version: -1 })
        .limit(limit)
        .toArray()
    },
    async listLayoutHistory(itemId: string, { fromVersion, beforeVersion, limit }: HistoryRange) {
      const versions = { itemId, version: { $gte: fromVersion, $lt: beforeVersion } }
      const rows = await contents.find(versions).sort({ version: -1 }).limit(limit).toArray()
      return rows.map(({ layout, ...row }) => ({ ...row, runs: parseLayout(layout) }))
    },
    async versionAt(itemId: string, at: Date) {
      const written = { itemId, createdAt: { $lte: at } }
      const [last] = await contents
        .find(written, { projection: { version: 1 } })
        .sort({ version: -1 })
        .limit(1)
        .toArray()
      return last?.version ?? 0
    },
    countWritten: (itemId: string, span: { start: Date; end: Date }) => countWritten(contents, itemId, span),
    sumOwnBytes: (books: readonly BookVersion[]) => sumOwnBytes(contents, books),
    async listVersions(itemId: string) {
      const rows = await contents.find({ itemId }).sort({ version: 1 }).toArray()
      return Promise.all(rows.map(toManifest))
    },
  }
}

/**
 * Sums the stored bytes. Imports, new and replaced texts store all of their pages; for other changes, the share of new
 * pages is the estimate.
 */
async function sumOwnBytes(
  contents: Collection<ManifestRow>,
  books: readonly BookVersion[],
): Promise<Map<string, number>> {
  const projection = { _id: 0, itemId: 1, version: 1, layout: 1, bytes: 1, pageCount: 1, ownBytes: 1 }
  const versions = new Map(books.map(({ id, version }) => [id, version]))
  const sums = new Map<string, number>()
  let earlier = { itemId: '', revisions: new Set<string>() }
  const rows = contents.find({ itemId: { $in: [...versions.keys()] } }, { projection }).sort({ itemId: 1, version: 1 })
  for await (const { itemId, version, layout, bytes, pageCount, ownBytes } of rows) {
    if (version > (versions.get(itemId) ?? 0)) continue
    if (earlier.itemId !== itemId) earlier = { itemId, revisions: new Set() }
    const runs = parseLayout(layout)
    const added = runs.filter(({ revision }) => !earlier.revisions.has(revision))
    const newPages = added.reduce((total, { count }) => total + count, 0)
    const own = ownBytes ?? (pageCount === 0 ? 0 : Math.round((bytes * newPages) / pageCount))
    sums.set(itemId, (sums.get(itemId) ?? 0) + own)
    for (const { revision } of runs) earlier.revisions.add(revision)
  }
  return sums
}

type VersionEdit = Pick<ManifestRow, 'layout' | 'createdAt' | 'reason' | 'jobId'>

/** Scans from the newest version back to the last one before the span. */
async function countWritten(contents: Collection<ManifestRow>, itemId: string, span: { start: Date; end: Date }) {
  const projection = { _id: 0, layout: 1, createdAt: 1, reason: 1, jobId: 1 }
  const sum = { versions: 0, pages: 0 }
  let later: VersionEdit | null = null
  for await (const row of contents.find({ itemId }, { projection }).sort({ version: -1 })) {
    if (later) addEdit(sum, later, row)
    if (row.createdAt < span.start) break
    later = row.createdAt < span.end && row.jobId === null && row.reason !== 'ocr' ? row : null
  }
  return sum
}

/** Adds the number of pages that the previous version did not have; 0 for a restored version. */
function addEdit(sum: { versions: number; pages: number }, { layout, reason }: VersionEdit, before: VersionEdit): void {
  sum.versions += 1
  if (reason === 'restore') return
  const earlierRevisions = new Set(parseLayout(before.layout).map(({ revision }) => revision))
  for (const { revision, count } of parseLayout(layout)) if (!earlierRevisions.has(revision)) sum.pages += count
}

function outlineMethods(outlines: Collection<OutlineRow>, cache: ManifestCache) {
  // A search needs the outlines of all books that it shows, and reads them while their manifests are being read.
  const loadRows = batchLoad((ids) => outlines.find({ _id: { $in: [...ids] } }).toArray())
  const loading = new Map<string, Promise<OutlineRow | undefined>>()
  const load = async (id: string) => {
    try {
      const [row] = await loadRows([id])
      if (row) cache.set(id, row)
      return row
    } finally {
      loading.delete(id)
    }
  }
  const startLoading = (id: string) => {
    const started = load(id)
    loading.set(id, started)
    return started
  }
  return {
    async getOutline(id: string) {
      const known = (cache.get(id) as OutlineRow | undefined) ?? (await loading.get(id))
      const row = known ?? (await startLoading(id))
      return row?.toc ?? []
    },
    async removeOutline(id: string) {
      await outlines.deleteOne({ _id: id })
      cache.delete(id)
    },
    async saveOutline(itemId: string, toc: OutlineEntry[]) {
      const _id = outlineIdOf(itemId, toc)
      await insertIfAbsent(outlines.updateOne({ _id }, { $setOnInsert: { toc } }, { upsert: true }))
      return _id
    },
  }
}

/** Awaits an insert; false if the key exists. */
async function insertIfAbsent(insert: Promise<unknown>): Promise<boolean> {
  try {
    await insert
    return true
  } catch (error) {
    if (isDuplicateKey(error)) return false
    throw error
  }
}
