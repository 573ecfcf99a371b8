import { extentOf, median } from './extent.ts'
import { findGutter } from './reading-order.ts'
import type { Extent } from './extent.ts'
import { arrangeRows } from './table-grid.ts'
import { lengthOf } from './table-cells.ts'
import { isCaption, rowsOf, textOf } from './table-rows.ts'
import type { Row } from './table-rows.ts'
import type { Segment, Table } from './page-parts.ts'
import type { Rule } from './pdf-file.ts'
import { findRuledRows, joinRules } from './ruled-tables.ts'
import type { RuledRows } from './ruled-tables.ts'

interface Zone extends Extent {
  rows: Row[]
  cells: Table['rows']
}

const maxCaptions = 20
const maxRows = 200
/** Minimum number of characters in a single cell that fills most of the width and is prose. */
const minProseCharacters = 45
/** Two adjacent cells with this many characters are lines of two columns of text. */
const minColumnCharacters = 28
/** Shorter segments, such as table cells, do not indicate the columns of the page. */
const minGutterCharacters = 20
/** Maximum length of a single cell that may be a heading over several columns. */
const maxHeadCharacters = 30
/** Minimum number of lines in each of two columns. */
const minColumnLines = 5
const maxRowGap = 3.2
/**
 * A row is separate from the rows before it if it is further away by this factor of their distance, and by this many
 * ems.
 */
const minSeparation = 2
const minSeparationEms = 2.2
/** Maximum vertical distance between the captions of two tables side by side, in ems. */
const maxCaptionShift = 2
/** Maximum line distance in a cell, and maximum distance between the left edges of its lines, in ems. */
const maxCellLeading = 1.5
const maxCellShift = 0.3

/**
 * Replaces each table that has a caption with one segment that contains the table. It runs before the columns of the
 * page are detected, so that a table across both columns stays whole.
 */
export function extractTables(segments: readonly Segment[], rules: readonly Rule[]): Segment[] {
  const captions = segments.filter((segment) => isCaption(segment)).slice(0, maxCaptions)
  if (captions.length === 0) return [...segments]
  const extent = extentOf(segments)
  const width = extent.x1 - extent.x0
  const prose = segments.filter(
    (segment) => textOf(segment).length >= minGutterCharacters && segment.x1 - segment.x0 < width * 0.6,
  )
  const gutter = findGutter(prose, 0)?.x ?? middleGutter(prose, extent)
  const joined = joinRules(rules)
  let rest = [...segments]
  for (const caption of captions) {
    const zone = zoneOf(rest, { caption, gutter, rules: joined })
    const [top] = zone?.rows ?? []
    if (!zone || !top) continue
    const taken = new Set(zone.rows.flatMap((row) => row.segments))
    const table: Table = { lineCount: zone.rows.length, rows: zone.cells, mono: false }
    rest = rest.filter((segment) => !taken.has(segment))
    rest.push({ x0: zone.x0, x1: zone.x1, y: top.y, size: top.size, runs: [], table })
  }
  return rest
}

/** The middle of the page if it has prose on both sides and hardly any text crosses the middle. */
function middleGutter(prose: readonly Segment[], { x0, x1 }: Extent): number | undefined {
  const middle = (x0 + x1) / 2
  const left = prose.filter((segment) => segment.x1 <= middle).length
  const right = prose.filter((segment) => segment.x0 >= middle).length
  const crossing = prose.length - left - right
  return Math.min(left, right) >= minColumnLines && crossing <= prose.length / 8 ? middle : undefined
}

/**
 * The rows of the table that belongs to a caption: below it, otherwise above it; in its column, otherwise across both.
 */
function zoneOf(
  segments: readonly Segment[],
  { caption, gutter, rules }: { caption: Segment; gutter: number | undefined; rules: readonly Rule[] },
): Zone | null {
  for (const limits of limitsOf(caption, gutter)) {
    const inside = segments.filter(({ x0, x1 }) => x0 >= limits.x0 && x1 <= limits.x1)
    const rows = rowsOf(inside)
    const index = rows.findIndex((row) => row.segments.includes(caption))
    const [after, before] = [rows.slice(index + 1), rows.slice(0, Math.max(0, index)).toReversed()]
    const below = collect(after, caption, true)
    const above = collect(before, caption, false).toReversed()
    const found = countMultiple(below) >= 2 ? below : above
    const table = ruledTable([
      findRuledRows(inside, { caption, rules, ahead: after, isBelow: true, found }),
      findRuledRows(inside, { caption, rules, ahead: before, isBelow: false, found }),
    ])
    if (!table && countMultiple(found) < 2) continue
    const best = table?.rows ?? found
    if (
      limits.other &&
      (limits.isBoth
        ? isBesideProse(best, limits.other)
        : continuesBeside(best, { segments, caption, other: limits.other }))
    )
      continue
    const cells = table?.cells ?? arrangeRows(found)
    return cells && { rows: best, cells, ...extentOf(best.flatMap((row) => row.cells)) }
  }
  return null
}

/** The first of these candidates whose rows have columns. */
function ruledTable(candidates: readonly (RuledRows | null)[]): Pick<Zone, 'rows' | 'cells'> | null {
  for (const candidate of candidates) {
    const cells = candidate && countMultiple(candidate.rows) > 0 ? arrangeRows(candidate.rows, candidate.rules) : null
    if (candidate && cells) return { rows: candidate.rows, cells }
  }
  return null
}

/** Whether the other column of the page contains its own text beside the rows. */
function isBesideProse(rows: readonly Row[], other: { x0: number; x1: number }): boolean {
  const beside = rows.filter(({ cells }) =>
    cells.some((cell) => cell.x0 >= other.x0 && cell.x1 <= other.x1 && lengthOf(cell.pieces) >= minColumnCharacters),
  )
  return beside.length > rows.length * 0.2
}

/**
 * Whether most rows continue in the other column of the page with short cells. There must be no other caption there.
 */
function continuesBeside(
  rows: readonly Row[],
  { segments, caption, other }: { segments: readonly Segment[]; caption: Segment; other: { x0: number; x1: number } },
): boolean {
  const beside = segments.filter(({ x0, x1 }) => x0 >= other.x0 && x1 <= other.x1)
  const near = beside.filter(({ y }) => Math.abs(y - caption.y) < caption.size * maxCaptionShift)
  if (near.some((segment) => isCaption(segment))) return false
  const rest = rows.map(({ y, size }) => beside.filter((segment) => Math.abs(segment.y - y) < size * 0.3))
  const short = rest.filter(
    (part) => part.length > 0 && part.every((segment) => textOf(segment).length < minColumnCharacters),
  )
  return short.length > rows.length * 0.6
}

interface Limits {
  x0: number
  x1: number
  isBoth?: boolean
  /** The column that does not contain the caption. */
  other?: { x0: number; x1: number }
}

/** The columns that a table with this caption may occupy: its own column, or both. */
function limitsOf({ x0, x1 }: Segment, gutter: number | undefined): Limits[] {
  const both = { x0: -Infinity, x1: Infinity }
  if (gutter === undefined || (x0 < gutter && x1 > gutter)) return [both]
  const [left, right] = [
    { x0: -Infinity, x1: gutter },
    { x0: gutter, x1: Infinity },
  ]
  return x1 <= gutter
    ? [
        { ...left, other: right },
        { ...both, isBoth: true, other: right },
      ]
    : [
        { ...right, other: left },
        { ...both, isBoth: true, other: left },
      ]
}

/** The rows that start at a caption and end at prose, a heading, another caption or a large gap. */
function collect(rows: readonly Row[], caption: Segment, isBelow: boolean): Row[] {
  const zone: Row[] = []
  const width = Math.max(...rows.map((row) => widthOf(row)), 1)
  let y = caption.y
  let started = false
  let lead: Row[] = []
  let line = caption
  let end = 0
  for (const row of rows.slice(0, maxRows)) {
    if (Math.abs(row.y - y) > Math.max(row.size, caption.size) * (started ? maxRowGap : maxRowGap + 1)) break
    y = row.y
    if (row.segments.some((segment) => segment.table !== undefined || isCaption(segment))) break
    const isSingle = row.cells.length < 2
    const next = isBelow && !started ? lineOfCaption(row, line, caption) : null
    if (next) {
      line = next
      continue
    }
    if (!started && isSingle && isBelow) {
      lead = isColumnHead(row, caption) ? [row] : [] // or the caption continues
      continue
    }
    const continues = isBelow && continuesCell(row, zone)
    if ((!continues && isProse(row, width)) || row.size > caption.size * 1.35 || isForeign(row, zone)) break
    started = true
    zone.push(row)
    if (!isSingle || continues) end = zone.length
  }
  zone.length = end
  const at = zone.findIndex((row) => row.cells.length > 1)
  const first = zone[at]
  return first && zone.slice(0, at).every((row) => isLineOfCell(row, first)) ? [...lead, ...zone] : []
}

/**
 * The next line of a caption if the line above fills its column. The line may contain a wide space between two
 * sentences.
 */
function lineOfCaption({ segments, y }: Row, above: Segment, caption: Segment): Segment | null {
  const [segment] = segments
  if (!segment || segments.length > 1 || y - above.y > segment.size * maxCellLeading) return null
  const near = segment.size * maxCellShift
  const isAligned = Math.abs(segment.x0 - caption.x0) < near && Math.abs(above.x1 - caption.x1) < near
  return isAligned && segment.x1 < caption.x1 + near ? segment : null
}

/**
 * Whether a row is a heading or running head: it is apart from the rows of the table and has no cell in a column after
 * the first.
 */
function isForeign(row: Row, zone: readonly Row[]): boolean {
  const divided = zone.filter(({ cells }) => cells.length > 1)
  const last = zone.at(-1)
  if (!last || divided.length < 2) return false
  const usual = median(zone.slice(1).map(({ y }, index) => Math.abs(y - (zone[index]?.y ?? y))))
  if (Math.abs(row.y - last.y) < Math.max(usual * minSeparation, row.size * minSeparationEms)) return false
  const second = Math.min(...divided.map(({ cells }) => cells[1]?.x0 ?? Infinity))
  const { x1 } = extentOf(divided.flatMap(({ cells }) => cells))
  return !row.cells.some((cell) => cell.x1 > second && cell.x0 < x1)
}

/** Whether a row is another line of a cell of the last row with several cells. */
function continuesCell(row: Row, zone: readonly Row[]): boolean {
  const [above, first] = [zone.at(-1), zone.findLast(({ cells }) => cells.length > 1)]
  return (
    above !== undefined &&
    first !== undefined &&
    row.y - above.y <= row.size * maxCellLeading &&
    isLineOfCell(row, first)
  )
}

/** Whether a row has one cell, which is aligned with a cell of another row other than its first. */
function isLineOfCell({ cells, size }: Row, { cells: [, ...others] }: Row): boolean {
  const [cell] = cells
  return (
    cell !== undefined && cells.length === 1 && others.some(({ x0 }) => Math.abs(cell.x0 - x0) < size * maxCellShift)
  )
}

/**
 * Whether a single cell is a heading over some of the columns: it is short and does not begin below the start of the
 * caption.
 */
function isColumnHead({ cells: [cell], size }: Row, caption: Segment): boolean {
  return cell !== undefined && lengthOf(cell.pieces) <= maxHeadCharacters && Math.abs(cell.x0 - caption.x0) > size * 2
}

function isProse(row: Row, width: number): boolean {
  if (row.cells.length > 2) return false
  const [cell] = row.cells.toSorted((a, b) => b.x1 - b.x0 - (a.x1 - a.x0))
  if (!cell) return true
  if (row.cells.length === 2 && row.cells.every((part) => lengthOf(part.pieces) >= minColumnCharacters)) return true
  return (
    lengthOf(cell.pieces) >= minProseCharacters && cell.x1 - cell.x0 > width * (row.cells.length === 1 ? 0.6 : 0.85)
  )
}

function widthOf({ cells }: Row): number {
  return (cells.at(-1)?.x1 ?? 0) - (cells[0]?.x0 ?? 0)
}

function countMultiple(rows: readonly Row[]): number {
  return rows.filter(({ cells }) => cells.length > 1).length
}
