import { toHalfPoints } from './heading-styles.ts'
import type { Line } from '../page/page-parts.ts'
import { maxShift } from '../page/paragraphs.ts'
import { isSetApart, maxHeadingCharacters, minLargeSize, type BodyText } from './set-apart.ts'

/** Minimum size of bold headings, relative to the text. */
const minSize = 0.95
/** Minimum share of bold characters in a bold line. */
const minBold = 0.9
/** Minimum number of headings of one size, and minimum share of the bold lines in that size that look like headings. */
const minCount = 2
const minShare = 0.6
/** Maximum share of bold headings in the lines of a book, if they are more than a few. */
const maxShare = 0.12
const minFlood = 10
/** How often a label repeats at least on the sample pages. */
const minRepeats = 3
/** Maximum size of a label, relative to the text. */
const maxLabelSize = 1.6
/** How many lines above and below a term are examined. */
const nearby = 60
/** The start of a title, not a bullet. */
const titleStart = /^[\p{L}\p{N}("'“„«‘¿¡§[]/u
/** Maximum distance of the lines of a bold heading, in ems. */
const maxLeading = 1.7

/**
 * The font sizes of bold headings that are not clearly larger than the text, in half points. `lines` are those of
 * sample pages, from top to bottom.
 */
export function boldHeadingSizes(lines: readonly Line[], body: BodyText): Set<number> {
  const counts = new Map<number, { bold: number; headings: number }>()
  for (const [index, line] of lines.entries()) {
    if (!isBold(line, body) || !titleStart.test(line.text) || continuesBold(lines[index - 1], line)) continue
    const count = counts.get(toHalfPoints(line.size)) ?? { bold: 0, headings: 0 }
    count.bold += 1
    if (isBoldHeading(lines, index, body)) count.headings += 1
    counts.set(toHalfPoints(line.size), count)
  }
  const found = [...counts].filter(
    ([, { bold, headings }]) =>
      headings >= Math.max(minCount, bold * minShare) && headings <= Math.max(minFlood, lines.length * maxShare),
  )
  return new Set(found.map(([size]) => size))
}

/**
 * The texts of bold lines that are labels such as "Returns" or "Note": they repeat on the sample pages, and on one of
 * them. Titles such as "Exercises" repeat from chapter to chapter.
 */
export function repeatedBoldLines(lines: readonly Line[], body: BodyText): Set<string> {
  const counts = new Map<string, number>()
  const onPage = new Set<string>()
  const twice = new Set<string>()
  for (const [index, { text, size, bold, y }] of lines.entries()) {
    if (y < (lines[index - 1]?.y ?? 0)) onPage.clear()
    if (bold <= minBold || size < body.size * minSize || size > body.size * maxLabelSize) continue
    if (onPage.has(text)) twice.add(text)
    onPage.add(text)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return new Set([...twice].filter((text) => (counts.get(text) ?? 0) >= minRepeats))
}

/** Whether a line is bold as a whole, short, and set apart from the line above it, as a heading in the size of the text. */
export function isBoldHeading(lines: readonly Line[], index: number, body: BodyText): boolean {
  const line = lines[index]
  if (!line || !isBold(line, body) || line.text.length > maxHeadingCharacters) return false
  if (!titleStart.test(line.text) || !/\p{L}{2}/u.test(line.text) || /[.,;:]$/.test(line.text)) return false
  return !isTerm(lines, index) && isSetApart(lines, index, body)
}

function isBold({ bold, mono, size, pieces }: Line, body: BodyText): boolean {
  const isSize = size >= body.size * minSize && size < body.size * minLargeSize
  return isSize && bold > minBold && mono < 0.5 && !pieces.some(({ hasTabBefore }) => hasTabBefore)
}

/** Whether a line is directly below another bold one: the second line of a heading, or part of a bold paragraph. */
export function continuesBold(above: Line | undefined, line: Line): boolean {
  if (above === undefined || above.bold <= minBold || line.bold <= minBold) return false
  if (toHalfPoints(above.size) !== toHalfPoints(line.size) || !titleStart.test(line.text)) return false
  return line.y > above.y && line.y - above.y < above.size * maxLeading
}

/** Whether the line below is indented while other text begins at the same edge: a term with its description. */
function isTerm(lines: readonly Line[], index: number): boolean {
  const [line, below] = [lines[index], lines[index + 1]]
  if (!line || !below || below.x0 < line.x0 + line.size * maxShift) return false
  const near = lines.slice(Math.max(0, index - nearby), index + nearby)
  return near.some(
    ({ x0, bold, pieces }) =>
      bold < 0.5 && Math.abs(x0 - line.x0) < line.size * 0.2 && !pieces.some(({ hasTabBefore }) => hasTabBefore),
  )
}
