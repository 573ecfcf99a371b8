import { countCharacters } from '../characters/count-characters.ts'
import type { Segment } from '../page/page-parts.ts'
import type { TextRun } from '../page/pdf-file.ts'
import { extentOf, median, type Extent } from '../page/extent.ts'
import { startsMidSentence, textOf } from '../page/segments.ts'
import { leader, pageNumber } from '../characters/text.ts'

const minRows = 5
/** Minimum width of a text column beside a margin: as a share of the region, and in ems. */
const minColumnShare = 0.5
const minColumnEms = 16
/**
 * Maximum number of margin notes, relative to the rows of the column. More than that form a column of their own.
 * Command names do not count.
 */
const maxNoteShare = 0.8
/** Tolerance for the start or end of a line at the edge of its column, in points. The edge is known to three points. */
const edgeWidth = 4
/**
 * In ems: the minimum gap between a column and a margin note, that gap if both are code, and the maximum distance to a
 * line that continues the one above it.
 */
const minGap = 0.4
const minCodeGap = 0.7
const maxLeading = 1.75
/** Maximum free width at the end of a line that continues on the next line, as a share of the column. */
const maxFreeShare = 0.08
/** The number of lines without a gap that show that the text is wider than the column. */
const minWideLines = 2

/** Margin notes one below the other. */
interface MarginNote {
  segments: Segment[]
  /** The baseline where the paragraph beside them begins. */
  y: number
}

/**
 * Splits a region at margin notes that are beside the middle of a paragraph. Each note is read before its paragraph. A
 * note beside only the first line of a paragraph stays in place, like a term before its definition.
 */
export function separateMarginNotes(whole: readonly Segment[]): Segment[][] {
  const column = whole.length < minRows ? null : findColumn(whole)
  if (!column) return [[...whole]]
  const gap = medianSize(whole) * minGap
  const lines = wideLines(whole, column, gap)
  const region = whole.flatMap((segment) => (lines.has(segment) ? [segment] : splitAtEdges(segment, column, gap)))
  const isNote = (segment: Segment): boolean =>
    segment.table === undefined && (segment.x1 <= column.x0 - gap || segment.x0 >= column.x1 + gap)
  const rows = region.filter((segment) => !isNote(segment)).sort((a, b) => a.y - b.y)
  const beside = region.filter(isNote)
  const words = beside.filter(({ runs }) => !isCommandName(runs))
  if (beside.length === 0 || words.length > rows.length * maxNoteShare) return [[...region]]
  const notes = groupNotes(beside, column).flatMap((segments) => placeNote(segments, rows, column))
  return notes.length === 0 ? [[...region]] : divideAt(region, notes)
}

/**
 * Lines that begin to the left of the column, at an edge that they share with other lines without a gap at the column
 * edge. They belong to wider text above or below the column.
 */
function wideLines(whole: readonly Segment[], column: Extent, gap: number): Set<Segment> {
  const wide = whole.filter(({ x0, x1 }) => x0 <= column.x0 - gap && x1 > column.x1 - edgeWidth)
  const edges = new Map<number, number>()
  for (const segment of wide) {
    if (splitAtEdges(segment, column, gap).length > 1) continue
    const at = Math.round(segment.x0 / 2)
    for (const near of [at - 1, at, at + 1]) edges.set(near, (edges.get(near) ?? 0) + 1)
  }
  return new Set(wide.filter(({ x0 }) => (edges.get(Math.round(x0 / 2)) ?? 0) >= minWideLines))
}

/** Splits a segment that joins a margin note to the adjacent line of the column. */
function splitAtEdges(segment: Segment, { x0, x1 }: Extent, gap: number): Segment[] {
  if (segment.table || segment.formula !== undefined || (segment.x0 > x0 - gap && segment.x1 < x1 + gap))
    return [segment]
  const { runs } = segment
  const at = runs.findIndex((run, index) => {
    const last = runs[index - 1]
    const least = last?.font.mono && run.font.mono ? run.size * minCodeGap : gap
    if (!last || run.rtl || run.x - (last.x + last.width) < least) return false
    return Math.abs(run.x - x0) < edgeWidth || Math.abs(last.x + last.width - x1) < edgeWidth
  })
  return at < 0 ? [segment] : [runs.slice(0, at), runs.slice(at)].map(segmentOf)
}

function segmentOf(runs: TextRun[]): Segment {
  const largest = runs.reduce((a, b) => (b.size > a.size * 1.05 ? b : a))
  const { x0, x1 } = extentOf(runs.map(({ x, width }) => ({ x0: x, x1: x + width })))
  return { x0, x1, y: largest.y, size: largest.size, runs }
}

function medianSize(region: readonly Segment[]): number {
  return median(region.map(({ size }) => size))
}

/**
 * The left and right edges that most of the text of a region shares; null for text in several columns or from right to
 * left.
 */
function findColumn(region: readonly Segment[]): Extent | null {
  const lines = region.filter(({ table, runs }) => !table && !runs.some(({ rtl }) => rtl) && !isCode(runs))
  const left = mostCommonEdge(lines, ({ x0 }) => x0)
  const right = mostCommonEdge(lines, ({ x1 }) => x1)
  if (left === null || right === null) return null
  const whole = extentOf(region)
  const width = right - left
  const isWide = width >= medianSize(region) * minColumnEms && width >= (whole.x1 - whole.x0) * minColumnShare
  return isWide ? { x0: left, x1: right } : null
}

function isCode(runs: readonly TextRun[]): boolean {
  return countCharacters(runs.filter(({ font }) => font.mono)) > countCharacters(runs) / 2
}

/** Whether a note is a command name. A line number is not. */
function isCommandName(runs: readonly TextRun[]): boolean {
  return isCode(runs) && runs.some(({ text }) => /\p{L}/u.test(text))
}

/** The edge that the segments with the most text share; null if less than a quarter of the text has it. */
function mostCommonEdge(segments: readonly Segment[], edge: (segment: Segment) => number): number | null {
  const widths = new Map<number, number>()
  let total = 0
  for (const segment of segments) {
    const width = segment.x1 - segment.x0
    const at = Math.round(edge(segment) / 2)
    total += width
    for (const near of [at - 1, at, at + 1]) widths.set(near, (widths.get(near) ?? 0) + width)
  }
  const [at, width] = [...widths].reduce((a, b) => (b[1] > a[1] ? b : a), [0, 0])
  return width >= total / 4 && width > 0 ? at * 2 : null
}

/** Groups notes on the same side that are close below each other. */
function groupNotes(beside: readonly Segment[], column: Extent): Segment[][] {
  const groups: Segment[][] = []
  for (const segment of beside.toSorted((a, b) => a.y - b.y)) {
    const group = groups.findLast(([first]) => first && first.x0 < column.x0 === segment.x0 < column.x0)
    const last = group?.at(-1)
    if (group && last && segment.y - last.y < segment.size * maxLeading) group.push(segment)
    else groups.push([segment])
  }
  return groups
}

/**
 * The note with its place in the reading order if it is beside a line that continues the line above; empty if it may
 * stay in place.
 */
function placeNote(segments: readonly Segment[], rows: readonly Segment[], column: Extent): MarginNote[] {
  const places = segments.map((note) => rows.findIndex((row) => Math.abs(row.y - note.y) < row.size * 0.6))
  const isOnTheRight = (segments[0]?.x0 ?? 0) >= column.x1
  // A note to the right of a line interrupts a sentence that continues on the next line.
  const interrupts = (at: number): boolean =>
    continuesRowAbove(rows, at, column) || (isOnTheRight && continuesRowAbove(rows, rowBelow(rows, at), column))
  if (!places.some((at) => at >= 0 && interrupts(at))) return []
  let at = places.find((place) => place >= 0) ?? 0
  while (at > 0 && (continuesRowAbove(rows, at, column) || sharesRow(rows, at))) at -= 1
  return [{ segments: [...segments], y: rows[at]?.y ?? 0 }]
}

function rowBelow(rows: readonly Segment[], at: number): number {
  const y = rows[at]?.y ?? Infinity
  return rows.findIndex((row) => row.y - y >= row.size * 0.6)
}

function sharesRow(rows: readonly Segment[], at: number): boolean {
  const [row, above] = [rows[at], rows[at - 1]]
  return row !== undefined && above !== undefined && row.y - above.y < row.size * 0.6
}

/** Whether a row continues the sentence of the row above it, which must fill the column. */
function continuesRowAbove(rows: readonly Segment[], at: number, column: Extent): boolean {
  const row = rows[at]
  if (!row || row.table || beginsParagraph(row, column)) return false
  const above = rows.findLast((other, index) => index < at && row.y - other.y >= row.size * 0.6)
  if (!above || above.table || row.y - above.y > Math.max(row.size, above.size) * maxLeading) return false
  const end = rows
    .filter(({ y }) => Math.abs(y - above.y) < row.size * 0.3)
    .reduce((a, b) => (b.x1 > a.x1 ? b : a), above)
  const free = column.x1 - end.x1
  if (free >= (column.x1 - column.x0) * maxFreeShare) return false
  // Entries of a table of contents fill their lines with dots, or end with a number far to the right.
  const isEntry = [end, row].some((each) => leader.test(textOf(each)) && !each.runs.some(({ rtl }) => rtl))
  const isNumber = end.x0 > (column.x0 + column.x1) / 2 && pageNumber.test(textOf(end))
  return !isEntry && !isNumber && !/[.:!?]\s*$/.test(textOf(end))
}

/**
 * Whether a row is indented and so begins a paragraph. Rows with a hanging indent, which begin in the middle of a
 * sentence, do not.
 */
function beginsParagraph(segment: Segment, column: Extent): boolean {
  const indent = segment.x0 - column.x0
  return indent > segment.size * (startsMidSentence(segment) ? 6 : 0.8)
}

function divideAt(region: readonly Segment[], notes: readonly MarginNote[]): Segment[][] {
  const moved = new Set(notes.flatMap(({ segments }) => segments))
  const others = region.filter((segment) => !moved.has(segment))
  const parts: Segment[][] = []
  let top = -Infinity
  for (const { segments, y } of notes.toSorted((a, b) => a.y - b.y)) {
    // Superscripts belong to their line.
    const limit = y - (segments[0]?.size ?? 0) * 0.6
    parts.push(
      others.filter((segment) => segment.y > top && segment.y <= limit),
      segments,
    )
    top = Math.max(top, limit)
  }
  parts.push(others.filter((segment) => segment.y > top))
  return parts.filter((part) => part.length > 0)
}
