import type { TocEntry } from '../format.ts'
import type { Calibration } from './calibration.ts'
import { toHalfPoints } from './calibration.ts'
import type { Line } from './build-lines.ts'
import { leader, comparisonKey } from './text.ts'

/** A heading and the number of its lines. */
export interface HeadingMatch {
  level: number
  lineCount: number
  /** The entry of the outline that names the heading, if any. */
  tocEntry: TocEntry | null
}

/** The maximum number of lines of a heading. */
const maxLines = 3
/** The maximum length of a heading that is recognized only by its looks. */
const maxCharacters = 100
const numberPrefix = /^(?:\p{L}{4,10})?(?:\d{1,6}|[ivxlc]{1,6}|\p{L}\d{0,5})?$/u
const numberedTitle = /^(\d{1,3}(?:\.\d{1,3}){0,4})\.?\s+\p{Lu}/u

/**
 * Finds the headings of a page: the titles that the outline names for it, and lines that look like headings of this
 * book.
 */
export function findHeadings(
  regions: readonly (readonly Line[])[],
  titles: readonly TocEntry[],
  calibration: Calibration,
): Map<Line, HeadingMatch> {
  const found = new Map<Line, HeadingMatch>()
  for (const entry of titles) {
    const candidates = regions.map((lines) => ({ lines, taken: found }))
    const match = findTitle(candidates, entry, calibration)
    if (!match) continue
    found.set(match.line, { level: entry.level, lineCount: match.lines, tocEntry: entry })
    learnLevel(match.line, entry, calibration)
  }
  for (const lines of regions) {
    for (let index = 0; index < lines.length; index += 1) {
      const line = lines[index]
      if (!line) continue
      const named = found.get(line)
      const heading = named ?? headingByLooks(lines, index, calibration)
      if (!heading) continue
      if (!named) found.set(line, heading)
      index += heading.lineCount - 1
    }
  }
  return found
}

/**
 * In a book with an outline, only the font sizes of the headings that it names identify further ones; looks alone find
 * too many.
 */
function learnLevel(line: Line, entry: TocEntry, { headingLevels, size }: Calibration): void {
  const key = toHalfPoints(line.size)
  if (line.size >= size * 1.1 && !headingLevels.has(key)) headingLevels.set(key, entry.level)
}

function findTitle(
  regions: readonly { lines: readonly Line[]; taken: ReadonlyMap<Line, HeadingMatch> }[],
  entry: TocEntry,
  { size }: Calibration,
): { line: Line; lines: number } | null {
  const title = comparisonKey(entry.title)
  let best: { line: Line; lines: number } | null = null
  if (title === '') return null
  for (const { lines, taken } of regions) {
    for (const [index, line] of lines.entries()) {
      if (taken.has(line) || line.text.length > entry.title.length + 24) continue
      const count = countTitleLines(lines, index, title)
      if (count === 0 || (best && best.line.size >= line.size - 0.2)) continue
      if (line.size > size * 1.05 || line.bold > 0.5 || line.mono === 0) best = { line, lines: count }
    }
  }
  return best
}

/**
 * How many lines from `index` on form a title, comparing only letters and digits and ignoring a leading number; 0 if
 * they do not.
 */
function countTitleLines(lines: readonly Line[], index: number, title: string): number {
  const first = lines[index]
  let text = ''
  for (let count = 1; count <= maxLines; count += 1) {
    const line = lines[index + count - 1]
    if (!line || !first || (count > 1 && line.y - (lines[index + count - 2]?.y ?? 0) > line.size * 4)) return 0
    text += comparisonKey(line.text)
    if (text.endsWith(title) && numberPrefix.test(text.slice(0, -title.length))) return count
    if (text.length > title.length + 16) return 0
  }
  return 0
}

function headingByLooks(lines: readonly Line[], index: number, calibration: Calibration): HeadingMatch | null {
  const line = lines[index]
  if (!line || line.mono > 0.5 || !/\p{L}{2}/u.test(line.text) || leader.test(line.text)) return null
  const level = calibration.headingLevels.get(toHalfPoints(line.size))
  if (level === undefined) {
    const number = line.bold > 0.9 && line.text.length < maxCharacters ? numberedTitle.exec(line.text)?.[1] : undefined
    if (number === undefined || /[.,;]$/.test(line.text)) return null
    return { level: Math.min(6, number.split('.').length), lineCount: 1, tocEntry: null }
  }
  let count = 1
  for (; count < maxLines; count += 1) {
    const [above, below] = [lines[index + count - 1], lines[index + count]]
    if (!above || !below || toHalfPoints(below.size) !== toHalfPoints(line.size)) break
    if (below.y - above.y > line.size * 1.7) break
  }
  const text = lines.slice(index, index + count).map((part) => part.text)
  if (text.join(' ').length > maxCharacters * 1.5 || /[.,;:]$/.test(text.at(-1) ?? '')) return null
  return { level, lineCount: count, tocEntry: null }
}
