import { isMonospaced } from './build-lines.ts'
import type { TextRun } from './pdf-file.ts'
import { median } from './extent.ts'
import { isSpacelessScript } from './text.ts'
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
/** Minimum number of characters in a cell that wraps to another line. */
const minWrapped = 12
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
    if (cell && gap < size * minCellGap) {
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
  const { text, font, x, width } = run
  const mono = isMonospaced(text, font)
  return { text, mono, bold: font.bold, x0: x, x1: x + width, hasSpaceBefore, hasTabBefore: false }
}

/**
 * Arranges rows in columns, separated by vertical strips that hardly any row crosses. Rows that only continue the cells
 * above are joined with them. Null if there are fewer than two rows or columns, or too many columns.
 */
export function arrangeRows(rows: readonly GridRow[]): TextPiece[][][] | null {
  const edges = columnEdges(rows)
  if (edges.length === 0 || edges.length >= maxColumns) return null
  const table: TextPiece[][][] = []
  const usual = median(rows.slice(1).map((row, index) => row.y - (rows[index]?.y ?? row.y)))
  for (const [index, row] of rows.entries()) {
    const columns: TextPiece[][] = Array.from({ length: edges.length + 1 }, () => [])
    for (const cell of row.cells) columns[columnOf(cell, edges)]?.push(...spaced(cell.pieces))
    const above = table.at(-1)
    const distance = row.y - (rows[index - 1]?.y ?? -Infinity)
    if (above && index > 1 && continuesRow(columns, above) && distance <= Math.max(usual, row.size) * 1.3)
      for (const [column, pieces] of columns.entries()) above[column]?.push(...onNewLine(pieces))
    else table.push(columns)
  }
  return table.length >= 2 ? table : null
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

/**
 * Whether the first cell of a row continues the text of the cell above: it begins in the middle of a sentence, and that
 * cell is long and contains several words. Names do not wrap.
 */
export function continuesFirstCell(pieces: readonly TextPiece[], above: readonly TextPiece[]): boolean {
  const hasWords =
    above.slice(1).some(({ hasSpaceBefore }) => hasSpaceBefore) || above.some(({ text }) => text.includes(' '))
  return startsInside(pieces) && hasWords && lengthOf(above) >= minWrapped
}

function startsInside([first]: readonly TextPiece[]): boolean {
  return first !== undefined && !first.mono && /^\p{Ll}{2}/u.test(first.text)
}

function isName(pieces: readonly TextPiece[]): boolean {
  return pieces.length > 0 && pieces.every(({ mono, text }) => mono && !text.includes(' '))
}

function lengthOf(pieces: readonly TextPiece[]): number {
  return pieces.reduce((sum, { text }) => sum + text.length, 0)
}

function spaced([first, ...rest]: readonly TextPiece[]): TextPiece[] {
  return first ? [{ ...first, hasSpaceBefore: true }, ...rest] : []
}

function onNewLine([first, ...rest]: readonly TextPiece[]): TextPiece[] {
  return first ? [{ ...first, startsLine: true }, ...rest] : []
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
