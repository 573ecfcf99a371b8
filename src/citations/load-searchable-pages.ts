import { setImmediate } from 'node:timers/promises'
import type { PageRef, ContentStores } from '../reading/store.ts'
import type { Manifest } from '../reading/manifest.ts'
import type { SearchedText } from './find-quote.ts'
import { normalText } from './normalize-text.ts'
import type { Call } from '../core/context.ts'

export interface WantedPage {
  manifest: Manifest
  ref: PageRef
}

/** What a call may still work through, in UTF-16 units of plain text; text with many marks counts more. */
export interface Effort {
  left: number
}

/** Larger pages are left out: making one ready would hold up everybody else for too long. */
export const largestPage = 2_000_000
/** What a piece that is written differently in the normal form takes, beside its text. */
const pieceEffort = 3
/** What looking for one quotation takes of what making its page ready took. */
export const searchShare = 0.1
const mostPages = 64
const mostBytes = 16_000_000

/**
 * Hands over pages made ready for searching, in order, until the effort is spent; the largest ones are left out. Each query
 * asks for as many pages as surely take at most 16 MB, or for one; other calls have their turn between two pages.
 */
export async function* loadPages(
  ctx: Call & ContentStores,
  wanted: readonly WantedPage[],
  effort: Effort,
): AsyncGenerator<SearchedText & WantedPage> {
  for (const batch of batches(wanted)) {
    if (effort.left <= 0) return
    const pages = await ctx.contents.pages(batch.map(({ ref }) => ref))
    for (const [at, { content }] of pages.entries()) {
      ctx.signal.throwIfAborted()
      if (effort.left <= 0) return
      if (content.length > largestPage) continue
      const normal = normalText(content)
      effort.left -= content.length + pieceEffort * normal.pieces.count()
      yield { ...(batch[at] as WantedPage), raw: content, normal }
      await setImmediate()
    }
  }
}

/** No page is larger than its version: the pages of one version count at most as much as the version itself. */
function* batches(wanted: readonly WantedPage[]): Generator<WantedPage[]> {
  let batch: WantedPage[] = []
  let versions = new Set<Manifest>()
  let bytes = 0
  for (const page of wanted) {
    const more = versions.has(page.manifest) ? 0 : page.manifest.bytes
    if (batch.length > 0 && (batch.length === mostPages || bytes + more > mostBytes)) {
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
