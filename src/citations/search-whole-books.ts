import { pageRefs } from '../reading/store.ts'
import { byVersion, type Finding } from './finding.ts'
import { findQuote } from './find-quote.ts'
import { reach } from './search-nearby-pages.ts'
import { loadPages, searchShare, type Effort, type WantedPage } from './load-searchable-pages.ts'
import type { Call } from '../core/context.ts'
import type { ContentStores } from '../reading/store.ts'

const mostOthers = 5

/** Looks for quotations in the rest of their books, from the cited pages outwards, and notes up to five pages of each. */
export async function lookThroughBooks(
  ctx: Call & ContentStores,
  findings: readonly Finding[],
  effort: Effort,
): Promise<void> {
  for (const group of byVersion(findings)) await lookThrough(ctx, group, effort)
}

async function lookThrough(ctx: Call & ContentStores, group: readonly Finding[], effort: Effort): Promise<void> {
  const pages = pagesOutwards(group)
  let looked = 0
  for await (const page of loadPages(ctx, pages, effort)) {
    looked++
    const waiting = group.filter(({ otherPages }) => otherPages.length < mostOthers)
    if (waiting.length === 0) return
    effort.left -= page.raw.length * waiting.length * searchShare
    for (const finding of waiting) {
      if (page.ref.pageNum === finding.target.citation.page) continue
      if (findQuote(page, finding.target.quote)) finding.otherPages.push(page.ref.pageNum)
    }
  }
  for (const finding of group) {
    finding.otherPages.sort((a, b) => a - b)
    finding.complete = looked === pages.length
    if (finding.otherPages.length > 0) finding.nearest = null
  }
}

/** The pages that the caller may read, nearest to a cited one first; those around the only one were looked at before. */
function pagesOutwards(group: readonly Finding[]): WantedPage[] {
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
  const near = group.length === 1 ? reach : -1
  const refs = [...pageRefs(manifest, 1, lastPage)].filter(({ pageNum }) => (distances[pageNum] as number) > near)
  refs.sort((a, b) => (distances[a.pageNum] as number) - (distances[b.pageNum] as number))
  return refs.map((ref) => ({ manifest, ref }))
}
