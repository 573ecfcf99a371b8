import { leader } from './text.ts'
import type { Line } from './page-parts.ts'

const pageNumber = /^(?:\d{1,4}|[ivxlc]{1,7})$/i

/** Whether a line is of a table of contents: a title, then dots or a wide gap, then a page number. */
export function isContentsLine(line: Line): boolean {
  if (leader.test(line.text)) return true
  const last = line.pieces.at(-1)
  return last !== undefined && last.hasTabBefore && pageNumber.test(last.text) && line.pieces.length > 1
}
