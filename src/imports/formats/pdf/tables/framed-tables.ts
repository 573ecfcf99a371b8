import type { Extent } from '../page/extent.ts'
import { cellsOf, maxLineShift } from './grid-cells.ts'
import type { Segment, TextPiece } from '../page/page-parts.ts'
import type { Rule, TextRun } from '../page/pdf-file.ts'
import { haveSameEnds, joinRules, maxRows, maxShift } from './ruled-tables.ts'
import { onNewLine, spaced } from './table-cells.ts'
import { rowsOf } from './table-rows.ts'

/** Rules below each other with the same ends. Text between two of them is in frames. */
interface Frame extends Extent {
  /** From top to bottom. */
  ys: number[]
}

/** A run of text in a frame, with the lines on its left and above it. */
interface FramedRun extends TextRun {
  lineBefore: number
  lineAbove: number
}

/** Minimum length of a rule, in points. */
const minLength = 60
/** Minimum number of rules as wide as the table, and maximum number of columns. */
const minRules = 3
const maxColumns = 30
/** Maximum height of a head above the first rule, in ems. */
const maxHeadHeight = 1.8
/** Minimum share of the lines of two cells that are on the same heights, if each line is a row. */
const minSharedLines = 0.9
/** Minimum number of lines of a first cell that lists the names of rows, and width of the lines of a paragraph. */
const minListed = 4
const minWrappedWidth = 0.7
/** The largest size of a superscript or subscript, as a share of that of the text. */
const maxScriptSize = 0.8
/** Minimum share of rows with at least two cells. */
const minDivided = 0.5

/**
 * Replaces each table in which lines are drawn around all cells with one segment that contains the table. A cell over
 * several rows belongs to the first of them. It runs before the columns of the page are detected.
 */
export function extractFramedTables(segments: readonly Segment[], rules: readonly Rule[]): Segment[] {
  let rest = [...segments]
  if (!rest.some(isFramed)) return rest
  for (const frame of framesOf(rest, joinRules(rules))) {
    if (frame.ys.length < minRules) continue
    const head = rest.filter((segment) => isInHead(segment, frame))
    const body = rest.filter((segment) => isInside(segment, frame) || isInLastRow(segment, frame))
    const inside = [...head, ...body]
    const rows = arrangeCells({ head, body }, frame)
    const [first] = inside
    if (!rows || !first) continue
    const taken = new Set(inside)
    const [y, size] = [Math.min(...inside.map((segment) => segment.y)), first.size]
    const table = { lineCount: rows.length, rows, mono: false }
    rest = [...rest.filter((segment) => !taken.has(segment)), { x0: frame.x0, x1: frame.x1, y, size, runs: [], table }]
  }
  return rest
}

/** The rules with the same ends, as long as all text between them is in frames. */
function framesOf(segments: readonly Segment[], rules: readonly Rule[]): Frame[] {
  const frames: Frame[] = []
  for (const { x0, x1, y } of rules) {
    if (x1 - x0 < minLength) continue
    const frame = frames.findLast((other) => haveSameEnds(other, { x0, x1 }))
    const between = frame && segments.filter((segment) => isInside(segment, { x0, x1, ys: [frame.ys.at(-1) ?? y, y] }))
    if (frame && between?.every(isFramed)) frame.ys.push(y)
    else frames.push({ x0, x1, ys: [y] })
  }
  return frames
}

function isFramed({ runs, table }: Segment): boolean {
  return !table && runs.every((run) => isFramedRun(run))
}

function isFramedRun(run: TextRun): run is FramedRun {
  return run.lineBefore !== undefined && run.lineAbove !== undefined && !run.rtl
}

/** Whether a segment is between the first and the last rule of a frame. */
function isInside({ x0, x1, y }: Segment, frame: Frame): boolean {
  return x0 < frame.x1 && x1 > frame.x0 && y > (frame.ys[0] ?? y) && y < (frame.ys.at(-1) ?? y)
}

/** Whether a segment is below the last rule of a frame that is open at the bottom, but beside the lines of its cells. */
function isInLastRow({ x0, x1, runs, table }: Segment, frame: Frame): boolean {
  const last = frame.ys.at(-1) ?? Infinity
  const isBelow = (run: TextRun): boolean => isFramedRun(run) && Math.abs(run.lineAbove - last) < maxLineShift
  return !table && x0 > frame.x0 - maxShift && x1 < frame.x1 + maxShift && runs.every(isBelow)
}

/** Whether a segment is directly above the first rule of a frame that is open at the top, beside the lines of its cells. */
function isInHead({ x0, x1, y, size, runs, table }: Segment, frame: Frame): boolean {
  const top = frame.ys[0] ?? 0
  const isBeside = ({ lineBefore, lineAbove, rtl }: TextRun): boolean =>
    lineBefore !== undefined && lineBefore > frame.x0 - maxShift && lineAbove === undefined && !rtl
  return !table && y < top && y > top - size * maxHeadHeight && x0 > frame.x0 && x1 < frame.x1 && runs.every(isBeside)
}

/** The cells of a table by row and column; null if they form no table. */
function arrangeCells(
  { head, body }: { head: readonly Segment[]; body: readonly Segment[] },
  { x0, ys: [top = 0] }: Frame,
): TextPiece[][][] | null {
  const heads = head.flatMap((segment) => segment.runs.map((run) => ({ ...run, lineAbove: top - maxShift })))
  const runs = [...heads, ...body.flatMap((segment) => segment.runs)].filter((run) => isFramedRun(run))
  if (runs.some(({ lineBefore, lineAbove }) => lineBefore < x0 - maxShift || lineAbove < top - maxShift - 1))
    return null
  const columns = distinct(runs.map(({ lineBefore }) => lineBefore))
  const rows = distinct(runs.map(({ lineAbove }) => lineAbove))
  if (rows.length < minRules - 1 || rows.length > maxRows) return null
  if (columns.length < 2 || columns.length > maxColumns) return null
  const table = rows.map(() => columns.map((): TextRun[] => []))
  for (const run of runs) table[placeOf(run.lineAbove, rows)]?.[placeOf(run.lineBefore, columns)]?.push(run)
  const divided = table.filter((row) => row.filter((cell) => cell.length > 0).length > 1)
  if (divided.length < rows.length * minDivided || divided.some(isSeveralRows)) return null
  return table.map((row) => row.map(piecesOf))
}

/**
 * Whether a row between two rules contains several rows: all its cells have the same lines of text, or a bold line above
 * others.
 */
function isSeveralRows(row: readonly TextRun[][]): boolean {
  const cells = row.filter((runs) => runs.length > 0)
  const [first = [], ...rest] = cells.map((runs) => distinct(withoutScripts(runs).map(({ y }) => y)))
  if (first.length > 1 && rest.every((ys) => haveSameLines(first, ys))) return true
  if (first.length >= minListed && rest.some((ys) => areIn(first, ys)) && !isWrapped(cells[0] ?? [])) return true
  const top = first[0] ?? 0
  const [heads, others] = [cells.map((runs) => runs.filter(({ y }) => y < top + maxShift)), cells.flat()]
  const isHead = heads.every((runs) => runs.length > 0 && runs.every(({ font }) => font.bold))
  return isHead && others.some(({ font }) => !font.bold)
}

/** Whether two cells have the same lines of text. A page number can stand between those of a long one. */
function haveSameLines(one: readonly number[], other: readonly number[]): boolean {
  return areIn(one, other) && areIn(other, one)
}

/** Whether nearly all lines of a cell continue in another one. */
function areIn(lines: readonly number[], others: readonly number[]): boolean {
  const shared = lines.filter((y) => others.some((other) => Math.abs(y - other) < maxShift)).length
  return shared >= lines.length * minSharedLines
}

/** Whether the lines of a cell are about as long as each other, as those of a paragraph are. */
function isWrapped(runs: readonly TextRun[]): boolean {
  const ends = new Map<number, number>()
  for (const { x, y, width } of runs) ends.set(Math.round(y), Math.max(ends.get(Math.round(y)) ?? 0, x + width))
  const start = Math.min(...runs.map(({ x }) => x))
  const widths = [...ends.values()].map((end) => end - start)
  const long = widths.filter((width) => width > Math.max(...widths) * minWrappedWidth)
  return long.length > widths.length / 2
}

/** The runs of a cell without superscripts and subscripts, which stand on lines of their own. */
function withoutScripts(runs: readonly TextRun[]): TextRun[] {
  const size = Math.max(...runs.map((run) => run.size))
  return runs.filter((run) => run.size > size * maxScriptSize)
}

/** The positions of lines, without those that are nearly equal to the preceding one. */
function distinct(positions: readonly number[]): number[] {
  const sorted = positions.toSorted((a, b) => a - b)
  return sorted.filter((position, index) => position - (sorted[index - 1] ?? -Infinity) > maxLineShift)
}

function placeOf(position: number, positions: readonly number[]): number {
  return positions.findLastIndex((other) => other <= position + maxLineShift / 2)
}

/** The text of a cell in reading order. */
function piecesOf(runs: readonly TextRun[]): TextPiece[] {
  const segments = runs.map((run) => ({ x0: run.x, x1: run.x + run.width, y: run.y, size: run.size, runs: [run] }))
  const lines = rowsOf(segments).map((row) =>
    cellsOf(row.segments.flatMap((segment) => segment.runs)).flatMap(({ pieces }) => spaced(pieces)),
  )
  return lines.flatMap((line, index) => (index === 0 ? line : onNewLine(line)))
}
