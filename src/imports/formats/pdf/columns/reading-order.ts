import { extentOf, median } from '../page/extent.ts'
import type { Extent } from '../page/extent.ts'
import { findIndependentColumns } from './independent-columns.ts'
import { sparsestPlaces, emptyStrips } from './gutter-strips.ts'
import { nextBelow, splitTail } from './column-tails.ts'
import { divideAtLine, overfullLines } from './overfull-lines.ts'
import type { Gutter } from './overfull-lines.ts'
import type { Segment } from '../page/page-parts.ts'
import { startsMidSentence, textOf } from '../page/segments.ts'
import { countRows, measureSide } from './side-metrics.ts'
import { isIndex, isIndexEntry, leader } from '../characters/text.ts'
import type { SideMetrics } from './side-metrics.ts'

/** Maximum nesting depth of columns. Deeper structures are tables. */
const maxDepth = 4
const minRows = 4
/** Minimum number of segments in a part of a page that may have its own columns. */
const minBandSegments = 6
/** Requirements on columns that cover only part of a page: rows on each side, and characters per row. */
const minBandRows = 6
const minBandCharacters = 24
/**
 * Maximum difference in cells per row between two columns of an index. Minimum share of the rows of a part of a table
 * that are level with those of the other, minimum share of rows that both have, and minimum share that begin at one edge.
 */
const maxCellDifference = 0.7
const minLevelRows = 0.9
const minCommonRows = 0.8
const minAligned = 0.7
/** How much the distances of cells may differ between columns of an index, in points. */
const maxShift = 6
/** Maximum line distance of a paragraph, in ems. */
const maxLeading = 1.5
/** Minimum density of lines of prose, and of a column with headings and gaps. */
const minDensity = 0.7
const minSparseDensity = 0.5
/** The minimum share of lines of running text that begin with a lower-case letter. */
const minRunning = 0.4
/** Minimum number of characters per row in a table of contents or list beside prose. */
const minColumnCharacters = 10
/** Minimum share of segments that end at the right edge of text, and maximum number that run over it. */
const minAtEdge = 1 / 12
const maxOverfull = 3
/** Minimum number of rows with leader dots, and share of rows with page numbers, in a column of a table of contents. */
const minLeaders = 2
const minEntries = 0.6

/**
 * Divides a page into regions in reading order at gutters. Segments that span a gutter divide the columns vertically.
 */
export function readingOrder(segments: readonly Segment[], depth = 0): Segment[][] {
  const gutter = depth < maxDepth && segments.length >= 2 * minRows ? findGutter(segments, depth) : null
  if (!gutter) return orderBand(segments, depth) ?? (segments.length > 0 ? [[...segments]] : [])
  const regions: Segment[][] = []
  const overfull = overfullLines(gutter)
  const spanning = gutter.spanning.filter((segment) => !overfull.has(segment)).sort((a, b) => a.y - b.y)
  const leftSide = [...gutter.left, ...overfull]
  let top = -Infinity
  let pending: Segment[] = []
  const flush = (): void => {
    if (pending.length > 0) regions.push(pending)
    pending = []
  }
  for (const bottom of [...spanning, null]) {
    const limit = bottom?.y ?? Infinity
    const inBand = (segment: Segment): boolean => segment.y > top && segment.y <= limit
    const [left, right] = [leftSide.filter(inBand), gutter.right.filter(inBand)]
    if (Math.min(countRows(left), countRows(right)) < 2) {
      pending.push(...left, ...right)
    } else {
      flush()
      const [column, tail] = splitTail(left, right, bottom)
      regions.push(...readingOrder(column, depth + 1), ...readingOrder(right, depth + 1))
      pending.push(...tail)
    }
    if (bottom) pending.push(bottom)
    top = limit
  }
  flush()
  return regions
}

/** The regions of a page with columns only in one part: the text above, the columns, and the text below. */
function orderBand(segments: readonly Segment[], depth: number): Segment[][] | null {
  if (depth >= maxDepth || segments.length < minBandSegments) return null
  const wide = segments.length >= 4 * minBandRows ? findBand(segments) : null
  const band = wide ?? findIndependentColumns(segments)
  if (!band) return null
  // Short lines above the columns on one side belong to the text above. Interleaved lines begin on different baselines.
  const slack = wide ? 2 : median(segments.map(({ size }) => size)) * 1.3
  const top = Math.max(...[band.left, band.right].map((side) => Math.min(...side.map(({ y }) => y)))) - slack
  const whole = band.left.filter(({ y }) => y >= top)
  const start = startOfText(band.right, top)
  const right = band.right.filter(({ y }) => y >= start)
  const [left] = splitTail(whole, right, nextBelow(segments, [...whole, ...right]))
  const inside = new Set([...left, ...right])
  const others = segments.filter((segment) => !inside.has(segment))
  const [above, below] = [others.filter(({ y }) => y < top), others.filter(({ y }) => y >= top)]
  return [above, left, right, below].flatMap((part) => readingOrder(part, depth + 1))
}

/** The baseline at which the text begins that continues below `top`: lines above it that are close to each other. */
function startOfText(side: readonly Segment[], top: number): number {
  let start = Infinity
  for (const { y, size } of side.toSorted((a, b) => b.y - a.y)) {
    if (y < top && start - y > size * maxLeading) break
    start = y
  }
  return start
}

/** The largest full-width part of a page with two equal columns of prose. */
function findBand(segments: readonly Segment[]): Gutter | null {
  const extent = extentOf(segments)
  const size = median(segments.map((segment) => segment.size))
  const sorted = segments.toSorted((a, b) => a.y - b.y)
  let best: Gutter | null = null
  for (const x of sparsestPlaces(segments, extent, size * 0.7)) {
    for (const gutter of bandsAt(x, sorted)) {
      if (gutter.left.length + gutter.right.length <= (best ? best.left.length + best.right.length : 0)) continue
      if (areEqualColumns(gutter, extent)) best = gutter
    }
  }
  return best
}

/** The parts of a page between segments that cross a vertical line. */
function bandsAt(x: number, sorted: readonly Segment[]): Gutter[] {
  const bands: Gutter[] = [{ x, left: [], right: [], spanning: [] }]
  const overfull = overfullLines(divideAtLine(sorted, x))
  for (const segment of sorted) {
    const band = bands.at(-1) as Gutter
    if (segment.x1 <= x || overfull.has(segment)) band.left.push(segment)
    else if (segment.x0 >= x) band.right.push(segment)
    else if (band.left.length + band.right.length > 0) bands.push({ x, left: [], right: [], spanning: [] })
  }
  return bands
}

/** Whether both sides of a band are columns: two of prose or of contents, or prose beside headings, a list or contents. */
function areEqualColumns({ left, right }: Gutter, extent: Extent): boolean {
  const [a, b] = [left, right].map((side) => (side.length < minBandRows ? null : measureSide(side)))
  if (!a || !b || Math.min(a.rows, b.rows) < minBandRows) return false
  if (isBandProse(a) && isBandProse(b)) {
    const isDense = Math.max(a.density, b.density) >= minDensity
    return isDense && Math.abs(a.width - b.width) <= Math.max(a.width, b.width) * 0.1
  }
  if (isContents(left) && isContents(right)) return Math.abs(a.width - b.width) <= Math.max(a.width, b.width) * 0.1
  if (Math.min(a.rows, b.rows) < Math.max(a.rows, b.rows) / 2) return false
  const pitch = b.x0 - a.x0
  const [prose, other, room] = isBandProse(a) ? [a, b, extent.x1 - b.x0] : [b, a, pitch]
  const isColumn = isBandProse(prose) && prose.density >= minDensity && Math.abs(room - prose.width) <= pitch * 0.1
  return (
    isColumn &&
    isRunning(prose === a ? left : right) &&
    other.characters >= minColumnCharacters &&
    other.cells < 1.3 &&
    other.density >= minSparseDensity
  )
}

/** Whether a column is part of a table of contents: most rows end with page numbers, several of them after leader dots. */
function isContents(side: readonly Segment[]): boolean {
  const rows = [...Map.groupBy(side, ({ y }) => Math.round(y)).values()].map((row) =>
    row
      .toSorted((a, b) => a.x0 - b.x0)
      .map(textOf)
      .join(' '),
  )
  const withLeader = rows.filter((row) => leader.test(row))
  return withLeader.length >= minLeaders && rows.filter(isIndexEntry).length >= rows.length * minEntries
}

/** Whether many lines begin in the middle of a sentence. Lines of a paragraph do; cells of a table do not. */
function isRunning(side: readonly Segment[]): boolean {
  return side.filter(startsMidSentence).length >= side.length * minRunning
}

/** Whether a side of a band has full lines. Headings and lists between them leave gaps. */
function isBandProse({ characters, fill, cells, density }: SideMetrics): boolean {
  return characters >= minBandCharacters && fill >= 0.85 && cells < 1.3 && density >= minSparseDensity
}

/** The right edge of text. A few lines that run over an edge that many lines share do not belong to it. */
function rightEdge(segments: readonly Segment[]): number {
  const ends = segments.map(({ x1 }) => x1).sort((a, b) => b - a)
  const atEdge = Math.ceil(segments.length * minAtEdge)
  const edge = ends.slice(0, maxOverfull + 1).find((end, index) => end - (ends[index + atEdge] ?? -Infinity) < 1)
  return edge ?? ends[0] ?? 0
}

/** The gutter between two columns of text; null if there is none. */
export function findGutter(segments: readonly Segment[], depth: number): Gutter | null {
  const extent = extentOf(segments)
  const size = median(segments.map((segment) => segment.size))
  const textExtent = { ...extent, x1: rightEdge(segments) }
  let best: Gutter | null = null
  let bestRows = 0
  for (const x of emptyStrips(segments, extent, size * 0.7)) {
    const gutter = divideAtLine(segments, x)
    const rows = Math.min(countRows(gutter.left), countRows(gutter.right))
    if (rows <= bestRows || !isTextColumns(gutter, textExtent, depth) || dividesGrid(gutter)) continue
    best = gutter
    bestRows = rows
  }
  return best
}

/** Whether a gutter divides a table with ruled lines: most text on its right is below the same lines as text on its left. */
function dividesGrid({ left, right }: Gutter): boolean {
  const lines = new Set(left.flatMap(({ runs }) => runs.flatMap(({ lineAbove }) => lineAbove ?? [])))
  const cells = right.filter(({ runs: [run] }) => run?.lineAbove !== undefined && lines.has(run.lineAbove))
  return cells.length > right.length / 2
}

/**
 * Whether a gutter divides a table into columns: the rows on both sides are level, and have another number of cells, which
 * are aligned, or cells at other places. Columns of an index or of contents are alike.
 */
function dividesTable(sides: readonly (readonly Segment[])[]): boolean {
  const top = Math.max(...sides.map((side) => Math.min(...side.map(({ y }) => y))))
  const bottom = Math.min(...sides.map((side) => Math.max(...side.map(({ y }) => y))))
  const [left = [], right = []] = sides.map((side) => side.filter(({ y }) => y >= top && y <= bottom))
  const rows = countRows([...left, ...right])
  const [leftRows, rightRows] = [countRows(left), countRows(right)]
  const least = Math.min(leftRows, rightRows)
  if (leftRows + rightRows - rows < least * minLevelRows || least < rows * minCommonRows) return false
  const [leftEdges, rightEdges] = [left, right].map((side) => edgesOf(side, least)) as [number[], number[]]
  if (areAlike(leftEdges, rightEdges)) return false
  const difference = left.length / leftRows - right.length / rightRows
  if (Math.abs(difference) > maxCellDifference) return (difference > 0 ? leftEdges : rightEdges).length > 1
  return Math.min(leftEdges.length, rightEdges.length) > 1
}

/** The places at which segments begin in most rows, from left to right; none if one of them is a leader of contents. */
function edgesOf(segments: readonly Segment[], rows: number): number[] {
  if (segments.some((segment) => leader.test(textOf(segment)))) return []
  const atEdge = Map.groupBy(segments, ({ x0 }) => Math.round(x0))
  const edges = [...atEdge].filter(([, { length }]) => length >= rows * minAligned).map(([x]) => x)
  return edges.sort((a, b) => a - b)
}

/** Whether the cells of two or three columns begin at the same distances, those of two of them on one side. */
function areAlike(left: readonly number[], right: readonly number[]): boolean {
  const [cells, most] = [left.length, right.length].sort((a, b) => a - b) as [number, number]
  const edges = [...left, ...right]
  const steps = edges.slice(1).map((x, index) => x - (edges[index] ?? 0))
  const repeats = steps.slice(cells).every((step, index) => Math.abs(step - (steps[index] ?? 0)) <= maxShift)
  return (most === cells || most === 2 * cells) && repeats
}

/** Whether a gutter separates columns of text and not columns of a table or a list of terms. */
function isTextColumns({ left, right }: Gutter, extent: Extent, depth: number): boolean {
  const sides = [measureSide(left), measureSide(right)]
  if (sides.some(({ rows }) => rows < minRows)) return false
  if (sides.every((side) => side.characters >= 18 && side.fill >= 0.55 && side.cells < 1.3)) return true
  const [a, b] = sides
  if (!a || !b || Math.min(a.rows, b.rows) < 8 || Math.min(a.density, b.density) < 0.4) return false
  if (Math.max(a.cells, b.cells) < 1.3 && isIndex([...left, ...right].map(textOf))) return true
  if (a.characters < 6 || a.width < (b.x0 - a.x0) * 0.6) return false
  const leftShare = (b.x0 - a.x0) / (extent.x1 - extent.x0)
  // Narrow columns (an index) divide the page evenly. A third of a column indicates a list of terms, and numbers a
  // table.
  const isNear = (part: number): boolean => leftShare >= part - 0.02 && leftShare <= part + 0.07
  const isDivision = isNear(1 / 2) || (depth === 0 && (isNear(1 / 3) || (isNear(2 / 3) && b.characters >= 4)))
  return isDivision && !dividesTable([left, right])
}
