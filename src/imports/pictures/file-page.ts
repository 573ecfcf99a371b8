import type { Manifest, PageRun } from '../../reading/manifest.ts'
import { isAttemptRevision } from '../end-processing.ts'

/** The page of the original file that corresponds to a page of a version. */
export interface FilePage {
  /** From 1. */
  page: number
  /** False if its text was rewritten, so that the picture may show other words. */
  exact: boolean
}

/**
 * The page of the file for page `pageNum` of a version; null if there is none. A run of rewritten pages corresponds to
 * pages of the file if it has as many pages as are missing between its neighbours.
 */
export function filePageOf({ runs }: Pick<Manifest, 'runs'>, pageNum: number): FilePage | null {
  let before = 0
  for (const [at, run] of runs.entries()) {
    const offset = pageNum - before - 1
    before += run.count
    if (offset >= run.count) continue
    if (isAttemptRevision(run.revision)) return { page: run.start + offset + 1, exact: true }
    const page = replacedPage(runs, { at, offset })
    return page === null ? null : { page, exact: false }
  }
  return null
}

/** The page of the file that page `offset` of the written run `at` replaces; null if it cannot be determined. */
function replacedPage(runs: readonly PageRun[], { at, offset }: { at: number; offset: number }): number | null {
  const left = runs.findLastIndex(({ revision }, index) => index < at && isAttemptRevision(revision))
  const right = runs.findIndex(({ revision }, index) => index > at && isAttemptRevision(revision))
  const [previous, next] = [runs[left], runs[right]]
  if (!next || (previous && previous.revision !== next.revision)) return null
  const from = previous ? previous.start + previous.count : 0
  const written = runs.slice(left + 1, right).reduce((sum, { count }) => sum + count, 0)
  if (next.start - from !== written) return null
  const earlier = runs.slice(left + 1, at).reduce((sum, { count }) => sum + count, 0)
  return from + earlier + offset + 1
}
