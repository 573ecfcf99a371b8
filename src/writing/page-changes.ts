import { loadAccountNames } from '../accounts/load-account-names.ts'
import type { AccessibleBook, BookAccessStores } from '../books/access.ts'
import type { Call } from '../core/context.ts'
import { alignPages, type PageLayout } from '../reading/align-pages.ts'
import type { VersionSummary } from '../reading/manifest.ts'
import type { ContentStores } from '../reading/store.ts'
import { startDiffBudget } from '../text/compare/diff-budget.ts'
import { presentVersions, type VersionEntry } from './version-entry.ts'

/** A version that changed a page, and the version before it. */
export interface PageChange extends VersionEntry {
  /** The version before it; null if the page first appeared in this one. */
  previous: number | null
  /** True if the caller has written it in a browser. */
  byCallerInBrowser: boolean
}

interface PageHistoryRequest {
  pageNum: number
  /** The version that `pageNum` refers to. */
  version: number
  /** Ignores this version and earlier ones. */
  sinceVersion?: number
  limit: number
}

/** Number of versions that are examined; older ones are ignored. */
const maxVersions = 50
const budgetMs = 100

/**
 * The last versions that changed a page, most recent first. Follows the page when pages are added or removed before it.
 * Examines the last 50 versions.
 */
export async function listPageChanges(
  ctx: Call & BookAccessStores & ContentStores,
  book: AccessibleBook,
  { pageNum, version, sinceVersion = 0, limit }: PageHistoryRequest,
): Promise<PageChange[]> {
  const range = { fromVersion: Math.max(1, sinceVersion), beforeVersion: version + 1, limit: maxVersions + 1 }
  const versions = await ctx.contents.listLayoutHistory(book.id, range)
  const found = followPage(versions, { itemId: book.id, pageNum, limit })
  const nameOf = await loadAccountNames(
    ctx,
    found.map(({ row }) => row.createdBy),
  )
  const present = presentVersions(book, nameOf)
  return found.map(({ row, previous }) => {
    const entry = present(row)
    return { ...entry, previous, byCallerInBrowser: entry.way === 'browser' && row.createdBy === ctx.actor.id }
  })
}

type Row = VersionSummary & Pick<PageLayout, 'runs'>

function followPage(
  versions: readonly Row[],
  { itemId, pageNum, limit }: { itemId: string; pageNum: number; limit: number },
): { row: Row; previous: number | null }[] {
  const budget = startDiffBudget(budgetMs)
  const found: { row: Row; previous: number | null }[] = []
  let number = pageNum
  for (const [index, row] of versions.entries()) {
    const before = versions[index + 1]
    if (!before) {
      if (row.version === 1) found.push({ row, previous: null })
      break
    }
    const pair = alignPages({ ...before, itemId }, { ...row, itemId }, budget).find(({ after }) => after === number)
    if (!pair?.same) found.push({ row, previous: pair?.before == null ? null : before.version })
    if (found.length >= limit || pair?.before == null) break
    number = pair.before
  }
  return found.slice(0, limit)
}
