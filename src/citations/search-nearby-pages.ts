import { pageRefs } from '../reading/store.ts'
import { byVersion, isMissing, type Finding } from './finding.ts'
import { findQuote, type SearchedText } from './find-quote.ts'
import { loadPages, type Effort } from './load-searchable-pages.ts'
import { nearestPassage, wordsOf, type Words } from './nearest-passage.ts'
import { normalText } from './normalize-text.ts'
import type { Call } from '../core/context.ts'
import type { ContentStores } from '../reading/store.ts'

/** How many pages before and behind the cited one are near it. */
export const reach = 2

/** A page near a cited one; its words are counted once. */
interface Neighbour extends SearchedText {
  pageNum: number
  words: Words | null
}

/**
 * Looks for quotations that do not stand on their page at the two pages before and behind it, and across the end of the
 * page; else for the passage there that is most like them.
 */
export async function lookAround(
  ctx: Call & ContentStores,
  findings: readonly Finding[],
  effort: Effort,
): Promise<void> {
  for (const group of byVersion(findings)) await lookAroundIn(ctx, group, effort)
}

/** Goes through the pages once, in order, and keeps only those that a citation to come may need. */
async function lookAroundIn(ctx: Call & ContentStores, group: readonly Finding[], effort: Effort): Promise<void> {
  const waiting = [...group]
  const near = new Map<number, Neighbour>()
  for await (const { ref, raw, normal } of loadPages(ctx, pagesAround(group), effort)) {
    near.set(ref.pageNum, { pageNum: ref.pageNum, raw, normal, words: null })
    while (waiting[0] && lastAround(waiting[0]) <= ref.pageNum) {
      settle(waiting.shift() as Finding, near, effort)
    }
    for (const pageNum of near.keys()) if (pageNum < firstAround(waiting[0])) near.delete(pageNum)
  }
  // The last pages may be among those that are left out.
  if (effort.left > 0) for (const finding of waiting) settle(finding, near, effort)
}

function firstAround(finding: Finding | undefined): number {
  return finding ? Math.max(1, finding.target.citation.page - reach) : Infinity
}

function lastAround({ target }: Finding): number {
  return Math.min(target.lastPage, target.citation.page + reach)
}

function pagesAround(group: readonly Finding[]) {
  const numbers = new Set<number>()
  for (const finding of group) {
    for (let pageNum = firstAround(finding); pageNum <= lastAround(finding); pageNum++) numbers.add(pageNum)
  }
  const manifest = (group[0] as Finding).target.manifest
  return [...numbers].flatMap((pageNum) => [...pageRefs(manifest, pageNum, pageNum)].map((ref) => ({ manifest, ref })))
}

function settle(finding: Finding, near: ReadonlyMap<number, Neighbour>, effort: Effort): void {
  const { page } = finding.target.citation
  const [before, cited, behind] = [near.get(page - 1), near.get(page), near.get(page + 1)]
  const onwards = cited && behind && findAcross(finding, cited, behind)
  if (onwards) {
    finding.match = onwards
    finding.endPage = page + 1
    return
  }
  const around = [...near.values()].filter(({ pageNum }) => Math.abs(pageNum - page) <= reach)
  const holding = around.filter((text) => text !== cited && findQuote(text, finding.target.quote))
  finding.otherPages = holding.map(({ pageNum }) => pageNum)
  const begins = before && cited && !holding.includes(before) && findAcross(finding, before, cited)
  if (begins) finding.otherPages = [...finding.otherPages, page - 1].sort((a, b) => a - b)
  if (isMissing(finding)) findNearest(finding, around, effort)
}

/** How much at the end of a page, and at the beginning of the next, a quotation can take, with its marks and spaces. */
const mostAcross = 8000

/** A quotation that begins in one page and ends in the next: `start` is a place in the first, `end` in the second. */
function findAcross({ target }: Finding, first: Neighbour, second: Neighbour) {
  const from = Math.max(0, first.raw.length - mostAcross)
  const end = first.raw.slice(from)
  const raw = `${end}\n${second.raw.slice(0, mostAcross)}`
  const match = findQuote({ raw, normal: normalText(raw) }, target.quote)
  if (!match || match.start >= end.length || match.end <= end.length + 1) return null
  return { ...match, start: from + match.start, end: match.end - end.length - 1 }
}

/** Longer pages are compared up to here only. */
const mostCompared = 1_000_000
/** From here on the passage is shown: most of it is what the caller has sent. */
const shownFrom = 0.75

function findNearest(finding: Finding, around: Neighbour[], effort: Effort): void {
  const { quote, citation } = finding.target
  const quoteWords = wordsOf(quote.normal)
  // The cited page first: of passages that are equally like it, the one there counts.
  around.sort((a, b) => Math.abs(a.pageNum - citation.page) - Math.abs(b.pageNum - citation.page))
  for (const page of around) {
    if (effort.left <= 0) return
    if (!page.words) effort.left -= page.raw.length
    page.words ??= wordsOf(page.normal.text.slice(0, mostCompared))
    const nearest = nearestPassage(page, page.words, quoteWords)
    if (!nearest || nearest.similarity <= (finding.nearest?.similarity ?? 0)) continue
    const passage = nearest.similarity >= shownFrom ? { passage: page.raw.slice(nearest.start, nearest.end) } : {}
    finding.nearest = { page: page.pageNum, ...nearest, ...passage }
  }
}
