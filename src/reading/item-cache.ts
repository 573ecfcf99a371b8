import { LRUCache } from 'lru-cache'
import type { Budget } from '../core/context.ts'
import { keepJson } from '../runtime/json-encoder.ts'
import type { PageRange } from '../text/page-ranges.ts'
import type { ReadItem } from './schema.ts'
import type { Manifest, Outline } from './manifest.ts'

/** Everything that a book and its pages in an answer are made of, beside the ranges. */
interface View {
  /** The book as it is shown, without its pages, as JSON. */
  book: string
  manifest: Manifest
  toc: readonly Outline[]
  budget: Budget
}

/** A book with all the pages that were asked for. */
interface Shown {
  /** Never changed: answers share it. */
  item: ReadItem
  /** What the pages cost. */
  cost: number
}

/** The books that were shown in full lately, 8 million characters of them at most. */
const lately = new LRUCache<string, Shown & View>({
  maxSize: 8_000_000,
  maxEntrySize: 1_000_000,
  sizeCalculation: ({ item, book }) =>
    (item.pages ?? []).reduce((sum, { content }) => sum + content.length, book.length),
})

/** The book and pages as they were shown lately, when they still look the same: what many readers ask for is put together once. */
export function recallShown(ranges: readonly PageRange[], view: View): Shown | undefined {
  const shown = lately.get(keyOf(ranges, view))
  if (!shown || shown.book !== view.book || shown.manifest !== view.manifest || shown.toc !== view.toc) return undefined
  keepJson(shown.item)
  return shown
}

/** Notes how a book and its pages were shown. */
export function rememberShown(ranges: readonly PageRange[], view: View, { item, cost }: Shown): void {
  lately.set(keyOf(ranges, view), { ...view, item: Object.freeze(item), cost })
}

function keyOf(ranges: readonly PageRange[], { manifest, budget }: View): string {
  return `${budget.mode} ${manifest.itemId} ${ranges.map(({ from, to, offset }) => `${from}-${to}@${offset}`).join()}`
}
