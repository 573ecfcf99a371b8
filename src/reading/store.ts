import type { Collection, Db } from 'mongodb'
import { LRUCache } from 'lru-cache'
import type { Manifest } from './manifest.ts'
import { createManifestStore, type ManifestStore, type OutlineRow } from './manifest-store.ts'

export interface StoredPage {
  id: string
  content: string
  label: string | null
}

/** A page's place: its number in the book and the id it is stored under. */
export interface PageRef {
  pageNum: number
  id: string
}

export interface ContentStore extends ManifestStore {
  /** The pages behind `refs`, in that order, from memory where they were read lately. */
  getPages(refs: readonly PageRef[]): Promise<StoredPage[]>
  /** Stores pages of a write under `revision`; `first` is the index of the first one. Repeats change nothing. */
  writePages(
    itemId: string,
    revision: string,
    batch: { first: number; pages: readonly Omit<StoredPage, 'id'>[] },
  ): Promise<void>
  /** Removes the pages of a write that never became part of a version. */
  discardPages(itemId: string, revision: string): Promise<void>
  /** Removes every version and page of a book. */
  removeBook(itemId: string): Promise<void>
  /** How many pages are stored under a revision. */
  countStoredPages(itemId: string, revision: string): Promise<number>
}

export interface ContentStores {
  contents: ContentStore
}

interface PageRow {
  _id: string
  content: string
  label: string | null
}

const maxCacheBytes = 64 * 1024 * 1024

/** Book text on MongoDB: collections `contents` (manifests), `outlines` and `pages`. Holds at most 64 MiB of it in memory. */
export function createContentStore(db: Db): ContentStore {
  const pages = db.collection<PageRow>('pages')
  const cache: Cache = new LRUCache({ maxSize: maxCacheBytes, sizeCalculation: cacheSize })
  return {
    ...createManifestStore(db, cache),
    ...pageMethods(pages, cache),
    async removeBook(itemId) {
      await db.collection('contents').deleteMany({ itemId })
      await db.collection<OutlineRow>('outlines').deleteMany({ _id: idRange(`${itemId}:`) })
      await pages.deleteMany({ _id: idRange(`${itemId}:`) })
    },
  }
}

type Cached = StoredPage | Manifest | OutlineRow
type Cache = LRUCache<string, Cached>

function pageMethods(pages: Collection<PageRow>, cache: Cache) {
  const load = async (ids: readonly string[]): Promise<Map<string, StoredPage>> => {
    const loaded = new Map<string, StoredPage>()
    for await (const { _id, content, label } of pages.find({ _id: { $in: [...ids] } })) {
      const page = { id: _id, content, label }
      cache.set(_id, page)
      loaded.set(_id, page)
    }
    return loaded
  }
  return {
    async getPages(refs: readonly PageRef[]) {
      const cached = refs.map(({ id }) => cache.get(id) as StoredPage | undefined)
      if (cached.every((page) => page !== undefined)) return cached
      const loaded = await load(refs.filter((_, index) => !cached[index]).map(({ id }) => id))
      return refs.map(({ id, pageNum }, index) => {
        const page = cached[index] ?? loaded.get(id)
        if (!page) throw new Error(`Page ${pageNum} (${id}) is missing in the store`)
        return page
      })
    },
    async writePages(
      itemId: string,
      revision: string,
      batch: { first: number; pages: readonly Omit<StoredPage, 'id'>[] },
    ) {
      const operations = batch.pages.map(({ content, label }, index) => {
        const _id = pageId(itemId, revision, batch.first + index)
        return { replaceOne: { filter: { _id }, replacement: { content, label }, upsert: true } }
      })
      if (operations.length > 0) await pages.bulkWrite(operations, { ordered: false })
    },
    async discardPages(itemId: string, revision: string) {
      await pages.deleteMany({ _id: idRange(`${itemId}:${revision}:`) })
    },
    countStoredPages: (itemId: string, revision: string) =>
      pages.countDocuments({ _id: idRange(`${itemId}:${revision}:`) }),
  }
}

/** All ids that begin with `prefix`, which ends in a colon (`;` is the next character after it). */
function idRange(prefix: string) {
  return { $gte: prefix, $lt: `${prefix.slice(0, -1)};` }
}

function pageId(itemId: string, revision: string, index: number): string {
  return `${itemId}:${revision}:${String(index).padStart(6, '0')}`
}

/** Where the pages `from` to `to` of a version are stored, in order. */
export function* pageRefs(manifest: Manifest, from: number, to: number): Generator<PageRef> {
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
  if ('content' in value) return value.content.length * 2 + 200
  const runsSize = 'runs' in value ? value.runs.length * 80 : 0
  return runsSize + value.toc.reduce((sum, { title }) => sum + title.length * 2 + 80, 400)
}
