import { leader } from '../characters/text.ts'
import { maxLineShift } from './grid-cells.ts'
import { continuesFirstCell } from './table-cells.ts'
import type { Line, Table, TextPiece } from '../page/page-parts.ts'

interface Column {
  x0: number
  x1: number
  /** The x of the vertical line that is drawn to its left. */
  lineBefore?: number | undefined
}

interface Cell extends Column {
  pieces: TextPiece[]
}

const minRows = 3
const maxColumns = 12
/** How many lines of text are examined for ruled lines between the rows of a table. */
const maxRuledLines = 60
/** Maximum distance between two lines of text in a cell, in ems. */
const maxWrappedLeading = 1.5

/**
 * Finds the table that starts at line `start`: rows whose cells are aligned in columns. Returns null if there is none.
 */
export function findTable(lines: readonly Line[], start: number, leading: number): Table | null {
  const first = lines[start]
  const head = first ? splitCells(first) : []
  if (!first || head.length < 2 || head.length > maxColumns) return null
  const columns: Column[] = head.map(({ x0, x1, lineBefore }) => ({ x0, x1, lineBefore }))
  const rows: TextPiece[][][] = [head.map((cell) => cell.pieces)]
  const isGrid = hasLineBeforeEach(head) && hasRuledRows(lines, start, true)
  const isRuled = isGrid || hasRuledRows(lines, start, false)
  let lineCount = 1
  let rowCount = 1
  let last = first
  for (let line = lines[start + lineCount]; line && !line.table; line = lines[start + lineCount]) {
    if (line.y - last.y > line.size * leading * 2.2 || Math.abs(line.size - first.size) > first.size * 0.25) break
    const cells = splitCells(line, isGrid)
    const columnIndexes = cells.map((cell) => columns.findIndex((column) => isInColumn(cell, column, line.size)))
    if (cells.length === 0 || columnIndexes.includes(-1) || new Set(columnIndexes).size < columnIndexes.length) break
    const above = rows.at(-1)
    const place = placeByLines(last, line, isRuled)
    if (place === 'outside') break
    const [only] = cells.length === 1 && place === 'unknown' ? cells : []
    if (only && leader.test(line.text)) break
    const isClose = line.y - last.y < line.size * maxWrappedLeading && line.x1 < (columns[1]?.x0 ?? 0)
    const [inColumn = 0] = columnIndexes
    const continuesCell =
      only &&
      (inColumn > 0
        ? startsInColumn(only, inColumn, { columns, size: line.size })
        : isClose && continuesFirstCell(only.pieces, above?.[0] ?? []))
    if (above && (place === 'same row' || continuesCell)) {
      for (const [at, cell] of cells.entries()) above[columnIndexes[at] ?? 0]?.push(...cell.pieces.map(withSpaceBefore))
    } else if (cells.length > 1 || place === 'next row') {
      rows.push(columns.map((_, column) => cells[columnIndexes.indexOf(column)]?.pieces ?? []))
      rowCount += 1
    } else {
      break
    }
    for (const [index, cell] of cells.entries()) widenColumn(columns[columnIndexes[index] ?? 0], cell)
    last = line
    lineCount += 1
  }
  const mono = lines.slice(start, start + lineCount).every((line) => line.mono > 0.75)
  return rowCount >= minRows ? { lineCount, rows, mono } : null
}

/**
 * The position of a line of text relative to the line above it, according to the ruled lines around the cells of a
 * table.
 */
function placeByLines(above: Line, line: Line, isRuled: boolean): 'same row' | 'next row' | 'outside' | 'unknown' {
  const [one, other] = [lineAbove(above), lineAbove(line)]
  if (one === undefined) return 'unknown'
  if (other === undefined) return 'outside'
  if (Math.abs(one - other) >= maxLineShift) return 'next row'
  return isRuled ? 'same row' : 'unknown'
}

/** The y of the horizontal line above the cells of a line of text. */
function lineAbove({ pieces }: Line): number | undefined {
  return pieces.find((piece) => piece.lineAbove !== undefined)?.lineAbove
}

/**
 * Whether ruled lines separate all rows of the table that starts here. A line of text that continues a row has fewer
 * cells than the first line of the row, because only long cells wrap.
 */
function hasRuledRows(lines: readonly Line[], start: number, isGrid: boolean): boolean {
  let [row, cells, rows]: [number | undefined, number, number] = [undefined, 0, 0]
  for (const line of lines.slice(start, start + maxRuledLines)) {
    const [above, count] = [lineAbove(line), splitCells(line, isGrid).length]
    if (above === undefined) break
    if (row !== undefined && Math.abs(above - row) < maxLineShift) {
      if (count >= cells) return false
      continue
    }
    ;[row, cells, rows] = [above, count, rows + 1]
  }
  return rows >= minRows
}

function withSpaceBefore(piece: TextPiece, index: number): TextPiece {
  return index === 0 ? { ...piece, hasSpaceBefore: true, startsLine: true } : piece
}

/** Whether a separate ruled line precedes each cell. If so, wide spaces do not separate cells. */
function hasLineBeforeEach(cells: readonly Cell[]): boolean {
  const before = cells.map(({ lineBefore }) => lineBefore)
  return !before.includes(undefined) && new Set(before).size === before.length
}

/** The cells of a line; none if it is a right-to-left row, whose columns would be in the opposite order. */
function splitCells(line: Line, isGrid = false): Cell[] {
  const cells: Cell[] = []
  for (const piece of line.pieces) {
    const current = cells.at(-1)
    const isInside = isGrid && current?.lineBefore !== undefined && current.lineBefore === piece.lineBefore
    if (current && (!piece.hasTabBefore || isInside)) {
      current.pieces.push(piece)
      current.x0 = Math.min(current.x0, piece.x0)
      current.x1 = Math.max(current.x1, piece.x1)
    } else {
      cells.push({ x0: piece.x0, x1: piece.x1, lineBefore: piece.lineBefore, pieces: [piece] })
    }
  }
  return line.rtl && cells.length > 1 ? [] : cells
}

/**
 * Whether a cell is in a column: to the right of the same ruled line, or aligned with the column at the left edge, the
 * right edge or the middle.
 */
function isInColumn(cell: Cell, column: Column, size: number): boolean {
  const near = size * 0.6
  const [one, other] = [cell.lineBefore, column.lineBefore]
  return (
    (one !== undefined && other !== undefined && Math.abs(one - other) < maxLineShift) ||
    Math.abs(cell.x0 - column.x0) < near ||
    Math.abs(cell.x1 - column.x1) < near ||
    Math.abs(cell.x0 + cell.x1 - column.x0 - column.x1) < near * 2
  )
}

/**
 * Whether a cell begins at the left edge of its column, or at least to the right of the preceding column. The paragraph
 * below a table may share the right edge or the middle of a column by chance.
 */
function startsInColumn(
  cell: Cell,
  index: number,
  { columns, size }: { columns: readonly Column[]; size: number },
): boolean {
  const [before, own] = [columns[index - 1], columns[index]]
  return cell.x0 > (own?.x0 ?? 0) - size || cell.x0 > (before?.x1 ?? 0) - size / 2
}

function widenColumn(column: Column | undefined, cell: Cell): void {
  if (!column || Math.abs(cell.x0 - column.x0) > 2) return
  column.x1 = Math.max(column.x1, cell.x1)
}
