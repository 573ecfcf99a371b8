import { alignSequences } from '../text/compare/align-sequences.ts'
import type { DiffBudget } from '../text/compare/diff-budget.ts'
import type { Manifest } from './manifest.ts'
import { pageRefs } from './store.ts'

/** Corresponding pages of two versions; null if only one version has the page. */
export interface PagePair {
  before: number | null
  after: number | null
  /** True for the same stored page, at any position. */
  same: boolean
}

/** The fields of a version that locate its stored pages. */
export type PageLayout = Pick<Manifest, 'itemId' | 'runs' | 'pageCount'>

/**
 * Pairs the pages of two versions in order. Pages that are stored only once are paired even if their numbers differ;
 * pages between them are paired by position. Reads no text.
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

/** The number in `to` of a page of `from`, and whether its text is the same there; null if it is gone. */
export function findPageIn(pairs: readonly PagePair[], pageNum: number): { pageNum: number; same: boolean } | null {
  const pair = pairs.find(({ before }) => before === pageNum)
  return pair?.after == null ? null : { pageNum: pair.after, same: pair.same }
}

function pageIds(layout: PageLayout): string[] {
  return Array.from(pageRefs(layout, 1, layout.pageCount), ({ id }) => id)
}
