import type { Match } from './find-quote.ts'
import type { ResolvedCitation } from './resolve-citations.ts'
import type { Nearest } from './schema.ts'

/** What is known of a citation so far; the searches that follow each other add to it. */
export interface Finding {
  target: ResolvedCitation
  /** False while its page has not been looked at. */
  checked: boolean
  match: Match | null
  /** The page in which the match ends: the cited one or the next. */
  endPage: number
  /** The page has changed since the version; null until it is known. */
  changed: boolean | null
  otherPages: number[]
  /** Whether all pages that could hold the quotation were looked at. */
  complete: boolean
  nearest: Nearest | null
}

/** What is known of a citation before anything is read. */
export function newFinding(target: ResolvedCitation): Finding {
  const { page } = target.citation
  const unknown = { match: null, changed: null, nearest: null }
  return { target, checked: false, endPage: page, otherPages: [], complete: false, ...unknown }
}

/** True for a citation whose quotation has still to be looked for. */
export function isUnlocated({ checked, match, otherPages }: Finding): boolean {
  return checked && match === null && otherPages.length === 0
}

/** Findings by the version of the book that they are about, those of each in the order of their pages. */
export function groupByVersion(findings: readonly Finding[]): Finding[][] {
  const groups = [...Map.groupBy(findings, ({ target }) => target.manifest).values()]
  return groups.map((group) => group.sort((a, b) => a.target.citation.page - b.target.citation.page))
}
