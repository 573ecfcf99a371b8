import { pageRefs } from '../reading/store.ts'
import { groupByVersion, type Finding } from './finding.ts'
import { findQuote } from './find-quote.ts'
import { maxPageDistance } from './search-nearby-pages.ts'
import { loadSearchablePages, searchCostFactor, type WorkBudget, type PageRequest } from './load-searchable-pages.ts'
import type { Call } from '../core/context.ts'
import type { ContentStores } from '../reading/store.ts'

const maxOtherPages = 5

/** Searches for quotations in the rest of their books, outwards from the cited pages. Stops after five pages per quotation. */
export async function searchWholeBooks(
  ctx: Call & ContentStores,
  findings: readonly Finding[],
  budget: WorkBudget,
): Promise<void> {
  for (const group of groupByVersion(findings)) await searchVersion(ctx, group, budget)
}

async function searchVersion(ctx: Call & ContentStores, group: readonly Finding[], budget: WorkBudget): Promise<void> {
  const pages = pagesByDistance(group)
  let searched = 0
  for await (const page of loadSearchablePages(ctx, pages, budget)) {
    searched++
    const pending = group.filter(({ otherPages }) => otherPages.length < maxOtherPages)
    if (pending.length === 0) return
    budget.remaining -= page.raw.length * pending.length * searchCostFactor
    for (const finding of pending) {
      if (budget.pacer.isDue()) await budget.pacer.yieldTurn()
      if (page.ref.pageNum === finding.target.citation.page) continue
      if (findQuote(page, finding.target.quote)) finding.otherPages.push(page.ref.pageNum)
    }
  }
  for (const finding of group) {
    finding.otherPages.sort((a, b) => a - b)
    finding.complete = searched === pages.length
    if (finding.otherPages.length > 0) finding.nearest = null
  }
}

/**
 * Returns the readable pages, those nearest to a cited page first. If the group has only one citation, omits the nearby pages, which have
 * been searched already.
 */
function pagesByDistance(group: readonly Finding[]): PageRequest[] {
  const { manifest, lastPage } = (group[0] as Finding).target
  const cited = group.map(({ target }) => target.citation.page)
  const distances = new Float64Array(lastPage + 1).fill(Infinity)
  for (const page of cited) distances[page] = 0
  for (let at = 1; at <= lastPage; at++) {
    distances[at] = Math.min(distances[at] as number, (distances[at - 1] as number) + 1)
  }
  for (let at = lastPage - 1; at >= 1; at--) {
    distances[at] = Math.min(distances[at] as number, (distances[at + 1] as number) + 1)
  }
  const searchedDistance = group.length === 1 ? maxPageDistance : -1
  const refs = [...pageRefs(manifest, 1, lastPage)].filter(
    ({ pageNum }) => (distances[pageNum] as number) > searchedDistance,
  )
  refs.sort((a, b) => (distances[a.pageNum] as number) - (distances[b.pageNum] as number))
  return refs.map((ref) => ({ manifest, ref }))
}
