import { extentOf } from '../page/extent.ts'
import { findGutter } from '../columns/reading-order.ts'
import type { Extent } from '../page/extent.ts'
import { collectRows, minColumnCharacters } from './rows-at-caption.ts'
import { arrangeRows } from './table-grid.ts'
import { countCharacters } from '../characters/count-characters.ts'
import { isCaption, rowsOf, textOf } from './table-rows.ts'
import type { Row } from './table-rows.ts'
import type { Segment, Table } from '../page/page-parts.ts'
import type { Rule } from '../page/pdf-file.ts'
import { findRuledRows, joinRules } from './ruled-tables.ts'
import type { RuledRows } from './ruled-tables.ts'

interface Zone extends Extent {
  rows: Row[]
  cells: Table['rows']
  limits: Pick<Limits, 'x0' | 'x1'>
}

type Placed = Pick<Row, 'y' | 'size'>

const maxCaptions = 20
/** Shorter segments, such as table cells, do not indicate the columns of the page. */
const minGutterCharacters = 20
/** Minimum number of lines in each of two columns. */
const minColumnLines = 5
/** Maximum vertical distance between the captions of two tables side by side, in ems. */
const maxCaptionShift = 2
/** Limit on the parts of a table, minimum number of rules between two of them, and maximum distance, in ems. */
const [maxParts, minPartRules, maxPartGap] = [10, 2, 10]
/** How far the rules of a table over both columns extend into the other column at least, in ems. */
const minReach = 2

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
    let zone = zoneOf(rest, { caption, gutter, rules: joined })
    for (let part = 1; zone && part <= maxParts; part++) {
      rest = replaceByTable(rest, zone)
      zone = nextPart(rest, zone, { caption, rules: joined })
    }
  }
  return rest
}

function replaceByTable(segments: readonly Segment[], { x0, x1, rows, cells }: Zone): Segment[] {
  const taken = new Set(rows.flatMap((row) => row.segments))
  const rest = segments.filter((segment) => !taken.has(segment))
  const { y = 0, size = 0 } = rows[0] ?? {}
  return [...rest, { x0, x1, y, size, runs: [], table: { lineCount: rows.length, rows: cells, mono: false } }]
}

/**
 * The next part of a table below its caption whose columns are printed in several parts, one below the other. Only
 * rules separate it from the part above: those that end that part and begin this one.
 */
function nextPart(
  segments: readonly Segment[],
  { rows, limits }: Zone,
  { caption, rules }: { caption: Segment; rules: readonly Rule[] },
): Zone | null {
  const last = rows.at(-1)
  if (!last || last.y < caption.y) return null
  const inside = segments.filter(({ x0, x1, y }) => y > last.y && x0 >= limits.x0 && x1 <= limits.x1)
  const ahead = rowsOf(inside)
  const [next] = ahead
  if (!next || next.y - last.y > next.size * maxPartGap) return null
  const { x0, x1 } = extentOf(next.cells)
  const between = rules.filter((rule) => rule.y > last.y && rule.y < next.y && rule.x0 < x1 && rule.x1 > x0)
  const start = between.at(-1)
  if (!start || between.length < minPartRules) return null
  const place = { caption: { ...start, size: next.size, runs: [] }, rules, ahead, isBelow: true }
  const found = findRuledRows(inside, { ...place, found: collectRows(ahead, place.caption, true) })
  const part = found && ruledTable([found])
  return part && { ...part, limits }
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
    const below = collectRows(after, caption, true)
    const above = collectRows(before, caption, false).toReversed()
    const found = countMultiple(below) >= 2 ? below : above
    const distance = found === below ? distanceBetween(caption, below[0]) : distanceBetween(above.at(-1), caption)
    const sides = [
      findRuledRows(inside, { caption, rules, ahead: after, isBelow: true, found: below }),
      findRuledRows(inside, { caption, rules, ahead: before, isBelow: false, found: above }),
    ]
    // A single row is less likely to be a table than rows that are nearer.
    const table = ruledTable(
      sides.flatMap((side) => (side && (side.rows.length > 1 || side.distance < distance) ? side : [])),
    )
    if (!table && countMultiple(found) < 2) continue
    const best = table?.rows ?? found
    if (!isWithin(best, { limits, segments, caption, rules: table })) continue
    const cells = table?.cells ?? arrangeRows(found)
    return cells && { rows: best, cells, limits, ...extentOf(best.flatMap((row) => row.cells)) }
  }
  return null
}

/** The distance from a baseline to the top of the text of a row below, in points. */
function distanceBetween(above: Placed | undefined, below: Placed | undefined): number {
  return above && below ? below.y - below.size - above.y : Infinity
}

/** The candidate nearest to the caption whose rows have columns. Its extent is that of its rules. */
function ruledTable(candidates: readonly RuledRows[]): Omit<Zone, 'limits'> | null {
  for (const { x0, x1, rows, rules } of candidates.toSorted((a, b) => a.distance - b.distance)) {
    const cells = countMultiple(rows) > 0 ? arrangeRows(rows, rules) : null
    if (cells) return { x0, x1, rows, cells }
  }
  return null
}

/**
 * Whether the rows are a table within these limits: it spans both columns of the page, or the caption's own. `rules` is
 * the extent of its rules, if it was found by them.
 */
function isWithin(
  rows: readonly Row[],
  {
    limits,
    segments,
    caption,
    rules,
  }: { limits: Limits; segments: readonly Segment[]; caption: Segment; rules: Extent | null },
): boolean {
  const { other, isBoth = false } = limits
  if (!other) return true
  if (rules && reachesInto(rules, other, caption.size)) return isBoth
  return isBoth ? !isBesideProse(rows, other) : !continuesBeside(rows, { segments, caption, other })
}

/** Whether the rules of a table extend into the column of the page that does not contain its caption. */
function reachesInto({ x0, x1 }: Extent, other: Extent, size: number): boolean {
  return Math.min(x1, other.x1) - Math.max(x0, other.x0) > size * minReach
}

/** Whether the other column of the page contains its own text beside the rows. */
function isBesideProse(rows: readonly Row[], other: { x0: number; x1: number }): boolean {
  const beside = rows.filter(({ cells }) =>
    cells.some(
      (cell) => cell.x0 >= other.x0 && cell.x1 <= other.x1 && countCharacters(cell.pieces) >= minColumnCharacters,
    ),
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

function countMultiple(rows: readonly Row[]): number {
  return rows.filter(({ cells }) => cells.length > 1).length
}
