import type { PageRef, ContentStores } from '../reading/store.ts'
import { loadPages } from '../reading/unfinished-manifest.ts'
import type { Manifest } from '../reading/manifest.ts'
import type { StoredPage } from '../reading/cached-page.ts'
import { runSteps, type Pacer } from '../runtime/turns.ts'
import { prepareTextInSteps, type SearchableText } from './searchable-text.ts'
import type { Call } from '../core/context.ts'

export interface PageRequest {
  manifest: Manifest
  ref: PageRef
}

/** The work that a call may still do, in UTF-16 units of text. Each replaced piece of text costs extra. */
export interface WorkBudget {
  remaining: number
  /** Gives way to other calls between slices of work. */
  pacer: Pacer
}

/** Larger pages are skipped, because preparing one would block the process for too long. UTF-16 units. */
export const maxPageCharacters = 2_000_000
/** The extra cost of each replaced piece of text. */
const replacementCost = 3
/** The cost of searching for one quotation, as a share of the length of the page. */
export const searchCostFactor = 0.1
const maxBatchPages = 64
const maxBatchBytes = 16_000_000

/**
 * Yields pages that are prepared for searching, in order, until the budget is spent. Skips pages over `maxPageCharacters`. Each query loads
 * either one page or up to 64 pages of at most 16 MB together. Gives way to other calls.
 */
export async function* loadSearchablePages(
  ctx: Call & ContentStores,
  requests: readonly PageRequest[],
  budget: WorkBudget,
): AsyncGenerator<SearchableText & PageRequest> {
  for (const batch of batchRequests(requests)) {
    if (budget.remaining <= 0) return
    const pages = await loadBatch(ctx, batch)
    for (const [at, { content }] of pages.entries()) {
      ctx.signal.throwIfAborted()
      if (budget.remaining <= 0) return
      if (content.length > maxPageCharacters) continue
      const text = await runSteps(budget.pacer, prepareTextInSteps(content))
      const pieces = text.forms.reduce((sum, { offsets }) => sum + offsets.count(), 0)
      budget.remaining -= content.length * text.forms.length + replacementCost * pieces
      yield { ...(batch[at] as PageRequest), ...text }
      if (budget.pacer.isDue()) await budget.pacer.yieldTurn()
    }
  }
}

/** Loads the pages of a batch, which may belong to several books. */
async function loadBatch(ctx: ContentStores, batch: readonly PageRequest[]): Promise<StoredPage[]> {
  const isUnfinished = ({ manifest }: PageRequest) => manifest.version === 0
  if (!batch.some(isUnfinished)) return ctx.contents.getPages(batch.map(({ ref }) => ref))
  const loaded = await Promise.all(batch.map(({ manifest, ref }) => loadPages(ctx, manifest, [ref])))
  return loaded.flat()
}

/** Splits requests into batches of limited size. The pages of one version are at most as large as the version. */
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
