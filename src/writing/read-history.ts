import { chargeReads } from '../accounts/charge-reads.ts'
import { loadAccountNames } from '../accounts/load-account-names.ts'
import type { ReadStores } from '../accounts/read-meter.ts'
import type { AccountStores } from '../accounts/store.ts'
import { canWrite, type AccessibleBook, type BookAccessStores } from '../books/access.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import { alignPages, type PageLayout } from '../reading/align-pages.ts'
import type { ContentStores } from '../reading/store.ts'
import { startDiffBudget, type DiffBudget } from '../text/compare/diff-budget.ts'
import { openHistory } from './open-history.ts'
import { presentVersions, type VersionEntry } from './version-entry.ts'

/** The changes of a version, by its own page numbers. */
export interface VersionChanges {
  changed: number[]
  added: number[]
  /** Number of pages of the previous version that are gone. */
  removed: number
}

/** A version in the history of a book; `changes` is null if the previous version is not known. */
export interface HistoryEntry extends VersionEntry {
  changes: VersionChanges | null
}

/** A part of a book's history, most recent version first. */
export interface BookHistory {
  book: AccessibleBook
  entries: HistoryEntry[]
  /** The next part starts before this version; null at the end. */
  nextBefore: number | null
  /** What the caller may do with versions. */
  canRestore: boolean
  canPurge: boolean
}

/** Number of versions in one part of a history. */
const partSize = 25
const budgetMs = 150

/**
 * A part of a book's versions including the current one, most recent first. Callers who may not write do not see
 * versions from before the book became accessible to them. Refuses like `listItemVersions`. Charges one read.
 */
export async function readHistory(
  ctx: Call & BookAccessStores & ContentStores & PublicAddress & AccountStores & ReadStores,
  { id, before }: { id: string; before: number | null },
): Promise<BookHistory> {
  const { book, fromVersion } = await openHistory(ctx, id)
  const beforeVersion = Math.min(before ?? Infinity, book.version + 1)
  // Loads one more version than is shown, to determine what the earliest shown one changed.
  const found = await ctx.contents.listLayoutHistory(id, { fromVersion, beforeVersion, limit: partSize + 1 })
  const shown = found.slice(0, partSize)
  const nameOf = await loadAccountNames(
    ctx,
    shown.map(({ createdBy }) => createdBy),
  )
  await chargeReads(ctx, 1)
  const present = presentVersions(book, nameOf)
  const budget = startDiffBudget(budgetMs)
  return {
    book,
    entries: shown.map((row, index) => ({
      ...present(row),
      changes: changesOf(toLayout(id, row), toLayout(id, found[index + 1]), budget),
    })),
    nextBefore: found.length > partSize ? (shown.at(-1)?.version ?? null) : null,
    canRestore: canWrite(book) && book.sourceType === 'markdown',
    canPurge: book.access.kind === 'own',
  }
}

type StoredLayout = Omit<PageLayout, 'itemId'>

function toLayout(itemId: string, row: StoredLayout | undefined): PageLayout | null {
  return row ? { itemId, runs: row.runs, pageCount: row.pageCount } : null
}

function changesOf(layout: PageLayout | null, before: PageLayout | null, budget: DiffBudget): VersionChanges | null {
  if (!layout || !before) return null
  const pairs = alignPages(before, layout, budget).filter(({ same }) => !same)
  return {
    changed: pairs.flatMap(({ before: old, after }) => (old !== null && after !== null ? [after] : [])),
    added: pairs.flatMap(({ before: old, after }) => (old === null && after !== null ? [after] : [])),
    removed: pairs.filter(({ after }) => after === null).length,
  }
}
