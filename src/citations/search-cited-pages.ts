import type { Finding } from './finding.ts'
import { findQuote } from './find-quote.ts'
import { loadPages, searchShare, type Effort } from './load-searchable-pages.ts'
import type { Call } from '../core/context.ts'
import type { ContentStores } from '../reading/store.ts'

/** Looks for each quotation on the page that its citation names, and at whether that page has changed since. */
export async function lookAtPages(
  ctx: Call & ContentStores,
  findings: readonly Finding[],
  effort: Effort,
): Promise<void> {
  const byPage = Map.groupBy(findings, ({ target }) => target.ref.id)
  const wanted = [...byPage.values()].map(([first]) => (first as Finding).target)
  for await (const page of loadPages(ctx, wanted, effort)) {
    const about = byPage.get(page.ref.id) ?? []
    effort.left -= page.raw.length * about.length * searchShare
    for (const finding of about) {
      finding.match = findQuote(page, finding.target.quote)
      finding.changed = await hasChanged(ctx, finding, page.raw)
      finding.checked = true
    }
  }
}

/** Compares where the page is stored, and its text only when that differs. */
async function hasChanged(ctx: ContentStores, { target }: Finding, text: string): Promise<boolean> {
  const { ref, now } = target
  if (now === null) return true
  if (now.id === ref.id) return false
  const [page] = await ctx.contents.pages([now])
  return page?.content !== text
}
