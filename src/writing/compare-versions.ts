import { loadAccountNames } from '../accounts/load-account-names.ts'
import type { ReadStores } from '../accounts/read-meter.ts'
import type { AccessibleBook, BookAccessStores } from '../books/access.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import { alignPages, type PagePair } from '../reading/align-pages.ts'
import { chargeAndRecordReads } from '../reading/charge-and-record-reads.ts'
import type { Manifest } from '../reading/manifest.ts'
import { openVersion } from '../reading/open-version.ts'
import { MissingPageError, pageRefs, type ContentStores } from '../reading/store.ts'
import type { ReadLogStores } from '../research/read-log-store.ts'
import type { SessionStores } from '../research/session-store.ts'
import { compareTexts, type TextStretch } from '../text/compare/compare-texts.ts'
import { startDiffBudget } from '../text/compare/diff-budget.ts'
import { presentVersions, type VersionEntry } from './version-entry.ts'

/** A page that differs between two versions; `before` or `after` is null if only one version has it. */
export interface PageDifference {
  before: number | null
  after: number | null
  /** Empty if the text is the same and was only stored again. */
  stretches: TextStretch[]
}

/** A part of the comparison of two versions. */
export interface VersionComparison {
  book: AccessibleBook
  from: VersionEntry
  to: VersionEntry
  /** All differing pages, without their texts. */
  pages: Omit<PageDifference, 'stretches'>[]
  /** The differing pages of this part. */
  part: PageDifference[]
  /** Number of differing pages before this part, and before the next one; null at the end. */
  start: number
  nextStart: number | null
}

interface ComparisonRequest {
  id: string
  from: number
  to: number
  /** Number of differing pages to skip. */
  start: number
}

const maxPagesInPart = 20
/** Maximum length of both texts in a part, UTF-16 code units; a part has at least one page. */
const maxCharactersInPart = 1_000_000
const budgetMs = 400

/**
 * Compares an earlier with a later version of a book, page by page. Does not read pages that both share. Refuses like
 * `openVersion`, and equal numbers with INVALID_INPUT. Charges one read.
 */
export async function compareVersions(
  ctx: Call & BookAccessStores & ContentStores & PublicAddress & ReadStores & SessionStores & ReadLogStores,
  { id, from, to, start }: ComparisonRequest,
): Promise<VersionComparison> {
  if (from >= to) throw new AppError('INVALID_INPUT', 'Choose two versions, the earlier one first.')
  const earlier = await openVersion(ctx, id, from)
  const { book, manifest } = await openVersion(ctx, id, to)
  const budget = startDiffBudget(budgetMs)
  const pairs = alignPages(earlier.manifest, manifest, budget).filter(({ same }) => !same)
  const texts = await loadPart(ctx, [earlier.manifest, manifest], pairs.slice(start, start + maxPagesInPart)).catch(
    async (error: unknown) => {
      // One of them may have been removed since it was looked up; then the second lookup refuses it.
      if (error instanceof MissingPageError) await Promise.all([openVersion(ctx, id, from), openVersion(ctx, id, to)])
      throw error
    },
  )
  const part = texts.map(({ pair, before, after }) => ({
    before: pair.before,
    after: pair.after,
    stretches: before === after ? [] : compareTexts(before, after, budget),
  }))
  const nameOf = await loadAccountNames(ctx, [earlier.manifest.createdBy, manifest.createdBy])
  const present = presentVersions(book, nameOf)
  const pages = texts.flatMap(({ pair, after }) =>
    pair.after === null ? [] : [{ content: after, pageNum: pair.after }],
  )
  await chargeAndRecordReads(ctx, [
    { id, title: book.title, ownerId: book.ownerId, pageCount: manifest.pageCount, pages },
  ])
  const end = start + part.length
  return {
    book,
    from: present(earlier.manifest),
    to: present(manifest),
    pages: pairs.map(({ before, after }) => ({ before, after })),
    part,
    start,
    nextStart: end < pairs.length ? end : null,
  }
}

interface PairTexts {
  pair: PagePair
  /** Empty if the version has no such page. */
  before: string
  after: string
}

/** Loads the texts of pairs until the part is full. */
async function loadPart(
  ctx: ContentStores,
  [from, to]: readonly [Manifest, Manifest],
  pairs: readonly PagePair[],
): Promise<PairTexts[]> {
  const loaded: PairTexts[] = []
  let characters = 0
  for (const pair of pairs) {
    if (characters > maxCharactersInPart) break
    const [before, after] = await Promise.all([loadText(ctx, from, pair.before), loadText(ctx, to, pair.after)])
    characters += before.length + after.length
    loaded.push({ pair, before, after })
  }
  return loaded
}

async function loadText({ contents }: ContentStores, manifest: Manifest, pageNum: number | null): Promise<string> {
  if (pageNum === null) return ''
  const [page] = await contents.passPages([...pageRefs(manifest, pageNum, pageNum)])
  return page?.content ?? ''
}
