import { isMonospaced } from './build-lines.ts'
import type { TextRun } from './pdf-file.ts'
import { median } from './extent.ts'
import { isSpacelessScript } from './text.ts'
import { continuesFirstCell, isName, lengthOf, minWrapped, startsInside } from './table-cells.ts'
import { placesOf } from './table-lines.ts'
import type { GridLine } from './table-lines.ts'
import type { TextPiece } from './page-parts.ts'

/** A cell of a row whose column is not known yet. */
export interface GridCell {
  x0: number
  x1: number
  pieces: TextPiece[]
}

export interface GridRow {
  y: number
  size: number
  cells: GridCell[]
}

/** Minimum gap between the columns of a table, in ems. */
const minCellGap = 0.75
const maxColumns = 30
/** Maximum share of rows that cross the gap between two columns. Headings over several columns do. */
const maxCrossing = 0.3

/** The cells of runs on one baseline, separated by gaps that are wider than a space. */
export function cellsOf(runs: readonly TextRun[]): GridCell[] {
  const cells: GridCell[] = []
  let last: TextRun | undefined
  for (const run of runs.toSorted((a, b) => a.x - b.x)) {
    const size = Math.max(run.size, last?.size ?? 0)
    const gap = last ? run.x - (last.x + last.width) : Infinity
    const piece = pieceOf(run, gap > size * 0.2 || (run.hasSpaceBefore && gap > size * 0.02))
    const cell = cells.at(-1)
    if (cell && gap < size * minCellGap && !isLineBetween(last, run)) {
      if (isSpacelessScript(cell.pieces.at(-1)?.text.at(-1) ?? '') && isSpacelessScript(run.text[0] ?? ''))
        piece.hasSpaceBefore = false
      cell.pieces.push(piece)
      cell.x1 = Math.max(cell.x1, piece.x1)
    } else {
      cells.push({ x0: run.x, x1: run.x + run.width, pieces: [{ ...piece, hasSpaceBefore: false }] })
    }
    last = run
  }
  return cells
}

function pieceOf(run: TextRun, hasSpaceBefore: boolean): TextPiece {
  const { text, font, x, width, lineBefore } = run
  const mono = isMonospaced(text, font)
  const piece = { text, mono, bold: font.bold, x0: x, x1: x + width, hasSpaceBefore, hasTabBefore: false }
  return lineBefore === undefined ? piece : { ...piece, lineBefore }
}

type BehindLine = Pick<TextPiece, 'lineBefore'> | undefined

/** Maximum horizontal shift of a ruled line from row to row, in points. */
const maxLineShift = 1.5

/** Whether a vertical line is drawn between two runs or pieces. */
function isLineBetween(one: BehindLine, other: BehindLine): boolean {
  return (
    other?.lineBefore !== undefined &&
    (one?.lineBefore === undefined || Math.abs(other.lineBefore - one.lineBefore) > maxLineShift)
  )
}

/** Minimum share of the gaps between cells that have a vertical line, if wide spaces do not separate cells. */
const minGridShare = 0.7
/** Maximum share of rows with a wide space at the same place in a cell. In more rows, it separates two columns. */
const maxSpaced = 0.8

/** Whether vertical lines separate all columns of a table. */
function hasLinesBetween(rows: readonly GridRow[]): boolean {
  let [lines, gaps] = [0, 0]
  const divided = rows.filter(({ cells }) => cells.length > 1)
  const withSpace = new Map<number, Set<GridRow>>()
  for (const row of divided) {
    for (const [index, { pieces }] of row.cells.slice(1).entries()) {
      gaps += 1
      if (isLineBetween(row.cells[index]?.pieces[0], pieces[0])) lines += 1
      else addRow(withSpace, Math.round(pieces[0]?.lineBefore ?? 0), row)
    }
  }
  const most = Math.max(0, ...withSpace.values().map(({ size }) => size))
  return lines >= Math.max(1, gaps * minGridShare) && most <= divided.length * maxSpaced
}

function addRow(rows: Map<number, Set<GridRow>>, line: number, row: GridRow): void {
  const known = rows.get(line)
  if (known) known.add(row)
  else rows.set(line, new Set([row]))
}

/** Adds a cell to those of its row. It belongs to the cell before it if no vertical line is between them. */
function addGridCell(cells: GridCell[], cell: GridCell): GridCell[] {
  const before = cells.at(-1)
  if (!before || isLineBetween(before.pieces[0], cell.pieces[0])) return [...cells, cell]
  const pieces = [...before.pieces, ...spaced(cell.pieces)]
  return [...cells.slice(0, -1), { x0: before.x0, x1: Math.max(before.x1, cell.x1), pieces }]
}

/**
 * Arranges rows in columns, separated by vertical strips that hardly any row crosses. Lines of text of the same table
 * row are joined; `rules` are the y of the rules over the whole table, null if its rules are not known. Null if there are fewer than two rows or columns,
 * or too many columns.
 */
export function arrangeRows(rows: readonly GridRow[], rules: readonly number[] | null = null): TextPiece[][][] | null {
  const isGrid = hasLinesBetween(rows)
  const gridRows = isGrid ? rows.map((row) => ({ ...row, cells: row.cells.reduce(addGridCell, []) })) : rows
  const edges = isGrid ? gridEdges(gridRows) : columnEdges(rows)
  if (edges.length === 0 || edges.length >= maxColumns) return null
  const starts = columnStarts(gridRows, edges)
  const lines = gridRows.map((row) => lineOf(row, edges, starts))
  const table: TextPiece[][][] = []
  const usual = median(lines.slice(1).map(({ y }, index) => y - (lines[index]?.y ?? y)))
  const places = placesOf(lines, rules ?? [])
  for (const [index, line] of lines.entries()) {
    const above = table.at(-1)
    const distance = line.y - (lines[index - 1]?.y ?? -Infinity)
    const isClose = (index > 1 || rules !== null) && distance <= Math.max(usual, line.size) * 1.3
    const continues =
      places[index] === 'same row' ||
      (places[index] === 'unknown' && isClose && continuesRow(line.columns, above ?? []))
    if (above && continues)
      for (const [column, pieces] of line.columns.entries()) above[column]?.push(...onNewLine(pieces))
    else table.push(line.columns.map((pieces) => [...pieces]))
  }
  return table.length >= 2 ? table : null
}

/** The left edge of each column. */
function columnStarts(rows: readonly GridRow[], edges: readonly number[]): number[] {
  const starts: number[] = Array.from({ length: edges.length + 1 }, () => Infinity)
  for (const cell of rows.flatMap(({ cells }) => cells)) {
    const column = columnOf(cell, edges)
    starts[column] = Math.min(starts[column] ?? Infinity, cell.x0)
  }
  return starts
}

function lineOf({ y, size, cells }: GridRow, edges: readonly number[], starts: readonly number[]): GridLine {
  const columns: TextPiece[][] = starts.map(() => [])
  const parts = cells.flatMap((cell) => splitAtStarts(cell, edges, starts))
  for (const cell of parts) columns[columnOf(cell, edges)]?.push(...spaced(cell.pieces))
  const filled = columns.flatMap((pieces, index) => (pieces.length > 0 ? [index] : []))
  const isSpanning = parts.some((cell) => cell.x1 > (starts[columnOf(cell, edges) + 1] ?? Infinity))
  return { y, size, columns, filled, isSpanning }
}

/** Maximum distance between a piece of text and the left edge of its column, in points. */
const maxStartShift = 1

/** Splits a cell that contains the text of the next column too, because there is only a narrow gap between them. */
function splitAtStarts(cell: GridCell, edges: readonly number[], starts: readonly number[]): GridCell[] {
  const next = starts[columnOf(cell, edges) + 1] ?? Infinity
  const at = cell.pieces.findIndex((piece, index) => index > 0 && Math.abs(piece.x0 - next) < maxStartShift)
  if (at < 0) return [cell]
  const [before, after] = [cell.pieces.slice(0, at), cell.pieces.slice(at)]
  const first = { ...cell, x1: Math.max(...before.map(({ x1 }) => x1)), pieces: before }
  return [first, ...splitAtStarts({ ...cell, x0: next, pieces: after }, edges, starts)]
}

/**
 * Whether a row continues the cells above, which must be long. Its first cell is empty, or begins in the middle of a
 * sentence while another cell is empty. Identifiers in code do not wrap.
 */
function continuesRow(columns: readonly TextPiece[][], above: readonly TextPiece[][]): boolean {
  const [first = []] = columns
  const filled = columns.filter((pieces) => pieces.length > 0)
  const isWrapped = continuesFirstCell(first, above[0] ?? [])
  if (columns.some((pieces, index) => isName(pieces) && isName(above[index] ?? []))) return false
  if (first.length > 0 && (filled.length === columns.length || !isWrapped || !filled.every(startsInside))) return false
  return columns.every((pieces, index) => pieces.length === 0 || lengthOf(above[index] ?? []) >= minWrapped)
}

function spaced([first, ...rest]: readonly TextPiece[]): TextPiece[] {
  return first ? [{ ...first, hasSpaceBefore: true }, ...rest] : []
}

function onNewLine([first, ...rest]: readonly TextPiece[]): TextPiece[] {
  return first ? [{ ...first, startsLine: true }, ...rest] : []
}

/** The x of each vertical line between two columns. */
function gridEdges(rows: readonly GridRow[]): number[] {
  const cells = rows.flatMap((row) => row.cells)
  const left = Math.min(...cells.map(({ x0 }) => x0))
  const lines = cells.flatMap(({ pieces: [piece] }) => piece?.lineBefore ?? []).toSorted((a, b) => a - b)
  return lines.filter((x, index) => x > left && x - (lines[index - 1] ?? -Infinity) > maxLineShift)
}

/** The x of the middle of each gap between columns. */
function columnEdges(rows: readonly GridRow[]): number[] {
  const divided = rows.filter((row) => row.cells.length > 1)
  const cells = divided.flatMap((row) => row.cells)
  if (cells.length === 0) return []
  const x0 = Math.min(...cells.map((cell) => cell.x0))
  const width = Math.max(...cells.map((cell) => cell.x1)) - x0
  const bins = Math.min(2_000, Math.max(1, Math.ceil(width)))
  const scale = bins / Math.max(1, width)
  const covered = new Uint16Array(bins + 1)
  for (const cell of cells) {
    const to = Math.min(bins, Math.ceil((cell.x1 - x0) * scale))
    for (let bin = Math.max(0, Math.floor((cell.x0 - x0) * scale)); bin < to; bin += 1) {
      covered[bin] = (covered[bin] ?? 0) + 1
    }
  }
  const limit = Math.max(divided.length >= 4 ? 1 : 0, Math.floor(divided.length * maxCrossing))
  const minWidth = median(rows.map(({ size }) => size)) * minCellGap * 0.6 * scale
  const edges: number[] = []
  for (let bin = 0, start = -1; bin <= bins; bin += 1) {
    const isGap = bin < bins && (covered[bin] ?? 0) <= limit
    if (isGap && start < 0) start = bin
    if (isGap || start < 0) continue
    // The middle of the emptiest part is used, because cells of different lengths narrow a gap at its sides.
    const isInside = start > 0 && bin < bins
    const [first, middle, last] = emptiestPart(covered, { start, end: bin, isInside })
    const isWide = (isInside ? bin - start : last - first) >= minWidth
    const x = x0 + (middle + 0.5) / scale
    if (first > 0 && last < bins - 1 && isWide && dividesCells(rows, x)) edges.push(x)
    start = -1
  }
  return edges
}

/**
 * The first, middle and last of the least covered positions in a gap. A gap at the edge of the table contains a column
 * with few cells. There, only the longest contiguous range counts.
 */
function emptiestPart(
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

function columnOf(cell: GridCell, edges: readonly number[]): number {
  const first = edges.findIndex((edge) => edge > cell.x0)
  return first < 0 ? edges.length : first
}
