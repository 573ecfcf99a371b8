import { alignSequences } from '../text/compare/align-sequences.ts'
import type { DiffBudget } from '../text/compare/diff-budget.ts'
import type { Manifest } from './manifest.ts'
import { pageRefs } from './store.ts'

/** A page of one version and the page of another one in its place; null where only one of them has it. */
export interface PagePair {
  before: number | null
  after: number | null
  /** True for the same stored page, wherever it stands. */
  same: boolean
}

/** What of a version tells where its pages are stored. */
export type PageLayout = Pick<Manifest, 'itemId' | 'runs' | 'pageCount'>

/**
 * Pairs the pages of two versions in order. Pages that are stored once are paired even if they have another number; between
 * them, pages are paired by their place. Reads no text.
 */
export function alignPages(from: PageLayout, to: PageLayout, budget: DiffBudget): PagePair[] {
  const pairs: PagePair[] = []
  for (const { same, before, after } of alignSequences(pageIds(from), pageIds(to), budget)) {
    for (let index = 0; index < Math.max(before.count, after.count); index++) {
      pairs.push({
        before: index < before.count ? before.start + index + 1 : null,
        after: index < after.count ? after.start + index + 1 : null,
        same,
      })
    }
  }
  return pairs
}

/** The number that a page of `from` has in `to`, and whether its text is the same there; null when it is gone. */
export function findPageIn(pairs: readonly PagePair[], pageNum: number): { pageNum: number; same: boolean } | null {
  const pair = pairs.find(({ before }) => before === pageNum)
  return pair?.after == null ? null : { pageNum: pair.after, same: pair.same }
}

function pageIds(layout: PageLayout): string[] {
  return Array.from(pageRefs(layout, 1, layout.pageCount), ({ id }) => id)
}
