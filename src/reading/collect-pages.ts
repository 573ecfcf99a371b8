import { clipRanges, formatPageRanges, type Page, type PageRange } from '../text/page-ranges.ts'
import { createChapterLookup } from './toc-tree.ts'
import { pageUrl } from './page-url.ts'
import { pageRefs, type PageRef, type StoredPage } from './store.ts'
import { type Manifest, type OutlineEntry } from './manifest.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { ContentStores } from './store.ts'

/** What an answer has left. Pages are taken from it as they are collected. */
export interface RemainingBudget {
  remaining: number
}

interface PagesRequest {
  manifest: Manifest
  toc: readonly OutlineEntry[]
  ranges: readonly PageRange[]
  /** What an answer of its own has for these pages: one that costs more is cut. Null: no page is cut. */
  maxPageCost: (() => number) | null
}

export interface CollectedPages {
  pages: Page[]
  /** What did not fit, in the form of a page range; null when everything did. */
  nextPages: string | null
}

const batchSize = 64

/** The pages of `ranges` that fit into the allowance, in order; with `cut` also a part of a page that never fits whole. Reads from the store only what it may need. */
export async function collectPages(
  ctx: Call & ContentStores & PublicAddress,
  { manifest, toc, ranges, maxPageCost }: PagesRequest,
  budget: RemainingBudget,
): Promise<CollectedPages> {
  const clipped = clipRanges(ranges, manifest.pageCount)
  const pages: Page[] = []
  let batch: RequestedPage[] = []
  const flush = async (): Promise<PageRange[] | null> => {
    const stored = await ctx.contents.getPages(batch.map(({ ref }) => ref))
    for (const [index, page] of stored.entries()) {
      const { ref, offset } = batch[index] as RequestedPage
      const whole = presentPage(ctx, page, { manifest, toc, pageNum: ref.pageNum })
      const fitted = fitPage(ctx, { whole, offset, maxPageCost }, budget)
      if (fitted.page) pages.push(fitted.page)
      if (fitted.nextOffset !== null) return remainingRanges(clipped, ref.pageNum, fitted.nextOffset)
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

interface RequestedPage {
  ref: PageRef
  offset: number
}

function* requestedPages(manifest: Manifest, ranges: readonly PageRange[]): Generator<RequestedPage> {
  for (const { from, to, offset } of ranges) {
    for (const ref of pageRefs(manifest, from, to)) yield { ref, offset: ref.pageNum === from ? (offset ?? 0) : 0 }
  }
}

interface PagePosition {
  manifest: Manifest
  toc: readonly OutlineEntry[]
  pageNum: number
}

/** A page as an answer shows it, and what it costs there. */
interface PresentedPage {
  page: Page
  /** Of everything but the text. */
  overhead: number
  cost: number
}

/** How each page that is in memory was shown last: with the same place and budget it is the same again. */
const presentedPages = new WeakMap<StoredPage, PresentedPage & PagePosition & Pick<Call, 'budget'>>()

function presentPage(ctx: Call & PublicAddress, stored: StoredPage, position: PagePosition): PresentedPage {
  const cached = presentedPages.get(stored)
  const { manifest, toc, pageNum } = position
  const { budget } = ctx
  if (cached?.manifest === manifest && cached.toc === toc && cached.pageNum === pageNum && cached.budget === budget)
    return cached
  const { id, content, label } = stored
  const url = pageUrl(ctx, { id: manifest.itemId, version: manifest.version, pageNum })
  const page: Page = { pageNum, content, id, label, chapter: createChapterLookup(toc)(pageNum), url }
  const overhead = budget.cost(JSON.stringify({ ...page, content: '' })) + 1
  const presented = { page, overhead, cost: overhead + budget.cost(content), ...position, budget }
  presentedPages.set(stored, presented)
  return presented
}

interface PageCandidate {
  whole: PresentedPage
  offset: number
  maxPageCost: (() => number) | null
}

/** Takes a page from the allowance. `rest` is where the page goes on when it did not fit whole (0: not at all). */
function fitPage(ctx: Call, { whole, offset, maxPageCost }: PageCandidate, budget: RemainingBudget): FittedPage {
  const { page, overhead } = whole
  const content = offset > 0 ? sliceFrom(page.content, offset) : page.content
  const cost = offset > 0 ? overhead + ctx.budget.cost(content) : whole.cost
  if (cost <= budget.remaining) {
    budget.remaining -= cost
    return { page: offset > 0 ? { ...page, content } : page, nextOffset: null }
  }
  // Only a page that could never fit whole is cut, and only at the beginning of an answer.
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

/** How many UTF-16 units from the start cost at most `room`; never splits a surrogate pair. */
function longestPrefixWithin(ctx: Call, text: string, maxCost: number): number {
  let low = 0
  let high = text.length
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
