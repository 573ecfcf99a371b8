import type { Match } from './find-quote.ts'
import type { ResolvedCitation } from './resolve-citations.ts'
import type { Nearest } from './schema.ts'

/** The state of one citation. The searches run one after the other and complete it. */
export interface Finding {
  target: ResolvedCitation
  /** True if the cited page was searched. */
  checked: boolean
  match: Match | null
  /** The page on which the match ends: the cited one or the next. */
  endPage: number
  /** True if the page has changed since the cited version; null: not known yet. */
  changed: boolean | null
  otherPages: number[]
  /** True if all pages that could contain the quotation were searched. */
  complete: boolean
  nearest: Nearest | null
}

/** Returns the initial state of a citation, before any page is read. */
export function newFinding(target: ResolvedCitation): Finding {
  const { page } = target.citation
  const noResult = { match: null, changed: null, nearest: null }
  return { target, checked: false, endPage: page, otherPages: [], complete: false, ...noResult }
}

/** True if the quotation has not been found so far. */
export function isUnlocated({ checked, match, otherPages }: Finding): boolean {
  return checked && match === null && otherPages.length === 0
}

/** Groups findings by book version, each group in page order. */
export function groupByVersion(findings: readonly Finding[]): Finding[][] {
  const groups = [...Map.groupBy(findings, ({ target }) => target.manifest).values()]
  return groups.map((group) => group.sort((a, b) => a.target.citation.page - b.target.citation.page))
}
