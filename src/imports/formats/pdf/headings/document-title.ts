import type { Calibration } from '../calibration.ts'
import { isContentsLine } from '../page/contents-lines.ts'
import { widthOf } from '../characters/text.ts'
import type { HeadingMatch, Line } from '../page/page-parts.ts'
import { sectionNumberOf } from './section-numbers.ts'

/** Minimum font size of a title, as a multiple of that of the body text. */
const minSizeShare = 1.25
const maxLines = 4
const maxCharacters = 200
/** The maximum difference between font sizes that count as equal, in points. */
const sizeTolerance = 0.5
/** Maximum distance between the lines of a title, in ems. */
const maxLeading = 2.2

/**
 * Finds the title of the document on its first page with text and adds it to `headings` at level 1. Outlines rarely
 * contain it. The title is the only text in the largest font, which is clearly larger than the body text, and no other
 * heading is as large.
 */
export function addDocumentTitle(
  headings: Map<Line, HeadingMatch>,
  regions: readonly (readonly Line[])[],
  { size: bodySize }: Calibration,
): void {
  const largest = Math.max(...regions.flat().map((line) => (line.text === '' ? 0 : line.size)))
  if (largest < bodySize * minSizeShare) return
  const isLargest = (line: Line) => line.text !== '' && line.size > largest - sizeTolerance
  const withTitle = regions.filter((lines) => lines.some(isLargest))
  const [lines = []] = withTitle
  const first = lines.findIndex(isLargest)
  const title = lines.filter(isLargest)
  const isOnePlace = withTitle.length === 1 && lines.slice(first, first + title.length).every(isLargest)
  if (!isOnePlace || !isTitle(title) || [...headings.keys()].some(isLargest)) return
  headings.set(title[0] as Line, { level: 1, lineCount: title.length, tocEntry: null })
}

/** Minimum width of a line of text. */
const minTextWidth = 30

/**
 * Removes from `headings` the lines of a title page that are in sizes of headings without text below them, such as
 * authors, a date or a version. Keeps the largest ones, which are the title, and numbered ones above
 * the first section of a lower level.
 */
export function dropTitlePageLines(headings: Map<Line, HeadingMatch>, regions: readonly (readonly Line[])[]): void {
  const lines = regions.flat()
  const largest = Math.max(...lines.map((line) => (line.text === '' ? 0 : line.size)))
  const further = new Set<Line>()
  for (const [index, line] of lines.entries())
    for (const own of lines.slice(index + 1, index + (headings.get(line)?.lineCount ?? 0))) further.add(own)
  let textSize = Infinity
  let levelsBelow = 0
  for (const line of lines.toReversed()) {
    const heading = headings.get(line)
    if (further.has(line)) continue
    if (!heading) {
      if (widthOf(line.text) >= minTextWidth || isContentsLine(line)) textSize = Math.min(textSize, line.size)
      continue
    }
    const levels = sectionNumberOf(line.text)?.length ?? 0
    const isAboveSection = levels > 0 && levels < levelsBelow
    const isKept = line.size >= Math.min(textSize, largest - sizeTolerance) || isAboveSection
    if (!isKept && heading.tocEntry === null) headings.delete(line)
    textSize = Infinity
    levelsBelow = levels
  }
}

function isTitle(lines: readonly Line[]): boolean {
  const text = lines.map((line) => line.text).join(' ')
  if (lines.length > maxLines || text.length > maxCharacters || !/\p{L}{2}/u.test(text)) return false
  return lines.every((line, index) => {
    const above = lines[index - 1]
    const isClose = !above || line.y - above.y <= line.size * maxLeading
    return isClose && line.mono < 0.5 && !line.formula && !isContentsLine(line)
  })
}
