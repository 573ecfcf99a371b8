import type { Line, Piece } from './build-lines.ts'
import { textOf } from './build-lines.ts'

export interface Table {
  /** Lines it takes. */
  lines: number
  /** Cells in rows, each with the pieces of its text line by line. */
  rows: Piece[][][]
  mono: boolean
}

interface Cell {
  x0: number
  x1: number
  pieces: Piece[]
}

const leastRows = 3
const maxColumns = 12

/** The table that starts with the line at `start`: rows of cells whose edges stand under each other. Null for none. */
export function tableAt(lines: readonly Line[], start: number, leading: number): Table | null {
  const first = lines[start]
  const head = first ? cellsOf(first) : []
  if (!first || head.length < 2 || head.length > maxColumns) return null
  const columns = head.map(({ x0, x1 }) => ({ x0, x1 }))
  const rows: Piece[][][] = [head.map((cell) => cell.pieces)]
  let taken = 1
  let full = 1
  let last = first
  for (let line = lines[start + taken]; line; line = lines[start + taken]) {
    if (line.y - last.y > line.size * leading * 2.2 || Math.abs(line.size - first.size) > first.size * 0.25) break
    const cells = cellsOf(line)
    const places = cells.map((cell) => columns.findIndex((column) => inColumn(cell, column, line.size)))
    if (places.includes(-1) || new Set(places).size < places.length) break
    const above = rows.at(-1)
    if (cells.length === 1 && places[0] !== 0 && above) {
      above[places[0] ?? 0]?.push(...(cells[0]?.pieces ?? []).map(spacedPiece))
    } else if (cells.length > 1) {
      rows.push(columns.map((_, column) => cells[places.indexOf(column)]?.pieces ?? []))
      full += 1
    } else {
      break
    }
    for (const [index, cell] of cells.entries()) widen(columns[places[index] ?? 0], cell)
    last = line
    taken += 1
  }
  const mono = lines.slice(start, start + taken).every((line) => line.mono > 0.75)
  return full >= leastRows ? { lines: taken, rows, mono } : null
}

function spacedPiece(piece: Piece, index: number): Piece {
  return index === 0 ? { ...piece, spaced: true } : piece
}

function cellsOf(line: Line): Cell[] {
  const cells: Cell[] = []
  for (const piece of line.pieces) {
    const open = cells.at(-1)
    if (open && !piece.tab) {
      open.pieces.push(piece)
      open.x1 = Math.max(open.x1, piece.x1)
    } else {
      cells.push({ x0: piece.x0, x1: piece.x1, pieces: [piece] })
    }
  }
  return line.rtl ? [] : cells
}

/** Cells of a column share the left edge, the right edge or the middle. */
function inColumn(cell: Cell, column: { x0: number; x1: number }, size: number): boolean {
  const near = size * 0.6
  return (
    Math.abs(cell.x0 - column.x0) < near ||
    Math.abs(cell.x1 - column.x1) < near ||
    Math.abs(cell.x0 + cell.x1 - column.x0 - column.x1) < near * 2
  )
}

function widen(column: { x0: number; x1: number } | undefined, cell: Cell): void {
  if (!column || Math.abs(cell.x0 - column.x0) > 2) return
  column.x1 = Math.max(column.x1, cell.x1)
}

/** The text of a cell on one line. */
export function cellText(cell: readonly Piece[]): string {
  return textOf(cell).trim()
}
