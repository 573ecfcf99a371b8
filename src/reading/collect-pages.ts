import { clipRanges, formatPageRanges, type Page, type PageRange } from '../text/page-ranges.ts'
import { attachEncodedContent } from '../runtime/json-encoder.ts'
import { createChapterLookup } from './toc-tree.ts'
import { pageUrl } from './page-url.ts'
import type { CachedPage, PagePlace, PresentedPage } from './cached-page.ts'
import { pageRefs, type PageRef } from './store.ts'
import { loadPages } from './unfinished-manifest.ts'
import type { Manifest, OutlineEntry } from './manifest.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { ContentStores } from './store.ts'

/** The remaining budget of an answer; collecting pages reduces it. */
export interface RemainingBudget {
  remaining: number
}

interface PagesRequest {
  manifest: Manifest
  toc: readonly OutlineEntry[]
  ranges: readonly PageRange[]
  /**
   * The budget for these pages in an answer of their own; a page that costs more is split. Null: pages are never split.
   */
  maxPageCost: (() => number) | null
}

export interface CollectedPages {
  pages: Page[]
  /** The page ranges that did not fit; null if everything fitted. */
  nextPages: string | null
}

const maxBatchPages = 64

/**
 * Collects the pages of `ranges` that fit into the budget, in order, and with `maxPageCost` also a part of a page that
 * is too large for any answer. Reads the store in batches and stops when the budget is used up.
 */
export async function collectPages(
  ctx: Call & ContentStores & PublicAddress,
  { manifest, toc, ranges, maxPageCost }: PagesRequest,
  budget: RemainingBudget,
): Promise<CollectedPages> {
  const clipped = clipRanges(ranges, manifest.pageCount)
  const chapterOf = createChapterLookup(toc)
  const pages: Page[] = []
  const batchSize = batchSizeFor(manifest, budget)
  let batch: RequestedPage[] = []
  const flush = async (): Promise<PageRange[] | null> => {
    const stored = await loadPages(
      ctx,
      manifest,
      batch.map(({ ref }) => ref),
    )
    for (const [index, page] of stored.entries()) {
      const { ref, offset } = batch[index] as RequestedPage
      const { pageNum } = ref
      const place = { version: manifest.version, pageNum, chapter: chapterOf(pageNum), budget: ctx.budget }
      const whole = page.presentAt(place, () =>
        presentPage(page, place, pageUrl(ctx, { ...place, id: manifest.itemId })),
      )
      const fitted = fitPage(ctx, { whole, offset, maxPageCost }, budget)
      if (fitted.page) pages.push(fitted.page)
      if (fitted.nextOffset !== null) return remainingRanges(clipped, pageNum, fitted.nextOffset)
    }
    batch = []
    return null
  }
  for (const request of requestedPages(manifest, clipped)) {
    batch.push(request)
    if (batch.length < batchSize) continue
    const rest = await flush()
    if (rest) return { pages, nextPages: formatPageRanges(rest) }
  }
  const rest = await flush()
  return { pages, nextPages: rest && formatPageRanges(rest) }
}

/**
 * The batch size: about as many pages as fit into the remaining budget. A page costs at least its number of characters.
 */
function batchSizeFor({ bytes, pageCount }: Manifest, { remaining }: RemainingBudget): number {
  const averageLength = Math.max(1, bytes / 4 / Math.max(1, pageCount))
  return Math.max(1, Math.min(maxBatchPages, Math.ceil(Math.max(0, remaining) / averageLength)))
}

interface RequestedPage {
  ref: PageRef
  offset: number
}

function* requestedPages(manifest: Manifest, ranges: readonly PageRange[]): Generator<RequestedPage> {
  for (const { from, to, offset } of ranges) {
    for (const ref of pageRefs(manifest, from, to)) yield { ref, offset: ref.pageNum === from ? (offset ?? 0) : 0 }
  }
}

function presentPage(cached: CachedPage, { pageNum, chapter, budget }: PagePlace, url: string): PresentedPage {
  const { id, content, label, ocr } = cached
  const recognised = ocr === undefined ? {} : { ocr: { confidence: ocr } }
  const page: Page = { pageNum, content, id, label, chapter, url, ...recognised }
  const overhead = budget.cost(JSON.stringify({ ...page, content: '' })) + 1
  return { page: attachEncodedContent(page, cached), overhead, cost: overhead + cached.cost(budget) }
}

interface PageCandidate {
  whole: PresentedPage
  offset: number
  maxPageCost: (() => number) | null
}

/**
 * Deducts a page from the budget. `nextOffset` is where the rest of a page starts that did not fit completely (0: no
 * part of it fitted).
 */
function fitPage(ctx: Call, { whole, offset, maxPageCost }: PageCandidate, budget: RemainingBudget): FittedPage {
  const { page, overhead } = whole
  const content = offset > 0 ? sliceFrom(page.content, offset) : page.content
  const cost = offset > 0 ? overhead + ctx.budget.cost(content) : whole.cost
  if (cost <= budget.remaining) {
    budget.remaining -= cost
    return { page: offset > 0 ? { ...page, content } : page, nextOffset: null }
  }
  // Splits a page only if it is too large for any answer, and only while at least half of the budget is left.
  const maxCost = maxPageCost?.() ?? Infinity
  if (cost <= maxCost || budget.remaining <= maxCost / 2) return { page: null, nextOffset: offset }
  const length = longestPrefixWithin(ctx, content, budget.remaining - overhead)
  budget.remaining = 0
  return { page: { ...page, content: content.slice(0, length) }, nextOffset: offset + length }
}

interface FittedPage {
  page: Page | null
  nextOffset: number | null
}

/** The length, in UTF-16 units, of the longest prefix that costs at most `maxCost`; never splits a surrogate pair. */
function longestPrefixWithin(ctx: Call, text: string, maxCost: number): number {
  let low = 0
  // In every transport, a text costs at least its number of UTF-16 units.
  let high = Math.min(text.length, Math.max(0, Math.floor(maxCost)))
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (ctx.budget.cost(text.slice(0, middle)) <= maxCost) low = middle
    else high = middle - 1
  }
  return splitsSurrogatePair(text, low) ? low - 1 : low
}

function sliceFrom(text: string, offset: number): string {
  return text.slice(splitsSurrogatePair(text, offset) ? offset - 1 : offset)
}

function splitsSurrogatePair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  return at > 0 && at < text.length && before >= 0xd800 && before <= 0xdbff
}

function remainingRanges(ranges: readonly PageRange[], pageNum: number, offset: number): PageRange[] {
  return ranges
    .filter(({ to }) => to >= pageNum)
    .map((range) => {
      if (range.from > pageNum) return range
      return { from: pageNum, to: range.to, ...(offset > 0 ? { offset } : {}) }
    })
}
