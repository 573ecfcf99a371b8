import { openBooks } from '../reading/open-books.ts'
import { pageUrl } from '../reading/page-url.ts'
import { isMissing, newFinding, type Finding } from './finding.ts'
import { largestPage } from './load-searchable-pages.ts'
import { lookAround } from './search-nearby-pages.ts'
import { lookAtPages } from './search-cited-pages.ts'
import { lookThroughBooks } from './search-whole-books.ts'
import { resolveCitations, type Unresolved } from './resolve-citations.ts'
import type { CheckCitations, CheckedCitation, CheckedCitations, Problem } from './schema.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { ContentStores } from '../reading/store.ts'

/** What one call works through: of the cited pages, of those near them, and elsewhere. */
const mostCited = 8_000_000
const mostNear = 4_000_000
const mostElsewhere = 6_000_000

/**
 * Tells of up to 50 quotations whether each stands on the page that it is cited from, where, and where else or what is most
 * like it when it does not. Shows hardly any text that the caller has not sent, so it is free; what a preview or a locked
 * book hides is never confirmed.
 */
export async function checkCitations(
  ctx: Call & BookAccessStores & ContentStores & PublicAddress,
  { citations }: CheckCitations,
): Promise<CheckedCitations> {
  const ids = citations.map(({ itemId }) => itemId)
  const opened = await openBooks(ctx, ids)
  const resolved = await resolveCitations(ctx, opened, citations)
  const findings = resolved.map((each) => ('problem' in each ? each : newFinding(each)))
  await search(
    ctx,
    findings.filter((each) => 'target' in each),
  )
  const { notFound, locked } = opened
  const rows = findings.map((each) => ('target' in each ? showFinding(ctx, each) : showUnresolved(each)))
  return { citations: fitting(ctx, rows), notFound, ...(locked.length > 0 ? { locked } : {}) }
}

async function search(ctx: Call & ContentStores, findings: readonly Finding[]): Promise<void> {
  await lookAtPages(ctx, findings, { left: mostCited })
  await lookAround(ctx, findings.filter(isMissing), { left: mostNear })
  await lookThroughBooks(ctx, findings.filter(isMissing), { left: mostElsewhere })
}

function showUnresolved({ citation, book, problem }: Unresolved): CheckedCitation {
  const { itemId, page } = citation
  return { itemId, page, version: null, ...nothing, currentVersion: book?.version ?? null, url: null, problem }
}

const nothing = {
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
  message: `Too much text for one call: check fewer citations at once. Pages of more than ${largestPage} characters cannot be checked.`,
}

function showFinding(ctx: PublicAddress, finding: Finding): CheckedCitation {
  const { target, checked, match, endPage, changed, otherPages, complete, nearest } = finding
  const { citation, book, manifest } = target
  const { itemId, page } = citation
  const { version } = manifest
  const head = { itemId, page, version, currentVersion: book.version }
  const url = pageUrl(ctx, { id: itemId, version, pageNum: page })
  if (!checked) return { ...nothing, ...head, url, problem: notChecked }
  if (match) return { ...nothing, ...head, found: true, ...match, endPage, changed, url }
  const cut = complete || otherPages.length > 0 ? {} : { incomplete: true as const }
  return { ...nothing, ...head, otherPages, ...cut, nearest, changed, url }
}

/** Leaves out the passages that an answer has no room for; their places stay. */
function fitting(ctx: Call, rows: CheckedCitation[]): CheckedCitation[] {
  const { list } = ctx.budget
  if (list === Infinity) return rows
  const bare = rows.map((row) => (row.nearest ? { ...row, nearest: { ...row.nearest, passage: undefined } } : row))
  let left = list - ctx.budget.cost(JSON.stringify(bare))
  return rows.map((row, at) => {
    left -= ctx.budget.cost(JSON.stringify(row.nearest?.passage ?? ''))
    return left >= 0 ? row : (bare[at] as CheckedCitation)
  })
}
