import { countCharacters } from '../characters/count-characters.ts'
import { extentOf } from '../page/extent.ts'
import { divideAtLine, overfullLines } from './overfull-lines.ts'
import type { Segment } from '../page/page-parts.ts'
import { startsMidSentence } from '../page/segments.ts'

/** The segments on one baseline of a column. */
interface Row {
  x0: number
  y: number
  size: number
  characters: number
  isInside: boolean
}

/** Maximum distance between baselines that count as equal, in ems. */
const maxShift = 0.05
/** Maximum line distance of a paragraph or a list, in ems. */
const maxLeading = 1.7
const minRows = 2
/** The maximum share of rows of the shorter side that coincide with a baseline of the other side by chance. */
const maxShared = 0.25
/** The minimum share of rows of the shorter side that are between two lines of a paragraph. */
const minBetween = 0.2
/** Minimum number of rows of the shorter side, relative to the longer one. With fewer rows it contains margin notes. */
const minRowShare = 0.45
/** Minimum number of characters in a line of a paragraph. */
const minCharacters = 24
/** If more than this share of widely spaced rows start at one edge, they are cells of a table. */
const maxAligned = 0.5
/**
 * Maximum width of margin notes, relative to the page. Narrow text on the left consists of terms; on the right it is a
 * column only if it has enough rows.
 */
const maxNoteShare = 0.3
const minNarrowRows = 8
/** Minimum number of segments at the left edge of a column, and maximum number of edges that are tried. */
const minAtEdge = 3
const maxEdges = 4
/** Height of a blank strip across the page that ends the columns, in ems. */
const maxSpace = 3

/** Two columns side by side on part of a page. */
export interface ColumnPair {
  left: Segment[]
  right: Segment[]
}

/**
 * The largest part of a page with two columns whose lines do not share baselines, such as a letter beside a column of
 * addresses, a poster, captions side by side or a drawing beside a question. The rows of a table share theirs. Returns
 * null if there is none.
 */
export function findIndependentColumns(segments: readonly Segment[]): ColumnPair | null {
  const sorted = segments.toSorted((a, b) => a.y - b.y)
  const { x0, x1 } = extentOf(segments)
  const narrow = (x1 - x0) * maxNoteShare
  let best: ColumnPair | null = null
  for (const edge of columnEdges(segments)) {
    for (const pair of pairsAt(edge, sorted)) {
      if (pair.left.length + pair.right.length <= (best ? best.left.length + best.right.length : 0)) continue
      if (areIndependent(pair, narrow)) best = pair
    }
  }
  return best
}

/** Positions just before the edges at which most segments begin, except for the leftmost edge. */
function columnEdges(segments: readonly Segment[]): number[] {
  const counts = new Map<number, { count: number; x0: number }>()
  for (const { x0, table } of segments) {
    if (table) continue
    const key = Math.round(x0 / 2)
    const entry = counts.get(key) ?? { count: 0, x0 }
    counts.set(key, { count: entry.count + 1, x0: Math.min(entry.x0, x0) })
  }
  const first = Math.min(...segments.map(({ x0 }) => x0))
  return [...counts.values()]
    .filter(({ count, x0 }) => count >= minAtEdge && x0 > first + 2)
    .sort((a, b) => b.count - a.count)
    .slice(0, maxEdges)
    .map(({ x0 }) => x0 - 0.5)
}

/**
 * The segments on both sides of a vertical line. Segments that cross the line and blank strips across the page separate
 * the pairs.
 */
function pairsAt(x: number, sorted: readonly Segment[]): ColumnPair[] {
  const pairs: ColumnPair[] = [{ left: [], right: [] }]
  const overfull = overfullLines(divideAtLine(sorted, x))
  let last: Segment | undefined
  for (const segment of sorted) {
    if (last && segment.y - last.y > segment.size * maxSpace) pairs.push({ left: [], right: [] })
    last = segment
    const pair = pairs.at(-1) as ColumnPair
    if (segment.x1 <= x || overfull.has(segment)) pair.left.push(segment)
    else if (segment.x0 >= x) pair.right.push(segment)
    else if (pair.left.length + pair.right.length > 0) pairs.push({ left: [], right: [] })
  }
  return pairs
}

function areIndependent({ left, right }: ColumnPair, narrow: number): boolean {
  const isLeftNarrow = widthOf(left) < narrow
  if (isLeftNarrow || [left, right].some((side) => side.length < minRows || isCodeOrRtl(side))) return false
  if (widthOf(right) < narrow && right.length < minNarrowRows) return false
  if (![left, right].some((side) => side.some(startsMidSentence))) return false
  const [a, b] = overlapOf(rowsOf(left), rowsOf(right))
  return isBesideProse(a, b) || isBesideProse(b, a)
}

function widthOf(side: readonly Segment[]): number {
  const { x0, x1 } = extentOf(side)
  return x1 - x0
}

/**
 * Excludes command names, which are beside their descriptions, and right-to-left text, whose columns have another
 * order.
 */
function isCodeOrRtl(side: readonly Segment[]): boolean {
  const runs = side.flatMap((segment) => segment.runs)
  return (
    runs.some(({ rtl }) => rtl) || countCharacters(runs.filter(({ font }) => font.mono)) > countCharacters(runs) / 2
  )
}

/** Whether rows are beside the lines of paragraphs without sharing their baselines. */
function isBesideProse(prose: readonly Row[], rows: readonly Row[]): boolean {
  if (rows.length < Math.max(minRows, prose.length * minRowShare) || prose.length < minRows) return false
  const [shorter, longer] = rows.length < prose.length ? [rows, prose] : [prose, rows]
  const shared = shorter.filter((row) => longer.some((other) => sharesBaseline(row, other))).length
  if (shared > shorter.length * maxShared) return false
  const between = rows.filter((row) => isInsideParagraph(row, prose)).length
  if (between === 0 || between < Math.min(rows.length, prose.length) * minBetween) return false
  return isDense(rows) || !isAligned(rows)
}

function sharesBaseline(row: Row, other: Row): boolean {
  return Math.abs(row.y - other.y) <= Math.max(row.size, other.size) * maxShift
}

/** Whether the baseline of a row is between two lines of one paragraph. */
function isInsideParagraph({ y }: Row, prose: readonly Row[]): boolean {
  const at = prose.findIndex((line) => line.y > y)
  const [above, below] = [prose[at - 1], prose[at]]
  if (!above || !below) return false
  const isParagraph = below.isInside && below.y - above.y < below.size * maxLeading && above.characters >= minCharacters
  return isParagraph && y - above.y > above.size * maxShift && below.y - y > below.size * maxShift
}

/** Whether most rows are close to another row. Lines of text are; vertically centred cells of a table are not. */
function isDense(rows: readonly Row[]): boolean {
  const close = rows.filter(({ y, size }, index) => {
    const [above, below] = [rows[index - 1]?.y ?? -Infinity, rows[index + 1]?.y ?? Infinity]
    return Math.min(y - above, below - y) < size * maxLeading
  })
  return close.length > rows.length / 2
}

/** Whether most rows begin at the same edge. */
function isAligned(rows: readonly Row[]): boolean {
  return rows.some(({ x0, size }) => {
    const aligned = rows.filter((other) => Math.abs(other.x0 - x0) < size * 0.3)
    return aligned.length > rows.length * maxAligned
  })
}

/** The rows of both sides in the vertical range that both cover. */
function overlapOf(a: readonly Row[], b: readonly Row[]): [Row[], Row[]] {
  const top = Math.max(a[0]?.y ?? 0, b[0]?.y ?? 0)
  const bottom = Math.min(a.at(-1)?.y ?? 0, b.at(-1)?.y ?? 0)
  const inside = ({ y, size }: Row): boolean => y > top - size && y < bottom + size
  return [a.filter(inside), b.filter(inside)]
}

function rowsOf(side: readonly Segment[]): Row[] {
  const rows: Row[] = []
  for (const segment of side.toSorted((a, b) => a.y - b.y)) {
    const { x0, y, size, runs } = segment
    const characters = countCharacters(runs)
    const row = rows.at(-1)
    if (row && y - row.y < size * 0.4) {
      row.characters += characters
      if (x0 >= row.x0) continue
      row.x0 = x0
      row.isInside = startsMidSentence(segment)
    } else rows.push({ x0, y, size, characters, isInside: startsMidSentence(segment) })
  }
  return rows
}
