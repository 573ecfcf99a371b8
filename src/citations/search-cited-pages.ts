import type { Finding } from './finding.ts'
import { findQuote } from './find-quote.ts'
import { loadSearchablePages, searchCostFactor, type WorkBudget } from './load-searchable-pages.ts'
import type { Call } from '../core/context.ts'
import type { ContentStores } from '../reading/store.ts'

/** Searches each quotation on its cited page, and checks whether that page has changed since. */
export async function searchCitedPages(
  ctx: Call & ContentStores,
  findings: readonly Finding[],
  budget: WorkBudget,
): Promise<void> {
  const byPage = Map.groupBy(findings, ({ target }) => target.ref.id)
  const requests = [...byPage.values()].map(([first]) => (first as Finding).target)
  for await (const page of loadSearchablePages(ctx, requests, budget)) {
    const pageFindings = byPage.get(page.ref.id) ?? []
    budget.remaining -= page.raw.length * pageFindings.length * searchCostFactor
    for (const finding of pageFindings) {
      if (budget.pacer.isDue()) await budget.pacer.yieldTurn()
      finding.match = findQuote(page, finding.target.quote)
      finding.changed = await hasChanged(ctx, finding, page.raw)
      finding.checked = true
    }
  }
}

/** Compares where both pages are stored, and their texts only if the places differ. */
async function hasChanged(ctx: ContentStores, { target }: Finding, text: string): Promise<boolean> {
  const { ref, currentRef } = target
  if (currentRef === null) return true
  if (currentRef.id === ref.id) return false
  const [page] = await ctx.contents.getPages([currentRef])
  return page?.content !== text
}
