import { minCellGap } from './grid-cells.ts'
import type { Segment } from '../page/page-parts.ts'
import type { TextRun } from '../page/pdf-file.ts'

/** A bullet, or the number of a section. */
const bullet = /^(?:[–—•·*▪◦-]|\d{1,3}(?:\.\d{1,3})*\.|\d{1,3}(?:\.\d{1,3})+)$/
/** The end of an enumeration, such as the page numbers of an index, and the dots in a line of contents. */
const [listed, dots] = [/[,;]$/, /(?:\s?[.·…]){4}/]
/** Minimum number of cells in a row. With fewer, they may be the number and the text of a list item. */
const minCells = 3
/** Maximum number of lines up to the second next row of a table. */
const maxLines = 5
/** Minimum share of the cells of a row, without the first, that have cells above or below them. */
const minShare = 0.6
/** Maximum distance between edges that are the same, in ems. Cells are aligned exactly, words of prose by chance. */
const maxShift = 0.1
/** Maximum distance between rows of one table, in ems, and maximum relative difference of their sizes. */
const [maxLeading, maxSizeChange] = [2.5, 0.1]
/** Maximum difference between the left edges of two rows of one table, in ems. */
const maxIndent = 3
/** Maximum distance between the baselines of one row, in ems. */
const maxRise = 0.2

/** The text of a row between two gaps. */
interface Cell {
  x0: number
  x1: number
  /** Its first run, and the gap before it in ems. */
  run: TextRun
  gap: number
  isLast: boolean
  /** Its text, and that of the cell before it. */
  text: string
  before: string
  /**
   * Whether it cannot be told apart from the words of a line: a single letter or digit after another, or text after a
   * bullet, a section number or a comma.
   */
  isDoubtful: boolean
}

interface Row {
  y: number
  size: number
  cells: Cell[]
}

/**
 * Marks the cells of tables that are closer to the cell before than tabulated text is (`startsCell`): rows below each
 * other have cells at the same edges. Tables without lines are often as narrow as their padding allows.
 */
export function markNarrowCells(region: readonly Segment[]): Segment[] {
  const rows = rowsOf(region)
  const starts = new Set<TextRun>()
  for (const [index, row] of rows.entries()) {
    if (row.cells.length < minCells) continue
    const [above, below] = [rowsNear(rows, index, -1), rowsNear(rows, index, 1)]
    const aligned = row.cells.filter((cell) => {
      const [a, b] = [above, below].map((near) => near.map((other) => hasAligned(other, cell, row.size)))
      return (a?.[0] && (a[1] || b?.[0])) || (b?.[0] && b[1])
    })
    if (aligned.length >= (row.cells.length - 1) * minShare) for (const { run } of aligned) starts.add(run)
  }
  if (starts.size === 0) return [...region]
  return region.map((segment) => ({
    ...segment,
    runs: segment.runs.map((run) => (starts.has(run) ? { ...run, startsCell: true as const } : run)),
  }))
}

/** The two rows with cells above or below a row, up to the end of the table. Lines of wrapped cells are between them. */
function rowsNear(rows: readonly Row[], index: number, step: 1 | -1): Row[] {
  const near: Row[] = []
  let last = rows[index]
  for (let at = index + step; near.length < 2 && Math.abs(at - index) <= maxLines; at += step) {
    const row = rows[at]
    if (!row || !last || Math.abs(row.y - last.y) > row.size * maxLeading) break
    if (Math.abs(row.size - last.size) > row.size * maxSizeChange) break
    if (row.cells.length >= minCells && beginsWith(row, rows[index])) near.push(row)
    last = row
  }
  return near
}

/** Whether two rows begin at about the same edge. The lines of a cell that is not the first one begin further right. */
function beginsWith({ cells: [first], size }: Row, row: Row | undefined): boolean {
  return Math.abs((first?.x0 ?? 0) - (row?.cells[0]?.x0 ?? 0)) < size * maxIndent
}

/**
 * Whether a row has a cell at the left edge of another, or with the same middle or right edge. All lines of prose may
 * end at one right edge.
 */
function hasAligned({ cells }: Row, cell: Cell, size: number): boolean {
  const near = size * maxShift
  if (cell.gap === Infinity || cell.isDoubtful) return false
  return cells.some(({ x0, x1, gap, isLast, text, before }) => {
    // Words of a repeated phrase are at the same edges.
    if (gap === Infinity || (text === cell.text && before === cell.before)) return false
    if (Math.abs(x0 - cell.x0) < near) return true
    return (
      !isLast && !cell.isLast && (Math.abs(x1 - cell.x1) < near || Math.abs(x0 + x1 - cell.x0 - cell.x1) < near * 2)
    )
  })
}

function rowsOf(region: readonly Segment[]): Row[] {
  const rows: { y: number; size: number; runs: TextRun[] }[] = []
  for (const { y, size, runs, table, formula } of region.toSorted((a, b) => a.y - b.y)) {
    const row = rows.at(-1)
    const own = table !== undefined || formula !== undefined ? [] : runs
    if (row && y - row.y < size * maxRise) row.runs.push(...own)
    else rows.push({ y, size, runs: [...own] })
  }
  return rows.map(({ y, size, runs }) => ({ y, size, cells: canHaveCells(runs) ? cellsOf(runs, size) : [] }))
}

/** Excludes most lines of prose, which have few runs, and code, right-to-left text and contents. */
function canHaveCells(runs: readonly TextRun[]): boolean {
  return runs.length >= minCells && !runs.some(({ text, font, rtl }) => font.mono || rtl || dots.test(text))
}

function cellsOf(runs: readonly TextRun[], size: number): Cell[] {
  const cells: Cell[] = []
  for (const run of runs.toSorted((a, b) => a.x - b.x)) {
    const last = cells.at(-1)
    const gap = last ? (run.x - last.x1) / size : Infinity
    if (last && gap < minCellGap) {
      last.x1 = Math.max(last.x1, run.x + run.width)
      last.text += ` ${run.text}`
      continue
    }
    const isDoubtful =
      last !== undefined &&
      (bullet.test(last.text) || listed.test(last.text) || (last.text.length === 1 && run.text.length === 1))
    const before = last?.text ?? ''
    cells.push({ x0: run.x, x1: run.x + run.width, run, gap, isLast: false, text: run.text, before, isDoubtful })
  }
  const last = cells.at(-1)
  if (last) last.isLast = true
  return cells
}
