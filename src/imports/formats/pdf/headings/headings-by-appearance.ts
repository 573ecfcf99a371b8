import type { Calibration } from '../calibration.ts'
import { isContentsLine } from '../page/contents-lines.ts'
import type { HeadingMatch, Line } from '../page/page-parts.ts'
import { continuesBold, isBoldHeading } from './bold-headings.ts'
import { isSetApart, maxHeadingCharacters, minLargeSize, textEnd } from './set-apart.ts'
import { isChapterLabel, isRomanNumber } from './chapter-labels.ts'
import { isNextLine, toHalfPoints } from './heading-styles.ts'
import { isSectionHeading, sectionNumberOf, standsOut } from './section-numbers.ts'

/** The maximum number of lines of a heading. */
const maxLines = 3
/** Maximum distance of a label such as "Chapter 1" from its title, in ems. */
const maxLabelDistance = 5
/** The maximum number of lines of a label, such as "CHAPTER" above "ONE". */
const maxLabels = 2
/** The minimum number of tabs in a table row. A heading may have one after its number. */
const minTabs = 2
const maxLevel = 6
/** A title with a section number. */
export const numberedTitle = /^\d{1,3}(?:\.\d{1,3}){0,4}\.?\s+\p{Lu}/u

/** A page, and the headings found on it so far. */
export interface PageState {
  calibration: Calibration
  found: ReadonlyMap<Line, HeadingMatch>
  /** The number of labels directly above. */
  labels?: number
}

/**
 * The heading that begins at a line of a book without an outline: lines in a size of headings, bold lines, and numbered
 * ones. A label such as "Chapter 1" and the title below it are one heading. Null for other lines.
 */
export function headingByAppearance(lines: readonly Line[], index: number, page: PageState): HeadingMatch | null {
  const line = lines[index]
  if (!line || isContentsLine(line) || isRowOfTable(lines, index)) return null
  const heading = plainHeading(lines, index, page)
  const count = heading?.lineCount ?? 1
  const [last, below] = [lines[index + count - 1], lines[index + count]]
  const { labels = 0 } = page
  const canBeLabel = labels < maxLabels && (heading !== null || isLarge(line, page.calibration))
  if (!canBeLabel || !isChapterLabel(textOf(lines, index, count))) return heading
  const isClose = last && below && below.y > last.y && below.y - last.y < below.size * maxLabelDistance
  const title =
    isClose && !page.found.has(below)
      ? headingByAppearance(lines, index + count, { ...page, labels: labels + 1 })
      : null
  if (title === null) return heading
  return { ...title, level: Math.min(title.level, heading?.level ?? maxLevel), lineCount: count + title.lineCount }
}

function isLarge({ size }: Line, calibration: Calibration): boolean {
  return size >= calibration.size * minLargeSize
}

/** A heading without the title below a label. */
function plainHeading(lines: readonly Line[], index: number, page: PageState): HeadingMatch | null {
  const { calibration, found } = page
  const { size, headings } = calibration
  const line = lines[index] as Line
  if (isRomanNumber(line.text)) return null
  const ranked = line.mono <= 0.5 && /\p{L}{2}/u.test(line.text) ? levelBySize(lines, index, page) : null
  const section = ranked ?? sectionLevel(lines, index, calibration)
  const level = section ?? boldLevel(lines, index, calibration)
  if (level === null) return null
  let count = 1
  for (; ; count += 1) {
    const [above, below] = [lines[index + count - 1], lines[index + count]]
    if (!above || !below || found.has(below) || !isNextLine(above, below) || sectionNumberOf(below.text)) break
    if (ranked === null ? !continuesBold(above, below) : line.size < size * 1.1) break
    // Too many lines are a paragraph.
    if (count === maxLines) return null
  }
  const text = textOf(lines, index, count)
  const isSection = section !== null && sectionNumberOf(text) !== null
  if (text.length > maxHeadingCharacters * 1.5) return null
  if (textEnd.test(text) && !(isSection && text.endsWith('.') && standsOut(line, calibration))) return null
  if (!isSection && headings.labels.has(text)) return null
  return { level, lineCount: count, tocEntry: null }
}

function textOf(lines: readonly Line[], index: number, count: number): string {
  return lines
    .slice(index, index + count)
    .map(({ text }) => text)
    .join(' ')
}

function isRowOfTable(lines: readonly Line[], index: number): boolean {
  return isTableRow(lines[index]) && [lines[index - 1], lines[index + 1]].some(isTableRow)
}

/** Whether a line has several gaps that are as wide as those between the cells of a table. */
export function isTableRow(line: Line | undefined): boolean {
  return line !== undefined && line.pieces.filter(({ hasTabBefore }) => hasTabBefore).length >= minTabs
}

/** The level of a line in a size of headings; null for other sizes. */
function levelBySize(lines: readonly Line[], index: number, { calibration, found }: PageState): number | null {
  const { headings } = calibration
  const line = lines[index] as Line
  const key = toHalfPoints(line.size)
  if (!isLarge(line, calibration) || isParagraph(lines, index, found)) return null
  const level = headings.levels.get(key)
  if (level !== undefined) return level
  // The sample pages may include no title of a chapter. A page has one.
  const largest = Math.max(...headings.levels.keys(), ...headings.textSizes)
  const isFirst = ![...found.keys()].some(({ size }) => toHalfPoints(size) === key)
  return key > largest && isFirst && isSetApart(lines, index, calibration) ? 1 : null
}

/** Whether so many lines above have the same size that they are a paragraph. */
function isParagraph(lines: readonly Line[], index: number, found: ReadonlyMap<Line, HeadingMatch>): boolean {
  let first = index
  while (index - first < maxLines) {
    const [above, line] = [lines[first - 1], lines[first] as Line]
    if (!above || found.has(above) || !isNextLine(above, line)) return false
    first -= 1
  }
  return true
}

/** The level of a numbered line; null for other lines. */
function sectionLevel(lines: readonly Line[], index: number, calibration: Calibration): number | null {
  const { headings, size, leading } = calibration
  const line = lines[index] as Line
  const number = sectionNumberOf(line.text)
  if (!number) return null
  const isBold = line.bold > 0.9 && line.text.length < maxHeadingCharacters && numberedTitle.test(line.text)
  const isHeading =
    (isBold && line.mono <= 0.5) || isSectionHeading(lines, index, { size, leading, sections: headings.sections })
  return isHeading ? Math.max(1, Math.min(maxLevel, headings.levelAboveSections + number.length)) : null
}

/** The level of a bold heading in the size of the text; null for other lines. */
function boldLevel(lines: readonly Line[], index: number, calibration: Calibration): number | null {
  const line = lines[index] as Line
  if (line.mono > 0.5 || !isBoldHeading(lines, index, calibration)) return null
  return calibration.headings.boldLevels.get(toHalfPoints(line.size)) ?? null
}
