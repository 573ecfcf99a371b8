import type { AccessibleBook, BookAccessStores } from '../books/access.ts'
import type { PublicationStores } from '../books/publication.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import { alignPages, findPageIn } from '../reading/align-pages.ts'
import type { Manifest } from '../reading/manifest.ts'
import { MissingPageError, type ContentStores } from '../reading/store.ts'
import { compareTexts, type TextStretch } from '../text/compare/compare-texts.ts'
import { startDiffBudget, type DiffBudget } from '../text/compare/diff-budget.ts'
import { mergeTexts } from '../text/compare/merge-texts.ts'
import { loadPageTexts } from './load-page-texts.ts'
import { openForEditing } from './open-page-editor.ts'
import { listPageChanges, type PageChange } from './page-changes.ts'

/** A page change that is based on an outdated version. */
interface OutdatedEdit {
  id: string
  pageNum: number
  /** The version on which the change is based. */
  version: number
}

/** The state of a page that was changed while it was being edited. */
export interface PageConflict {
  book: AccessibleBook
  /** The current version, and the number of the page in it; null if the book no longer has it. */
  version: number
  pageNum: number | null
  /** The current text of the page; null if the book no longer has it. */
  theirs: string | null
  /** The text on which the change is based; null if that version was removed. */
  before: string | null
  /** True if the page itself is unchanged. */
  untouched: boolean
  /** The changes of the page since, most recent first. */
  changes: PageChange[]
}

/** Finds the page of an outdated change in the current version. Refuses like `openForEditing`. */
export async function describeConflict(
  ctx: Call & BookAccessStores & PublicationStores & ContentStores & PublicAddress,
  { id, pageNum, version }: OutdatedEdit,
): Promise<PageConflict> {
  const { book, manifest } = await openForEditing(ctx, id)
  const base = await findBase(ctx, { id, version, current: manifest })
  const found = base ? findPageIn(alignPages(base, manifest, startDiffBudget(50)), pageNum) : { pageNum, same: false }
  const now = found && found.pageNum <= manifest.pageCount ? found.pageNum : null
  const [before, theirs, changes] = await Promise.all([
    base && pageNum <= base.pageCount ? loadText(ctx, base, pageNum) : null,
    now === null ? null : loadText(ctx, manifest, now),
    now === null
      ? []
      : listPageChanges(ctx, book, {
          pageNum: now,
          version: manifest.version,
          sinceVersion: version,
          limit: 5,
        }),
  ])
  return {
    book,
    version: manifest.version,
    pageNum: now,
    theirs,
    before,
    untouched: theirs !== null && (found?.same === true || theirs === before),
    changes: changes.filter((change) => change.version > version),
  }
}

async function findBase(
  { contents }: ContentStores,
  { id, version, current }: { id: string; version: number; current: Manifest },
): Promise<Manifest | null> {
  if (version < 1 || version > current.version) return null
  const base = await contents.findSealedManifest(id, version)
  return base?.purgedAt === undefined ? base : null
}

/** Loads the text of a page; null if the version was removed since it was looked up. */
async function loadText(ctx: ContentStores, manifest: Manifest, pageNum: number): Promise<string | null> {
  try {
    const [text = ''] = await loadPageTexts(ctx, manifest, { from: pageNum, to: pageNum })
    return text
  } catch (error) {
    if (error instanceof MissingPageError) return null
    throw error
  }
}

/** The texts of a conflict with marked differences. */
export interface ComparedConflict {
  /**
   * The differences from `before` to the caller's text, or from `theirs` if there is no `before`; `theirs` has those
   * from `before` to `theirs`.
   */
  mine: TextStretch[]
  theirs: TextStretch[] | null
  /** Both changes merged; null if they affect the same lines. */
  merged: string | null
}

const budgetMs = 250

/** Compares the texts of a conflict, within a time limit of a quarter of a second. */
export function compareConflict({ before, theirs }: PageConflict, mine: string): ComparedConflict {
  const budget: DiffBudget = startDiffBudget(budgetMs)
  if (before === null) return { mine: compareTexts(theirs ?? '', mine, budget), theirs: null, merged: null }
  return {
    mine: compareTexts(before, mine, budget),
    theirs: theirs === null ? null : compareTexts(before, theirs, budget),
    merged: theirs === null ? null : mergeTexts({ base: before, mine, theirs }, budget),
  }
}
