import { pageRefs } from '../reading/store.ts'
import { groupByVersion, isUnlocated, type Finding } from './finding.ts'
import { findQuote } from './find-quote.ts'
import { runSteps } from '../runtime/turns.ts'
import { loadSearchablePages, searchCostFactor, type WorkBudget } from './load-searchable-pages.ts'
import { nearestPassage, indexWords, type WordIndex } from './nearest-passage.ts'
import { prepareText, type SearchableText } from './searchable-text.ts'
import type { Call } from '../core/context.ts'
import type { ContentStores } from '../reading/store.ts'

/** How many pages before and after the cited page are searched first. */
export const maxPageDistance = 2

/** A page near a cited page. Its words are indexed once. */
interface NearbyPage extends SearchableText {
  pageNum: number
  words: WordIndex | null
}

/**
 * Searches for quotations that are not on their cited page, on the two pages before and after it and across page ends. If this fails, finds
 * the most similar passage there.
 */
export async function searchNearbyPages(
  ctx: Call & ContentStores,
  findings: readonly Finding[],
  budget: WorkBudget,
): Promise<void> {
  for (const group of groupByVersion(findings)) await searchNearbyPagesOfVersion(ctx, group, budget)
}

/** Reads the pages once, in order, and keeps only those that a later citation may need. */
async function searchNearbyPagesOfVersion(
  ctx: Call & ContentStores,
  group: readonly Finding[],
  budget: WorkBudget,
): Promise<void> {
  const pending = [...group]
  const loaded = new Map<number, NearbyPage>()
  for await (const { ref, ...text } of loadSearchablePages(ctx, nearbyPages(group), budget)) {
    loaded.set(ref.pageNum, { ...text, pageNum: ref.pageNum, words: null })
    while (pending[0] && lastNearbyPage(pending[0]) <= ref.pageNum) {
      await resolveFinding(pending.shift() as Finding, loaded, budget)
    }
    for (const pageNum of loaded.keys()) if (pageNum < firstNearbyPage(pending[0])) loaded.delete(pageNum)
  }
  // Citations remain if their last pages were skipped as too large.
  if (budget.remaining > 0) for (const finding of pending) await resolveFinding(finding, loaded, budget)
}

function firstNearbyPage(finding: Finding | undefined): number {
  return finding ? Math.max(1, finding.target.citation.page - maxPageDistance) : Infinity
}

function lastNearbyPage({ target }: Finding): number {
  return Math.min(target.lastPage, target.citation.page + maxPageDistance)
}

function nearbyPages(group: readonly Finding[]) {
  const numbers = new Set<number>()
  for (const finding of group) {
    for (let pageNum = firstNearbyPage(finding); pageNum <= lastNearbyPage(finding); pageNum++) numbers.add(pageNum)
  }
  const manifest = (group[0] as Finding).target.manifest
  return [...numbers].flatMap((pageNum) => [...pageRefs(manifest, pageNum, pageNum)].map((ref) => ({ manifest, ref })))
}

async function resolveFinding(
  finding: Finding,
  loaded: ReadonlyMap<number, NearbyPage>,
  budget: WorkBudget,
): Promise<void> {
  const { page } = finding.target.citation
  if (budget.pacer.isDue()) await budget.pacer.yieldTurn()
  const [before, cited, after] = [loaded.get(page - 1), loaded.get(page), loaded.get(page + 1)]
  const continuing = cited && after && findAcrossPages(finding, cited, after)
  if (continuing) {
    finding.match = continuing
    finding.endPage = page + 1
    return
  }
  const nearby = [...loaded.values()].filter(({ pageNum }) => Math.abs(pageNum - page) <= maxPageDistance)
  const matching = nearby.filter((text) => text !== cited && findQuote(text, finding.target.quote))
  finding.otherPages = matching.map(({ pageNum }) => pageNum)
  const startsBefore = before && cited && !matching.includes(before) && findAcrossPages(finding, before, cited)
  if (startsBefore) finding.otherPages = [...finding.otherPages, page - 1].sort((a, b) => a - b)
  if (isUnlocated(finding)) await findNearest(finding, nearby, budget)
}

/** The part of a page's end, and of the next page's start, that a quotation with its marks and spaces can cover. UTF-16 units. */
const maxSpanCharacters = 8000

/** Finds a quotation that begins on one page and ends on the next. `start` is an offset in the first page, `end` in the second. */
function findAcrossPages({ target }: Finding, first: NearbyPage, second: NearbyPage) {
  const from = Math.max(0, first.raw.length - maxSpanCharacters)
  const end = first.raw.slice(from)
  const raw = `${end}\n${second.raw.slice(0, maxSpanCharacters)}`
  const match = findQuote(prepareText(raw), target.quote)
  if (!match || match.start >= end.length || match.end <= end.length + 1) return null
  return { ...match, start: from + match.start, end: match.end - end.length - 1 }
}

/** Only this much of a longer page is compared, UTF-16 units. */
const maxComparedCharacters = 1_000_000
/** The answer contains the passage from this similarity on, because the caller has sent most of it. */
const minPassageSimilarity = 0.75

async function findNearest(finding: Finding, nearby: NearbyPage[], budget: WorkBudget): Promise<void> {
  const { quote, citation } = finding.target
  const quoteWords = await runSteps(budget.pacer, indexWords(quote.normal))
  // The cited page comes first, so that it wins over equally similar passages.
  nearby.sort((a, b) => Math.abs(a.pageNum - citation.page) - Math.abs(b.pageNum - citation.page))
  for (const page of nearby) {
    if (budget.remaining <= 0) return
    if (!page.words) budget.remaining -= page.raw.length
    page.words ??= await runSteps(budget.pacer, indexWords(page.normal.text.slice(0, maxComparedCharacters)))
    budget.remaining -= page.raw.length * searchCostFactor
    const nearest = await runSteps(budget.pacer, nearestPassage(page, page.words, quoteWords))
    if (!nearest || nearest.similarity <= (finding.nearest?.similarity ?? 0)) continue
    const passage =
      nearest.similarity >= minPassageSimilarity ? { passage: page.raw.slice(nearest.start, nearest.end) } : {}
    finding.nearest = { page: page.pageNum, ...nearest, ...passage }
  }
}
