import { median } from '../page/extent.ts'
import { minCellGap } from './grid-cells.ts'
import type { GridCell, GridRow } from './grid-cells.ts'

/** Maximum number of lines of headings, and minimum number of rows below them. */
const maxHeadRows = 4
const minBodyRows = 3
/** Maximum share of rows that cross the gap between two columns. Headings over several columns do. */
const maxCrossing = 0.3

/**
 * The edges between the columns of a table without vertical lines. Headings over several columns do not count if the
 * rows below them have more columns.
 */
export function findColumnEdges(rows: readonly GridRow[]): number[] {
  const edges = columnEdges(rows, rows)
  const inner = columnEdges(rows, belowHeads(rows))
  return inner.length > edges.length ? inner : edges
}

/** The rows from the first with the most cells on. Headings over several columns are above them. */
function belowHeads(rows: readonly GridRow[]): readonly GridRow[] {
  const most = Math.max(...rows.map(({ cells }) => cells.length))
  const start = rows.findIndex(({ cells }) => cells.length === most)
  return start <= maxHeadRows && rows.length - start >= minBodyRows ? rows.slice(start) : rows
}

/** The x of a position in each gap between columns that hardly any row of `body` crosses. */
function columnEdges(rows: readonly GridRow[], body: readonly GridRow[]): number[] {
  const divided = rows.filter(hasSeveralCells)
  const dividedBody = body.filter(hasSeveralCells)
  const cells = divided.flatMap((row) => row.cells)
  if (cells.length === 0) return []
  const x0 = Math.min(...cells.map((cell) => cell.x0))
  const width = Math.max(...cells.map((cell) => cell.x1)) - x0
  const bins = Math.min(2_000, Math.max(1, Math.ceil(width)))
  const scale = bins / Math.max(1, width)
  const inRows = countCells(cells, { x0, bins, scale })
  const inBody = countCells(
    dividedBody.flatMap((row) => row.cells),
    { x0, bins, scale },
  )
  const limit = Math.max(dividedBody.length >= 4 ? 1 : 0, Math.floor(dividedBody.length * maxCrossing))
  const minWidth = median(rows.map(({ size }) => size)) * minCellGap * 0.6 * scale
  const edges: number[] = []
  for (let bin = 0, start = -1; bin <= bins; bin += 1) {
    const isGap = bin < bins && (inBody[bin] ?? 0) <= limit
    if (isGap && start < 0) start = bin
    if (isGap || start < 0) continue
    // The middle of the emptiest part is used, because cells of different lengths narrow a gap at its sides.
    const isInside = start > 0 && bin < bins
    const [first, middle, last] = sparsestPart(inRows, { start, end: bin, isInside })
    const isWide = (isInside ? bin - start : last - first) >= minWidth
    const x = x0 + (middle + 0.5) / scale
    if (first > 0 && last < bins - 1 && isWide && dividesCells(body, x)) edges.push(x)
    start = -1
  }
  return edges
}

function hasSeveralCells({ cells }: GridRow): boolean {
  return cells.length > 1
}

/** The number of cells at each position of the width. */
function countCells(
  cells: readonly GridCell[],
  { x0, bins, scale }: { x0: number; bins: number; scale: number },
): Uint16Array {
  const covered = new Uint16Array(bins + 1)
  for (const cell of cells) {
    const to = Math.min(bins, Math.ceil((cell.x1 - x0) * scale))
    for (let bin = Math.max(0, Math.floor((cell.x0 - x0) * scale)); bin < to; bin += 1) {
      covered[bin] = (covered[bin] ?? 0) + 1
    }
  }
  return covered
}

/**
 * The first, middle and last of the least covered positions in a gap. A gap at the edge of the table contains a column
 * with few cells. There, only the longest contiguous range counts.
 */
function sparsestPart(
  covered: Uint16Array,
  { start, end, isInside }: { start: number; end: number; isInside: boolean },
): [number, number, number] {
  const least = Math.min(...covered.subarray(start, end))
  let part: number[] = []
  let run: number[] = []
  for (let at = start; at < end; at += 1) {
    if (covered[at] === least) run.push(at)
    else if (!isInside) run = []
    if (run.length > part.length) part = run
  }
  return [part[0] ?? start, part[part.length >> 1] ?? start, part.at(-1) ?? start]
}

/** Whether at least two rows have cells on both sides of a position. */
function dividesCells(rows: readonly GridRow[], x: number): boolean {
  const divided = rows.filter(({ cells }) => cells.some((cell) => cell.x1 <= x) && cells.some((cell) => cell.x0 >= x))
  return divided.length >= 2
}
