import type { Extent } from '../page/extent.ts'
import type { Segment } from '../page/page-parts.ts'
import type { Rule } from '../page/pdf-file.ts'
import { countCharacters } from '../characters/count-characters.ts'
import { isCaption, rowsOf } from './table-rows.ts'
import type { Row } from './table-rows.ts'

/** The part of a page between the first and the last rule of a table. */
interface RuledBox extends Extent {
  top: number
  bottom: number
  /** The y of each rule inside that is as long as these two. */
  rules: number[]
  /** The distance between the caption and the nearest rule, in points. */
  distance: number
}

/** One side of a caption, where its table may be. */
interface CaptionSide {
  caption: Segment
  /** The rules of the page, from `joinRules`. */
  rules: readonly Rule[]
  /** The rows of text on one side of the caption, the nearest first. */
  ahead: readonly Row[]
  isBelow: boolean
}

/** Minimum length of the first and last rule of a table, in ems. */
const minLength = 6
/** Maximum distance between the caption and the nearest rule, in ems, in addition to the lines of the caption. */
const maxDistance = 3
/** Maximum distance between two rows, and between a row and the rule above or below it, in ems. */
const maxGap = { rows: 4, rule: 3 }
/** Maximum difference between the ends of the rules of a table, in points. */
export const maxShift = 3
/** Maximum distance between two rules on one line that are parts of one rule, in points. */
const maxJoin = 3
/** How far text may extend beyond the ends of the rules of its table, in points. */
const maxOverhang = 3
/** Limit on the rules of a page. A page with more is a drawing. */
const maxRules = 1_000
/** Limit on the rows of a table. */
export const maxRows = 200
/** Maximum number of lines of a caption. */
const maxCaptionLines = 8
/** A cell with this many characters that is this much of the width is a line of prose. Two such rows are no table. */
const prose = { characters: 45, width: 0.8 }

/**
 * Joins the rules of a page that continue each other on one line, such as the borders of adjacent cells. Returns none
 * for a drawing. `rules` are from top to bottom.
 */
export function joinRules(rules: readonly Rule[]): Rule[] {
  if (rules.length > maxRules) return []
  const lines: Rule[][] = []
  for (const rule of rules) {
    const line = lines.at(-1)
    if (line?.[0] && rule.y - line[0].y <= 1) line.push(rule)
    else lines.push([rule])
  }
  return lines.flatMap(joinLine)
}

function joinLine(line: readonly Rule[]): Rule[] {
  const joined: Rule[] = []
  for (const rule of line.toSorted((a, b) => a.x0 - b.x0)) {
    const last = joined.at(-1)
    if (last && rule.x0 - last.x1 <= maxJoin) last.x1 = Math.max(last.x1, rule.x1)
    else joined.push({ ...rule })
  }
  return joined
}

/** The rows of a table, the ends of its rules, and the y of each rule between the rows. */
export interface RuledRows extends Extent {
  rows: Row[]
  rules: number[]
  /** The distance between the caption and the nearest rule, in points. */
  distance: number
}

/**
 * Finds the table on one side of a caption by its rules: the first and the last rule have the same ends, as in most
 * printed tables. `found` is the table on that side as it was found without rules. Returns null without such rules, or
 * if that table extends beyond them.
 */
export function findRuledRows(
  segments: readonly Segment[],
  { found, ...side }: CaptionSide & { found: readonly Row[] },
): RuledRows | null {
  const box = findBox(side)
  if (!box) return null
  const beside = segments.filter(({ y }) => y > box.top && y < box.bottom)
  const between = beside.filter(({ x0, x1 }) => x0 < box.x1 && x1 > box.x0)
  if (between.some(({ x0, x1 }) => x0 < box.x0 - maxOverhang || x1 > box.x1 + maxOverhang)) return null
  const inside = rowsOf(between)
  const isWider = found.some(
    ({ y, cells }) => y > box.top && y < box.bottom && cells.some(({ x0, x1 }) => x1 < box.x0 || x0 > box.x1),
  )
  // A single row is a table only if there is no other.
  const isAlone = found.length <= 1 && beside.length === between.length
  if (inside.length < (isAlone ? 1 : 2) || inside.length > maxRows || isWider) return null
  // The head may precede the first of these rules, and rows may follow the last; so may notes.
  const above = side.isBelow ? [] : found.filter(({ y }) => y < box.top)
  const others = found.filter(({ y }) => y > box.bottom)
  const below = others.slice(0, others.findLastIndex((row) => row.cells.length > 1 && isAligned(row, inside)) + 1)
  if (others.slice(below.length).filter(({ cells }) => cells.length > 1).length > inside.length / 3) return null
  const ends = [...(above.length > 0 ? [box.top] : []), ...(below.length > 0 ? [box.bottom] : [])]
  const { x0, x1, distance } = box
  return { x0, x1, distance, rows: [...above, ...inside, ...below], rules: [...box.rules, ...ends] }
}

/** Whether each cell of a row has an edge in common with a cell of other rows. */
function isAligned({ cells }: Row, others: readonly Row[]): boolean {
  return cells.every((cell) => others.some((row) => row.cells.some((other) => sharesEdge(cell, other))))
}

function sharesEdge(one: Extent, other: Extent): boolean {
  return Math.abs(one.x0 - other.x0) < maxOverhang || Math.abs(one.x1 - other.x1) < maxOverhang
}

function findBox({ caption, rules, ahead: rows, isBelow }: CaptionSide): RuledBox | null {
  const direction = isBelow ? 1 : -1
  const ahead = (y: number): number => (y - caption.y) * direction
  const candidates = rules
    .filter((rule) => rule.x1 - rule.x0 >= caption.size * minLength && ahead(rule.y) > -caption.size / 2)
    .toSorted((a, b) => ahead(a.y) - ahead(b.y))
  const first = candidates.find((rule) => rule.x0 < caption.x1 && rule.x1 > caption.x0)
  if (!first) return null
  const before = rows.filter((row) => ahead(row.y) < ahead(first.y))
  if (before.length > maxCaptionLines || before.some((row) => row.cells.length > 1 || isOther(row))) return null
  const start = before.at(-1)?.y ?? caption.y
  if (Math.abs(first.y - start) > caption.size * maxDistance) return null
  const same = candidates.filter((rule) => haveSameEnds(rule, first))
  const last = lastRule(same, rows.slice(before.length), { size: caption.size, ahead })
  if (!last || last === first) return null
  const [top, bottom] = [first.y, last.y].toSorted((a, b) => a - b) as [number, number]
  const inside = same.map(({ y }) => y).filter((y) => y > top && y < bottom)
  // Measured to the top of the text of a caption below.
  const distance = Math.abs(first.y - start) - (isBelow ? 0 : caption.size)
  return { x0: first.x0, x1: first.x1, top, bottom, rules: inside, distance }
}

/** Whether two rules belong to one table. */
export function haveSameEnds(one: Extent, other: Extent): boolean {
  return Math.abs(one.x0 - other.x0) < maxShift && Math.abs(one.x1 - other.x1) < maxShift
}

/** Whether a row belongs to another table or is its caption. */
function isOther({ segments }: Row): boolean {
  return segments.some((segment) => segment.table !== undefined || isCaption(segment))
}

/** The last rule before text that does not belong to the table. `size` is that of the caption. */
function lastRule(
  rules: readonly Rule[],
  rows: readonly Row[],
  { size, ahead }: { size: number; ahead: (y: number) => number },
): Rule | undefined {
  let [last] = rules
  let next = 0
  for (const rule of rules.slice(1)) {
    let [y, gap, proseRows, height] = [last?.y ?? rule.y, maxGap.rule, 0, 0]
    for (let row = rows[next]; row && ahead(row.y) < ahead(rule.y); row = rows[++next]) {
      proseRows = isProse(row, rule) ? proseRows + 1 : 0
      const distance = Math.abs(row.y - y) - Math.max(height, row.rotatedHeight)
      if (isOther(row) || proseRows > 1 || distance > row.size * gap) return last
      ;[y, height] = [row.y, row.rotatedHeight]
      gap = maxGap.rows
    }
    if (Math.abs(rule.y - y) - height > (rows[next - 1]?.size ?? size) * maxGap.rule) return last
    last = rule
  }
  return last
}

function isProse({ cells, size }: Row, { x0, x1 }: Extent): boolean {
  const [cell] = cells
  if (!cell || cells.length > 1) return false
  return (
    countCharacters(cell.pieces) >= prose.characters &&
    cell.x0 - x0 < size * 1.5 &&
    cell.x1 - cell.x0 > (x1 - x0) * prose.width
  )
}
