import type { ScannedHeading } from './block-scanner.ts'
import { BlockScanner } from './block-scanner.ts'

/**
 * Visits the top-level headings of a Markdown text from offset `begin` on (CommonMark 0.31 block structure). Takes
 * linear time.
 */
export function scanHeadings(text: string, begin: number, visit: (heading: ScannedHeading) => void): void {
  const scanner = new BlockScanner(text, visit)
  const hasReturns = text.includes('\r')
  let lineFeed = begin - 1
  let carriageReturn = begin - 1
  for (let start = begin; start < text.length;) {
    if (lineFeed < start) lineFeed = indexOrEnd(text, '\n', start)
    if (!hasReturns) {
      scanner.line(start, lineFeed)
      start = lineFeed + 1
      continue
    }
    if (carriageReturn < start) carriageReturn = indexOrEnd(text, '\r', start)
    const end = Math.min(lineFeed, carriageReturn)
    scanner.line(start, end)
    start = carriageReturn + 1 === lineFeed ? lineFeed + 1 : end + 1
  }
}

function indexOrEnd(text: string, mark: string, from: number): number {
  const index = text.indexOf(mark, from)
  return index < 0 ? text.length : index
}
