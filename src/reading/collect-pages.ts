import type { Context } from '../context.ts'
import { clipRanges, formatPageRanges, type Page, type PageRange } from '../page.ts'
import { chapterFinder } from './outline.ts'
import { pageUrl } from './page-url.ts'
import { pageRefs, type Manifest, type Outline, type PageRef, type StoredPage } from './store.ts'

/** What an answer has left. Pages are taken from it as they are collected. */
export interface Allowance {
  left: number
}

interface Wish {
  manifest: Manifest
  toc: readonly Outline[]
  ranges: readonly PageRange[]
  /** What an answer of its own has for these pages: one that costs more is cut. Null: no page is cut. */
  cut: number | null
}

export interface Collected {
  pages: Page[]
  /** What did not fit, in the form of a page range; null when everything did. */
  nextPages: string | null
}

const chunk = 64

/** The pages of `ranges` that fit into the allowance, in order; with `cut` also a part of a page that never fits whole. Reads from the store only what it may need. */
export async function collectPages(
  ctx: Context,
  { manifest, toc, ranges, cut }: Wish,
  allowance: Allowance,
): Promise<Collected> {
  const wanted = clipRanges(ranges, manifest.pageCount)
  const chapterOf = chapterFinder(toc)
  const pages: Page[] = []
  let batch: Wanted[] = []
  const flush = async (): Promise<PageRange[] | null> => {
    const stored = await ctx.contents.pages(batch.map(({ ref }) => ref))
    for (const [index, page] of stored.entries()) {
      const { ref, offset } = batch[index] as Wanted
      const { pageNum } = ref
      const url = pageUrl(ctx, { id: manifest.itemId, version: manifest.version, pageNum })
      const fitting = fit(ctx, { page, offset, pageNum, chapter: chapterOf(pageNum), url, cut }, allowance)
      if (fitting.page) pages.push(fitting.page)
      if (fitting.rest !== null) return restOf(wanted, pageNum, fitting.rest)
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

interface Candidate {
  page: StoredPage
  offset: number
  pageNum: number
  chapter: string[]
  url: string
  cut: number | null
}

/** Takes a page from the allowance. `rest` is where the page goes on when it did not fit whole (0: not at all). */
function fit(ctx: Context, candidate: Candidate, allowance: Allowance): { page: Page | null; rest: number | null } {
  const { page, offset, pageNum, chapter, url, cut } = candidate
  const content = offset > 0 ? sliceFrom(page.content, offset) : page.content
  const shown = { pageNum, content, id: page.id, label: page.label, chapter, url }
  const frame = ctx.budget.cost(JSON.stringify({ ...shown, content: '' })) + 1
  const cost = frame + ctx.budget.cost(content)
  if (cost <= allowance.left) {
    allowance.left -= cost
    return { page: shown, rest: null }
  }
  // Only a page that could never fit whole is cut, and only at the beginning of an answer.
  const alone = cut !== null && cost > cut && allowance.left > cut / 2
  if (!alone) return { page: null, rest: offset }
  const length = prefixWithin(ctx, content, allowance.left - frame)
  allowance.left = 0
  return { page: { ...shown, content: content.slice(0, length) }, rest: offset + length }
}

/** How many UTF-16 units from the start cost at most `room`; never splits a surrogate pair. */
function prefixWithin(ctx: Context, text: string, room: number): number {
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
