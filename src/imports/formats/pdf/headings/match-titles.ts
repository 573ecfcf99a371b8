import type { TocEntry } from '../../format.ts'
import type { Calibration } from '../calibration.ts'
import { isContentsLine } from '../page/contents-lines.ts'
import { foldTitle, foldWithoutNumber, isFoldedNumber, titleSimilarity, withoutFoldedNumber } from '../../fold-title.ts'
import type { HeadingMatch, Line } from '../page/page-parts.ts'

interface Candidate {
  line: Line
  lineCount: number
  /** The largest font size of its lines. */
  size: number
}

/** The maximum number of lines of a title. */
const maxLines = 4
/** The maximum number of titles to find on one page. A hostile outline can list a page any number of times. */
const maxTitles = 300
/** The minimum similarity of a title that is written differently, for example with formulas or commands. */
const minSimilarity = 0.8

interface FoldedLine {
  line: Line
  key: string
}

/** Finds the lines that are titles in the outline of this page, by comparing folded letters and digits. */
export function matchTitles(
  regions: readonly (readonly Line[])[],
  titles: readonly TocEntry[],
  { size }: Calibration,
): Map<Line, HeadingMatch> {
  const found = new Map<Line, HeadingMatch>()
  if (titles.length === 0) return found
  const folded = regions.map((lines) => lines.map((line): FoldedLine => ({ line, key: foldTitle(line.text) })))
  const taken = new Set<Line>()
  const take = (entry: TocEntry, match: (lines: readonly FoldedLine[], index: number) => number): boolean => {
    const best = bestCandidate(folded, { taken, match, bodySize: size })
    if (!best) return false
    found.set(best.line, { level: entry.level, lineCount: best.lineCount, tocEntry: entry })
    for (const lines of regions) {
      const index = lines.indexOf(best.line)
      if (index >= 0) for (const line of lines.slice(index, index + best.lineCount)) taken.add(line)
    }
    return true
  }
  const inexact: TocEntry[] = []
  for (const entry of titles.slice(0, maxTitles)) {
    const title = foldWithoutNumber(entry.title)
    if (title === '') continue
    if (!take(entry, (lines, index) => countTitleLines(lines, index, { title, bodySize: size }))) inexact.push(entry)
  }
  for (const entry of inexact) {
    const title = foldWithoutNumber(entry.title)
    if (title.length >= 8) take(entry, (lines, index) => countSimilarLines(lines, index, { title, bodySize: size }))
  }
  return found
}

interface Title {
  /** The folded title without its number. */
  title: string
  bodySize: number
}

interface Search {
  taken: ReadonlySet<Line>
  match: (lines: readonly FoldedLine[], index: number) => number
  bodySize: number
}

/** The candidate in the largest font. Among equals, the one with the most lines, because it includes the number. */
function bestCandidate(
  regions: readonly (readonly FoldedLine[])[],
  { taken, match, bodySize }: Search,
): Candidate | null {
  let best: Candidate | null = null
  for (const lines of regions) {
    for (const [index, { line }] of lines.entries()) {
      if (taken.has(line)) continue
      const lineCount = match(lines, index)
      if (lineCount === 0) continue
      const own = lines.slice(index, index + lineCount).map((part) => part.line)
      if (own.some((part) => taken.has(part))) continue
      if (!(line.size > bodySize * 1.05 || line.bold > 0.5 || line.mono < 1)) continue
      const size = Math.max(...own.map((part) => part.size)) + (line.bold > 0.5 ? 0.1 : 0)
      if (best && (best.size > size + 0.2 || (best.size >= size - 0.2 && best.lineCount >= lineCount))) continue
      best = { line, lineCount, size }
    }
  }
  return best
}

/** The number of lines from `index` on that form the title, with or without its number; 0 if they do not. */
function countTitleLines(lines: readonly FoldedLine[], index: number, { title, bodySize }: Title): number {
  let text = ''
  for (let count = 1; count <= maxLines; count += 1) {
    const part = lines[index + count - 1]
    if (!part || (count > 1 && !isClose(lines[index + count - 2], part))) return 0
    if (isContentsLine(part.line) && /\p{N}$/u.test(part.key) && part.key !== title) return 0
    const isBefore = text.length + part.key.length <= title.length ? title.startsWith(text + part.key) : false
    if (count > 2 && !isBefore && !isFoldedNumber(lines[index]?.key ?? '')) return 0
    // A line that contains the whole title with its number is matched on its own.
    if (count > 1 && part.key.length > title.length && endsWithTitle(part.key, title)) return 0
    text += part.key
    if (endsWithTitle(text, title)) return count
    // A line that contains only the number, or the first words, must stand out like the title.
    if (text.length > title.length + 16 || !(isBefore || isProminent(part.line, bodySize))) return 0
  }
  return 0
}

/** Whether folded text is the title, optionally preceded by its number. */
function endsWithTitle(text: string, title: string): boolean {
  return text.endsWith(title) && isFoldedNumber(text.slice(0, text.length - title.length))
}

/** Whether a line is larger than the text or bold. */
export function isProminent(line: Line, bodySize: number): boolean {
  return line.size > bodySize * 1.08 || line.bold > 0.5
}

/** Like `countTitleLines`, but for a title that is written differently. All its lines must stand out. */
function countSimilarLines(lines: readonly FoldedLine[], index: number, { title, bodySize }: Title): number {
  let [best, bestSimilarity] = [0, minSimilarity]
  let text = ''
  for (let count = 1; count <= maxLines; count += 1) {
    const part = lines[index + count - 1]
    if (!part || (count > 1 && !isClose(lines[index + count - 2], part)) || isContentsLine(part.line)) break
    if (!isProminent(part.line, bodySize)) break
    text += part.key
    if (text.length > title.length * 3 + 16) break
    const withoutNumber = withoutFoldedNumber(text)
    const similarity = withoutNumber.startsWith(title)
      ? 0.99
      : Math.max(titleSimilarity(withoutNumber, title), titleSimilarity(text, title))
    if (similarity > bestSimilarity) [best, bestSimilarity] = [count, similarity]
  }
  return best
}

function isClose(above: FoldedLine | undefined, below: FoldedLine): boolean {
  return above !== undefined && below.line.y - above.line.y <= Math.max(below.line.size, above.line.size) * 4
}
