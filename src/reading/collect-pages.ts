import { clipRanges, formatPageRanges, type Page, type PageRange } from '../text/page-ranges.ts'
import { chapterFinder } from './toc-tree.ts'
import { pageUrl } from './page-url.ts'
import { pageRefs, type PageRef, type StoredPage } from './store.ts'
import { type Manifest, type Outline } from './manifest.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { ContentStores } from './store.ts'

/** What an answer has left. Pages are taken from it as they are collected. */
export interface Allowance {
  left: number
}

interface Wish {
  manifest: Manifest
  toc: readonly Outline[]
  ranges: readonly PageRange[]
  /** What an answer of its own has for these pages: one that costs more is cut. Null: no page is cut. */
  cut: (() => number) | null
}

export interface Collected {
  pages: Page[]
  /** What did not fit, in the form of a page range; null when everything did. */
  nextPages: string | null
}

const chunk = 64

/** The pages of `ranges` that fit into the allowance, in order; with `cut` also a part of a page that never fits whole. Reads from the store only what it may need. */
export async function collectPages(
  ctx: Call & ContentStores & PublicAddress,
  { manifest, toc, ranges, cut }: Wish,
  allowance: Allowance,
): Promise<Collected> {
  const wanted = clipRanges(ranges, manifest.pageCount)
  const pages: Page[] = []
  let batch: Wanted[] = []
  const flush = async (): Promise<PageRange[] | null> => {
    const stored = await ctx.contents.pages(batch.map(({ ref }) => ref))
    for (const [index, page] of stored.entries()) {
      const { ref, offset } = batch[index] as Wanted
      const whole = showPage(ctx, page, { manifest, toc, pageNum: ref.pageNum })
      const fitting = fit(ctx, { whole, offset, cut }, allowance)
      if (fitting.page) pages.push(fitting.page)
      if (fitting.rest !== null) return restOf(wanted, ref.pageNum, fitting.rest)
    }
    batch = []
    return null
  }
  for (const item of wantedRefs(manifest, wanted)) {
    batch.push(item)
    if (batch.length < chunk) continue
    const rest = await flush()
    if (rest) return { pages, nextPages: formatPageRanges(rest) }
  }
  const rest = await flush()
  return { pages, nextPages: rest && formatPageRanges(rest) }
}

interface Wanted {
  ref: PageRef
  offset: number
}

function* wantedRefs(manifest: Manifest, ranges: readonly PageRange[]): Generator<Wanted> {
  for (const { from, to, offset } of ranges) {
    for (const ref of pageRefs(manifest, from, to)) yield { ref, offset: ref.pageNum === from ? (offset ?? 0) : 0 }
  }
}

interface Place {
  manifest: Manifest
  toc: readonly Outline[]
  pageNum: number
}

/** A page as an answer shows it, and what it costs there. */
interface ShownPage {
  page: Page
  /** Of everything but the text. */
  frame: number
  cost: number
}

/** How each page that is in memory was shown last: with the same place and budget it is the same again. */
const shownLast = new WeakMap<StoredPage, ShownPage & Place & Pick<Call, 'budget'>>()

function showPage(ctx: Call & PublicAddress, stored: StoredPage, place: Place): ShownPage {
  const last = shownLast.get(stored)
  const { manifest, toc, pageNum } = place
  const { budget } = ctx
  if (last?.manifest === manifest && last.toc === toc && last.pageNum === pageNum && last.budget === budget) return last
  const { id, content, label } = stored
  const url = pageUrl(ctx, { id: manifest.itemId, version: manifest.version, pageNum })
  const page: Page = { pageNum, content, id, label, chapter: chapterFinder(toc)(pageNum), url }
  const frame = budget.cost(JSON.stringify({ ...page, content: '' })) + 1
  const shown = { page, frame, cost: frame + budget.cost(content), ...place, budget }
  shownLast.set(stored, shown)
  return shown
}

interface Candidate {
  whole: ShownPage
  offset: number
  cut: (() => number) | null
}

/** Takes a page from the allowance. `rest` is where the page goes on when it did not fit whole (0: not at all). */
function fit(ctx: Call, { whole, offset, cut }: Candidate, allowance: Allowance): Fitting {
  const { page, frame } = whole
  const content = offset > 0 ? sliceFrom(page.content, offset) : page.content
  const cost = offset > 0 ? frame + ctx.budget.cost(content) : whole.cost
  if (cost <= allowance.left) {
    allowance.left -= cost
    return { page: offset > 0 ? { ...page, content } : page, rest: null }
  }
  // Only a page that could never fit whole is cut, and only at the beginning of an answer.
  const most = cut?.() ?? Infinity
  if (cost <= most || allowance.left <= most / 2) return { page: null, rest: offset }
  const length = prefixWithin(ctx, content, allowance.left - frame)
  allowance.left = 0
  return { page: { ...page, content: content.slice(0, length) }, rest: offset + length }
}

interface Fitting {
  page: Page | null
  rest: number | null
}

/** How many UTF-16 units from the start cost at most `room`; never splits a surrogate pair. */
function prefixWithin(ctx: Call, text: string, room: number): number {
  let low = 0
  let high = text.length
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (ctx.budget.cost(text.slice(0, middle)) <= room) low = middle
    else high = middle - 1
  }
  return splitsPair(text, low) ? low - 1 : low
}

function sliceFrom(text: string, offset: number): string {
  return text.slice(splitsPair(text, offset) ? offset - 1 : offset)
}

function splitsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  return at > 0 && at < text.length && before >= 0xd800 && before <= 0xdbff
}

function restOf(ranges: readonly PageRange[], pageNum: number, offset: number): PageRange[] {
  return ranges
    .filter(({ to }) => to >= pageNum)
    .map((range) => {
      if (range.from > pageNum) return range
      return { from: pageNum, to: range.to, ...(offset > 0 ? { offset } : {}) }
    })
}
