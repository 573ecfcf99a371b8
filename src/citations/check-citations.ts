import { quotedFromField } from '../books/access.ts'
import { createPacer } from '../runtime/turns.ts'
import { openBooks } from '../reading/open-books.ts'
import { pageUrl, withQuote } from '../reading/page-url.ts'
import { isUnlocated, newFinding, type Finding } from './finding.ts'
import { maxPageCharacters } from './load-searchable-pages.ts'
import { searchNearbyPages } from './search-nearby-pages.ts'
import { searchCitedPages } from './search-cited-pages.ts'
import { searchWholeBooks } from './search-whole-books.ts'
import { resolveCitations, type UnresolvedCitation } from './resolve-citations.ts'
import type { CheckCitations, CheckedCitation, CheckedCitations, Problem } from './schema.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { ContentStores } from '../reading/store.ts'
import { unfinishedFields } from '../books/unfinished.ts'
import { retryIfPagesMissing } from '../reading/unfinished-manifest.ts'

/** The work limits of one call, in UTF-16 units: cited pages, pages near them, the rest of the books. */
const maxCitedCharacters = 8_000_000
const maxNearbyCharacters = 4_000_000
const maxElsewhereCharacters = 6_000_000

/**
 * Checks up to 50 quotations: whether each is on its cited page, and where; otherwise on which other pages it is, or which passage is most
 * similar. It shows hardly any text that the caller has not sent, so it charges no read. It never confirms text in a locked book or beyond
 * a preview.
 */
export async function checkCitations(
  ctx: Call & BookAccessStores & ContentStores & PublicAddress,
  input: CheckCitations,
): Promise<CheckedCitations> {
  return retryIfPagesMissing(() => checkOnce(ctx, input))
}

async function checkOnce(
  ctx: Call & BookAccessStores & ContentStores & PublicAddress,
  { citations }: CheckCitations,
): Promise<CheckedCitations> {
  const ids = citations.map(({ itemId }) => itemId)
  const opened = await openBooks(ctx, ids)
  const resolved = await resolveCitations(ctx, opened, citations)
  const findings = resolved.map((each) => ('problem' in each ? each : newFinding(each)))
  await locateQuotes(
    ctx,
    findings.filter((each) => 'target' in each),
  )
  const { notFound, locked } = opened
  const rows = findings.map((each) => ('target' in each ? presentFinding(ctx, each) : presentUnresolved(each)))
  return { citations: fitToBudget(ctx, rows), notFound, ...(locked.length > 0 ? { locked } : {}) }
}

async function locateQuotes(ctx: Call & ContentStores, findings: readonly Finding[]): Promise<void> {
  const pacer = createPacer(ctx.signal)
  await searchCitedPages(ctx, findings, { remaining: maxCitedCharacters, pacer })
  await searchNearbyPages(ctx, findings.filter(isUnlocated), { remaining: maxNearbyCharacters, pacer })
  await searchWholeBooks(ctx, findings.filter(isUnlocated), { remaining: maxElsewhereCharacters, pacer })
}

function presentUnresolved({ citation, book, problem }: UnresolvedCitation): CheckedCitation {
  const { itemId, page } = citation
  const head = { itemId, page, version: null, ...emptyResult, currentVersion: book?.version ?? null }
  return { ...head, url: null, ...(book ? unfinishedFields(book) : {}), problem }
}

const emptyResult = {
  found: false,
  match: null,
  start: null,
  end: null,
  endPage: null,
  otherPages: [],
  nearest: null,
  changed: null,
}

const notChecked: Problem = {
  code: 'NOT_CHECKED',
  message: `Not checked: too much text for one call. Check fewer citations per call. Pages of more than ${maxPageCharacters} characters cannot be checked.`,
}

function presentFinding(ctx: PublicAddress, finding: Finding): CheckedCitation {
  const { target, checked, match, endPage, changed, otherPages, complete, nearest } = finding
  const { citation, book, manifest } = target
  const { itemId, page } = citation
  const { version } = manifest
  const head = { itemId, page, version, currentVersion: book.version, ...unfinishedFields(book) }
  const url = pageUrl(ctx, { id: itemId, version, pageNum: page })
  if (!checked) return { ...emptyResult, ...head, url, problem: notChecked }
  if (match)
    return { ...emptyResult, ...head, found: true, ...match, endPage, changed, url: withQuote(url, citation.quote) }
  const incomplete = complete || otherPages.length > 0 ? {} : { incomplete: true as const }
  const passage = nearest?.page === page ? (nearest.passage ?? null) : null
  const source = nearest?.passage === undefined ? {} : quotedFromField(book)
  return {
    ...emptyResult,
    ...head,
    otherPages,
    ...incomplete,
    nearest,
    changed,
    url: passage === null ? url : withQuote(url, passage),
    ...source,
  }
}

/** Omits passages that exceed the budget of the answer; their positions stay. */
function fitToBudget(ctx: Call, rows: CheckedCitation[]): CheckedCitation[] {
  const { maxListCost } = ctx.budget
  if (maxListCost === Infinity) return rows
  const withoutPassages = rows.map((row) =>
    row.nearest?.passage === undefined
      ? row
      : { ...row, nearest: { ...row.nearest, passage: undefined }, url: row.url?.split('#')[0] ?? null },
  )
  let remaining = maxListCost - ctx.budget.cost(JSON.stringify(withoutPassages))
  return rows.map((row, at) => {
    if (row.nearest?.passage === undefined) return row
    remaining -= ctx.budget.cost(JSON.stringify([row.nearest.passage, row.url?.split('#')[1]]))
    return remaining >= 0 ? row : (withoutPassages[at] as CheckedCitation)
  })
}
