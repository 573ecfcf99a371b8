import { countCharacters } from '../characters/count-characters.ts'
import { findColumnEdges } from './column-edges.ts'
import { median } from '../page/extent.ts'
import { isLineBetween, maxLineShift } from './grid-cells.ts'
import type { GridCell, GridRow } from './grid-cells.ts'
import {
  continuesFirstCell,
  continuesList,
  continuesWord,
  isName,
  minWrapped,
  onNewLine,
  spaced,
  startsMidSentence,
} from './table-cells.ts'
import { rowRelations } from './table-lines.ts'
import type { GridLine } from './table-lines.ts'
import type { TextPiece } from '../page/page-parts.ts'

const maxColumns = 30
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

/** Joins the cells of a row that have no vertical line between them. */
function joinGridCells(row: GridRow): GridRow {
  const cells: GridCell[] = []
  for (const cell of row.cells) {
    const before = cells.at(-1)
    if (before && !isLineBetween(before.pieces[0], cell.pieces[0])) {
      before.x1 = Math.max(before.x1, cell.x1)
      before.pieces.push(...spaced(cell.pieces))
    } else cells.push({ ...cell, pieces: [...cell.pieces] })
  }
  return { ...row, cells }
}

/**
 * Arranges rows in columns, separated by vertical strips that hardly any row crosses. Lines of text of the same table
 * row are joined; `rules` are the y of the rules over the whole table, null if its rules are not known. Returns null for
 * fewer than two rows (one between two rules) or columns, or too many columns.
 */
export function arrangeRows(rows: readonly GridRow[], rules: readonly number[] | null = null): TextPiece[][][] | null {
  const [only] = rows
  if (only && rows.length === 1 && rules !== null)
    return only.cells.length > 1 ? [only.cells.map(({ pieces }) => spaced(pieces))] : null
  const isGrid = hasLinesBetween(rows)
  const gridRows = isGrid ? rows.map(joinGridCells) : rows
  const edges = isGrid ? gridEdges(gridRows) : findColumnEdges(rows)
  if (edges.length === 0 || edges.length >= maxColumns) return null
  const starts = columnStarts(gridRows, edges)
  const lines = gridRows.map((row) => lineOf(row, edges, starts))
  const table: TextPiece[][][] = []
  const usual = median(lines.slice(1).map(({ y }, index) => y - (lines[index]?.y ?? y)))
  const relations = rowRelations(lines, rules ?? [])
  for (const [index, line] of lines.entries()) {
    const above = table.at(-1)
    const distance = line.y - (lines[index - 1]?.y ?? -Infinity)
    const isClose = distance <= Math.max(usual, line.size) * 1.3
    const isBelowHead = index === 1 && rules === null
    const continues =
      above !== undefined &&
      (relations[index] === 'same row' ||
        (relations[index] === 'unknown' && isClose && continuesAbove(line.columns, above, isBelowHead)))
    if (continues) for (const [column, pieces] of line.columns.entries()) above[column]?.push(...onNewLine(pieces))
    else table.push(line.columns.map((pieces) => [...pieces]))
  }
  return table.length >= 2 ? table : null
}

/** The left edge of each column. Headings over several columns, which are alone in their row, do not count. */
function columnStarts(rows: readonly GridRow[], edges: readonly number[]): number[] {
  const starts: number[] = Array.from({ length: edges.length + 1 }, () => Infinity)
  for (const cell of rows.flatMap(({ cells }) => (cells.length > 1 ? cells : []))) {
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

/** Whether a line continues the row above, which continues only for a good reason if it may be the head. */
function continuesAbove(columns: readonly TextPiece[][], above: readonly TextPiece[][], isBelowHead: boolean): boolean {
  if (continuesWord(columns, above) || continuesList(columns, above)) return true
  return (!isBelowHead || isBelowLong(columns, above)) && continuesRow(columns, above)
}

/** Minimum number of characters in a cell that is not a heading. */
const minLong = 45

/** Whether all cells of a row are below cells that are longer than headings. */
function isBelowLong(columns: readonly TextPiece[][], above: readonly TextPiece[][]): boolean {
  return columns.every((pieces, index) => pieces.length === 0 || countCharacters(above[index] ?? []) >= minLong)
}

/**
 * Whether a row continues the cells above, which must be long or continue in lower case with other cells complete. Its
 * first cell is empty, or begins in the middle of a sentence while another cell is empty. Identifiers in code do not
 * wrap.
 */
function continuesRow(columns: readonly TextPiece[][], above: readonly TextPiece[][]): boolean {
  const [first = []] = columns
  const filled = columns.filter((pieces) => pieces.length > 0)
  const isWrapped = continuesFirstCell(first, above[0] ?? [])
  if (columns.some((pieces, index) => isName(pieces) && isName(above[index] ?? []))) return false
  if (first.length > 0 && (filled.length === columns.length || !isWrapped || !filled.every(startsMidSentence)))
    return false
  const isBelow = (length: number): boolean =>
    columns.every((pieces, index) => pieces.length === 0 || countCharacters(above[index] ?? []) >= length)
  const hasGap = columns.some((pieces, index) => index > 0 && pieces.length === 0 && (above[index]?.length ?? 0) > 0)
  return isBelow(minWrapped) || (first.length === 0 && hasGap && isBelow(1) && filled.every(startsMidSentence))
}

/** The x of each vertical line between two columns. */
function gridEdges(rows: readonly GridRow[]): number[] {
  const cells = rows.flatMap((row) => row.cells)
  const left = Math.min(...cells.map(({ x0 }) => x0))
  const lines = cells.flatMap(({ pieces: [piece] }) => piece?.lineBefore ?? []).toSorted((a, b) => a - b)
  return lines.filter((x, index) => x > left && x - (lines[index - 1] ?? -Infinity) > maxLineShift)
}

function columnOf(cell: GridCell, edges: readonly number[]): number {
  const first = edges.findIndex((edge) => edge > cell.x0)
  return first < 0 ? edges.length : first
}
