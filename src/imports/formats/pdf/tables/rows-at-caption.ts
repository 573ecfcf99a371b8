import { extentOf, median } from '../page/extent.ts'
import type { Segment } from '../page/page-parts.ts'
import { countCharacters } from '../characters/count-characters.ts'
import { isCaption } from './table-rows.ts'
import type { Row } from './table-rows.ts'

const maxRows = 200
/** Minimum number of characters in a single cell that fills most of the width and is prose. */
const minProseCharacters = 45
/** Two adjacent cells with this many characters are lines of two columns of text. */
export const minColumnCharacters = 28
/** Maximum length of a single cell that may be a heading over several columns. */
const maxHeadCharacters = 30
const maxRowGap = 3.2
/**
 * A row is separate from the rows before it if it is further away by this factor of their distance, and by this many
 * ems.
 */
const minSeparation = 2
const minSeparationEms = 2.2
/** Maximum line distance in a cell, and maximum distance between the left edges of its lines, in ems. */
const maxCellLeading = 1.5
const maxCellShift = 0.3

/** The rows that start at a caption and end at prose, a heading, another caption or a large gap. */
export function collectRows(rows: readonly Row[], caption: Segment, isBelow: boolean): Row[] {
  const zone: Row[] = []
  const width = Math.max(...rows.map((row) => widthOf(row)), 1)
  let [y, height] = [caption.y, 0]
  let started = false
  let lead: Row[] = []
  let line = caption
  let end = 0
  for (const row of rows.slice(0, maxRows)) {
    const gap = Math.abs(row.y - y) - Math.max(height, row.rotatedHeight)
    if (gap > Math.max(row.size, caption.size) * (started ? maxRowGap : maxRowGap + 1)) break
    ;[y, height] = [row.y, row.rotatedHeight]
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
 * Whether a row is a heading or running head: it is separate from the rows of the table and has no cell in a column after
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
  return (
    cell !== undefined && countCharacters(cell.pieces) <= maxHeadCharacters && Math.abs(cell.x0 - caption.x0) > size * 2
  )
}

function isProse(row: Row, width: number): boolean {
  if (row.cells.length > 2) return false
  const [cell] = row.cells.toSorted((a, b) => b.x1 - b.x0 - (a.x1 - a.x0))
  if (!cell) return true
  if (row.cells.length === 2 && row.cells.every((part) => countCharacters(part.pieces) >= minColumnCharacters))
    return true
  return (
    countCharacters(cell.pieces) >= minProseCharacters &&
    cell.x1 - cell.x0 > width * (row.cells.length === 1 ? 0.6 : 0.85)
  )
}

function widthOf({ cells }: Row): number {
  return (cells.at(-1)?.x1 ?? 0) - (cells[0]?.x0 ?? 0)
}
