import { setImmediate } from 'node:timers/promises'
import type { PageRef, ContentStores } from '../reading/store.ts'
import type { Manifest } from '../reading/manifest.ts'
import type { SearchableText } from './find-quote.ts'
import { normalizeText } from './normalize-text.ts'
import type { Call } from '../core/context.ts'

export interface PageRequest {
  manifest: Manifest
  ref: PageRef
}

/** What a call may still work through, in UTF-16 units of plain text; text with many marks counts more. */
export interface WorkBudget {
  remaining: number
}

/** Larger pages are left out: making one ready would hold up everybody else for too long. */
export const maxPageCharacters = 2_000_000
/** What a piece that is written differently in the normal form takes, beside its text. */
const replacementCost = 3
/** What looking for one quotation takes of what making its page ready took. */
export const searchCostFactor = 0.1
const maxBatchPages = 64
const maxBatchBytes = 16_000_000

/**
 * Hands over pages made ready for searching, in order, until the effort is spent; the largest ones are left out. Each query
 * asks for as many pages as surely take at most 16 MB, or for one; other calls have their turn between two pages.
 */
export async function* loadSearchablePages(
  ctx: Call & ContentStores,
  requests: readonly PageRequest[],
  budget: WorkBudget,
): AsyncGenerator<SearchableText & PageRequest> {
  for (const batch of batchRequests(requests)) {
    if (budget.remaining <= 0) return
    const pages = await ctx.contents.getPages(batch.map(({ ref }) => ref))
    for (const [at, { content }] of pages.entries()) {
      ctx.signal.throwIfAborted()
      if (budget.remaining <= 0) return
      if (content.length > maxPageCharacters) continue
      const normal = normalizeText(content)
      budget.remaining -= content.length + replacementCost * normal.offsets.count()
      yield { ...(batch[at] as PageRequest), raw: content, normal }
      await setImmediate()
    }
  }
}

/** No page is larger than its version: the pages of one version count at most as much as the version itself. */
function* batchRequests(requests: readonly PageRequest[]): Generator<PageRequest[]> {
  let batch: PageRequest[] = []
  let versions = new Set<Manifest>()
  let bytes = 0
  for (const page of requests) {
    const more = versions.has(page.manifest) ? 0 : page.manifest.bytes
    if (batch.length > 0 && (batch.length === maxBatchPages || bytes + more > maxBatchBytes)) {
      yield batch
      batch = []
      versions = new Set()
      bytes = 0
    }
    bytes += versions.has(page.manifest) ? 0 : page.manifest.bytes
    versions.add(page.manifest)
    batch.push(page)
  }
  if (batch.length > 0) yield batch
}
