import type { Collection, Db } from 'mongodb'
import { LRUCache } from 'lru-cache'
import type { Manifest } from './manifest.ts'
import { noFigureFiles, type FigureFiles } from './figure-files.ts'
import { CachedPage, type StoredPage } from './cached-page.ts'
import type { OutlineRow } from './manifest-row.ts'
import { createManifestStore, type ManifestStore } from './manifest-store.ts'

/** A page number in the book and the id under which the page is stored. */
export interface PageRef {
  pageNum: number
  id: string
}

export interface ContentStore extends ManifestStore {
  /** The figure files. `discardPages` and `removeBook` remove those of the removed pages, too. */
  figures: FigureFiles
  /** Returns the pages of `refs`, in that order, from the cache where possible. */
  getPages(refs: readonly PageRef[]): Promise<CachedPage[]>
  /** Like `getPages`, without adding pages to the cache, so that a streamed text does not evict other pages. */
  passPages(refs: readonly PageRef[]): Promise<StoredPage[]>
  /** The first page of a version with this printed number; null if it has none. Scans every page. */
  findLabel(manifest: Manifest, label: string): Promise<number | null>
  /** Stores pages of a write under `revision`; `first` is the index of the first one. Idempotent. */
  writePages(
    itemId: string,
    revision: string,
    batch: { first: number; pages: readonly Omit<StoredPage, 'id'>[] },
  ): Promise<void>
  /** Removes the pages of a write that never became part of a version. */
  discardPages(itemId: string, revision: string): Promise<void>
  /** Removes single pages, from the cache of this process too. */
  removePages(ids: readonly string[]): Promise<void>
  /** The total text size of the stored pages among these, bytes. */
  sumPageBytes(ids: readonly string[]): Promise<number>
  /** Removes every version and page of a book. */
  removeBook(itemId: string): Promise<void>
  /** The ids of all pages stored under a revision. */
  storedPageIds(itemId: string, revision: string): Promise<ReadonlySet<string>>
}

export interface ContentStores {
  contents: ContentStore
}

interface PageRow {
  _id: string
  content: string
  label: string | null
  /** Absent in a page without recognised text, and in rows of an earlier version. */
  ocr?: number
}

/**
 * Thrown if a page of a version is not stored. This is a defect, unless the version was removed after it was looked up.
 */
export class MissingPageError extends Error {}

const defaultMaxCacheBytes = 64 * 1024 * 1024

/**
 * Stores book text in MongoDB: collections `contents` (manifests), `outlines` and `pages`. Its cache uses at most
 * `maxCacheBytes` of memory (default 64 MiB), including what is derived from the pages.
 */
export function createContentStore(
  db: Db,
  figures: FigureFiles = noFigureFiles,
  maxCacheBytes: number = defaultMaxCacheBytes,
): ContentStore {
  const pages = db.collection<PageRow>('pages')
  const cache: Cache = new LRUCache({ maxSize: maxCacheBytes, sizeCalculation: cacheSize })
  const methods = pageMethods(pages, cache)
  return {
    ...createManifestStore(db, cache),
    ...methods,
    figures,
    async discardPages(itemId, revision) {
      await methods.discardPages(itemId, revision)
      // Only imports have figures.
      if (/-\d+$/.test(revision)) await figures.discard(itemId, revision)
    },
    async removeBook(itemId) {
      await db.collection('contents').deleteMany({ itemId })
      await db.collection<OutlineRow>('outlines').deleteMany({ _id: idRange(`${itemId}:`) })
      await pages.deleteMany({ _id: idRange(`${itemId}:`) })
      // If the file store is unavailable, the removal of the book's files or the cleanup removes the rest.
      await figures.removeBook(itemId).catch(() => undefined)
    },
  }
}

type Cached = CachedPage | Manifest | OutlineRow
type Cache = LRUCache<string, Cached>

/** Loads the pages that are not in `found`; throws `MissingPageError`. */
function createPageLoader(pages: Collection<PageRow>) {
  const load = async (ids: readonly string[]): Promise<Map<string, StoredPage>> => {
    const loaded = new Map<string, StoredPage>()
    if (ids.length === 0) return loaded
    for await (const { _id, ...page } of pages.find({ _id: { $in: [...ids] } })) loaded.set(_id, { id: _id, ...page })
    return loaded
  }
  return async <P extends StoredPage>(refs: readonly PageRef[], found: readonly (P | undefined)[]) => {
    const loaded = await load(refs.filter((_, index) => !found[index]).map(({ id }) => id))
    return refs.map(({ id, pageNum }, index) => {
      const page = found[index] ?? loaded.get(id)
      if (!page) throw new MissingPageError(`Page ${pageNum} (${id}) is missing in the store`)
      return page
    })
  }
}

function pageMethods(pages: Collection<PageRow>, cache: Cache) {
  const reweigh = (page: CachedPage) => {
    // The cache recalculates the size of a value only when it is added again.
    if (cache.peek(page.id) === page && cache.delete(page.id)) cache.set(page.id, page)
  }
  const loadMissing = createPageLoader(pages)
  const keep = (page: StoredPage): CachedPage => {
    if (page instanceof CachedPage) return page
    const cached = new CachedPage(page, reweigh)
    cache.set(page.id, cached)
    return cached
  }
  return {
    async getPages(refs: readonly PageRef[]) {
      const cached = refs.map(({ id }) => cache.get(id) as CachedPage | undefined)
      if (cached.every((page) => page !== undefined)) return cached
      return (await loadMissing(refs, cached)).map(keep)
    },
    passPages: (refs: readonly PageRef[]) =>
      loadMissing(
        refs,
        refs.map(({ id }) => cache.peek(id) as CachedPage | undefined),
      ),
    findLabel: (manifest: Manifest, label: string) => findLabel(pages, manifest, label),
    async writePages(
      itemId: string,
      revision: string,
      batch: { first: number; pages: readonly Omit<StoredPage, 'id'>[] },
    ) {
      const operations = batch.pages.map(({ content, label, ocr }, index) => {
        const _id = pageId(itemId, revision, batch.first + index)
        const replacement = { content, label, ...(ocr === undefined ? {} : { ocr }) }
        return { replaceOne: { filter: { _id }, replacement, upsert: true } }
      })
      if (operations.length > 0) await pages.bulkWrite(operations, { ordered: false })
    },
    async discardPages(itemId: string, revision: string) {
      await pages.deleteMany({ _id: idRange(`${itemId}:${revision}:`) })
    },
    async removePages(ids: readonly string[]) {
      if (ids.length > 0) await pages.deleteMany({ _id: { $in: [...ids] } })
      for (const id of ids) cache.delete(id)
    },
    async sumPageBytes(ids: readonly string[]) {
      let bytes = 0
      for await (const { content } of pages.find({ _id: { $in: [...ids] } })) bytes += Buffer.byteLength(content)
      return bytes
    },
    async storedPageIds(itemId: string, revision: string) {
      const rows = pages.find({ _id: idRange(`${itemId}:${revision}:`) }, { projection: { _id: 1 } })
      return new Set((await rows.toArray()).map(({ _id }) => _id))
    },
  }
}

/** Finds the number of the first page with a label, run by run. */
async function findLabel(
  pages: Collection<PageRow>,
  { itemId, runs }: Manifest,
  label: string,
): Promise<number | null> {
  let first = 1
  for (const { revision, start, count } of runs) {
    const _id = { $gte: pageId(itemId, revision, start), $lt: pageId(itemId, revision, start + count) }
    const row = await pages.findOne({ _id, label }, { sort: { _id: 1 }, projection: { _id: 1 } })
    if (row) return first + Number(row._id.slice(row._id.lastIndexOf(':') + 1)) - start
    first += count
  }
  return null
}

/** The range of ids that start with `prefix`, which ends in a colon (`;` is the character after it). */
function idRange(prefix: string) {
  return { $gte: prefix, $lt: `${prefix.slice(0, -1)};` }
}

/** The id of a stored page. */
export function pageId(itemId: string, revision: string, index: number): string {
  return `${itemId}:${revision}:${String(index).padStart(6, '0')}`
}

/** Yields the references of the pages `from` to `to` of a version, in order. */
export function* pageRefs(manifest: Pick<Manifest, 'itemId' | 'runs'>, from: number, to: number): Generator<PageRef> {
  let first = 1
  for (const { revision, start, count } of manifest.runs) {
    const last = first + count - 1
    for (let pageNum = Math.max(from, first); pageNum <= Math.min(to, last); pageNum++) {
      yield { pageNum, id: pageId(manifest.itemId, revision, start + pageNum - first) }
    }
    first = last + 1
  }
}

function cacheSize(value: Cached): number {
  if (value instanceof CachedPage) return value.weight
  const runsSize = 'runs' in value ? value.runs.length * 80 : 0
  return runsSize + value.toc.reduce((sum, { title }) => sum + title.length * 2 + 80, 400)
}
