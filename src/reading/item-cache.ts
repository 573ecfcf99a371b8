import { LRUCache } from 'lru-cache'
import type { Budget } from '../core/context.ts'
import { cacheJson } from '../runtime/json-encoder.ts'
import type { PageRange } from '../text/page-ranges.ts'
import type { ReadItem } from './schema.ts'
import type { Manifest, OutlineEntry } from './manifest.ts'

/** Everything that a book and its pages in an answer are made of, beside the ranges. */
interface ItemView {
  /** The book as it is shown, without its pages, as JSON. */
  book: string
  manifest: Manifest
  toc: readonly OutlineEntry[]
  budget: Budget
}

/** A book with all the pages that were asked for. */
interface CachedItem {
  /** Never changed: answers share it. */
  item: ReadItem
  /** What the pages cost. */
  cost: number
}

/** The books that were shown in full lately, 8 million characters of them at most. */
const cache = new LRUCache<string, CachedItem & ItemView>({
  maxSize: 8_000_000,
  maxEntrySize: 1_000_000,
  sizeCalculation: ({ item, book }) =>
    (item.pages ?? []).reduce((sum, { content }) => sum + content.length, book.length),
})

/** The book and pages as they were shown lately, when they still look the same: what many readers ask for is put together once. */
export function getCachedItem(ranges: readonly PageRange[], view: ItemView): CachedItem | undefined {
  const cached = cache.get(cacheKey(ranges, view))
  if (!cached || cached.book !== view.book || cached.manifest !== view.manifest || cached.toc !== view.toc)
    return undefined
  cacheJson(cached.item)
  return cached
}

/** Notes how a book and its pages were shown. */
export function putCachedItem(ranges: readonly PageRange[], view: ItemView, { item, cost }: CachedItem): void {
  cache.set(cacheKey(ranges, view), { ...view, item: Object.freeze(item), cost })
}

function cacheKey(ranges: readonly PageRange[], { manifest, budget }: ItemView): string {
  return `${budget.onOverflow} ${manifest.itemId} ${ranges.map(({ from, to, offset }) => `${from}-${to}@${offset}`).join()}`
}
