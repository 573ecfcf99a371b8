import { extentOf } from '../page/extent.ts'
import { divideAtLine } from './overfull-lines.ts'
import type { Segment } from '../page/page-parts.ts'
import { measureSide, type SideMetrics } from './side-metrics.ts'

/** The numbers of columns that are tried, the most probable one for a reference card first. Two may consist of four. */
const columnCounts = [3, 4, 2]
/** Limit on the segments of a page. A page with more is a drawing or hostile. */
const maxSegments = 3_000
/** How far an edge may be from an even division of the page, relative to the width of a column. */
const maxOffset = 0.15
/** How far the distance between two edges may differ from that of the others, in points. */
const maxDifference = 3
/** Minimum number of rows of a column, and of segments that begin at its edge. */
const minRows = 12
const minAtEdge = 4
/** Minimum number of cells per row, on average over all columns. Columns of text have one. */
const minCells = 1.3
/** Minimum number of characters per row and density of rows. Drawings, such as the board of a game, have less. */
const minCharacters = 12
const minDensity = 0.5
/** Maximum median width of a row, relative to its column. Lines of paragraphs are wider. */
const maxFill = 0.85
/** Maximum share of rows of the shorter one of two columns with a baseline of the other one. The rows of a table share theirs. */
const maxShared = 0.5
/** How much baselines that count as equal may differ, in ems. */
const maxShift = 0.05

/**
 * The columns of a reference card: equal columns that each contain commands beside their descriptions. Text above and
 * below the columns is in separate parts. Returns null for other pages, whose gutters are found by the text in their
 * columns.
 */
export function findCardColumns(segments: readonly Segment[]): Segment[][] | null {
  if (segments.length < 4 * minRows || segments.length > maxSegments) return null
  for (const count of columnCounts) {
    const edges = findEdges(segments, count)
    const parts = edges && divide(segments, edges)
    if (parts && areCardColumns(parts.columns)) return [parts.above, ...parts.columns, parts.below].filter(isFilled)
  }
  return null
}

function isFilled(part: readonly Segment[]): boolean {
  return part.length > 0
}

/** The left edges of columns at equal distances, each the edge at which most segments near its place begin. */
function findEdges(segments: readonly Segment[], count: number): number[] | null {
  const { x0, x1 } = extentOf(segments)
  const pitch = (x1 - x0) / count
  const edges = Array.from({ length: count }, (_, column) =>
    commonEdge(segments, x0 + column * pitch, pitch * maxOffset),
  )
  const [start, second] = edges
  if (start == null || second == null) return null
  const areEven = edges.every(
    (edge, column) => edge !== null && Math.abs(edge - start - column * (second - start)) <= maxDifference,
  )
  return areEven ? (edges as number[]) : null
}

/** The x at which most segments begin, among those within `reach` of a place. */
function commonEdge(segments: readonly Segment[], place: number, reach: number): number | null {
  const counts = new Map<number, number>()
  for (const { x0 } of segments) {
    if (Math.abs(x0 - place) <= reach) counts.set(Math.round(x0), (counts.get(Math.round(x0)) ?? 0) + 1)
  }
  const [edge, atEdge] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a), [NaN, 0])
  return atEdge >= minAtEdge ? edge : null
}

interface Parts {
  above: Segment[]
  columns: Segment[][]
  below: Segment[]
}

/** Divides a page before each edge. Returns null if text crosses a gutter between the first and the last rows. */
function divide(segments: readonly Segment[], [, ...edges]: readonly number[]): Parts | null {
  const gutters = edges.map((edge) => edge - 1)
  // A title may cross several gutters.
  const crossing = new Set(gutters.flatMap((x) => divideAtLine(segments, x).spanning))
  const others = segments.filter((segment) => !crossing.has(segment))
  const columns = [-Infinity, ...gutters].map((left, at) =>
    others.filter(({ x0 }) => x0 >= left && x0 < (gutters[at] ?? Infinity)),
  )
  const tops = columns.map((column) => Math.min(...column.map(({ y }) => y)))
  const bottoms = columns.map((column) => Math.max(...column.map(({ y }) => y)))
  const above = [...crossing].filter(({ y }) => y <= Math.min(...tops))
  const below = [...crossing].filter(({ y }) => y >= Math.max(...bottoms))
  return above.length + below.length === crossing.size ? { above, columns, below } : null
}

function areCardColumns(columns: readonly Segment[][]): boolean {
  const sides = columns.map(measureSide)
  const isCard = sides.every(isCardColumn) && mean(sides.map(({ cells }) => cells)) >= minCells
  return isCard && columns.slice(1).every((column, at) => haveDifferentBaselines(column, columns[at] as Segment[]))
}

function isCardColumn({ rows, characters, density, fill }: SideMetrics): boolean {
  return rows >= minRows && characters >= minCharacters && density >= minDensity && fill <= maxFill
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function haveDifferentBaselines(one: readonly Segment[], other: readonly Segment[]): boolean {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one]
  const shared = shorter.filter(({ y, size }) => longer.some((beside) => Math.abs(beside.y - y) <= size * maxShift))
  return shared.length <= shorter.length * maxShared
}
