import { countCharacters } from '../characters/count-characters.ts'
import { extentOf } from '../page/extent.ts'
import type { Segment } from '../page/page-parts.ts'

/** Limit on the lines across a gutter. A page with more has no columns, or is a drawing. */
const maxSpanning = 200
/** Maximum line distance of a paragraph, and maximum indent of its first line or hanging indent, in ems. */
const maxLeading = 1.5
const maxIndent = 3
/** Maximum distance to the nearest line of the right column, in ems. Headings across both columns have more space. */
const maxSpace = 1.7
/** How far a line may extend into the right column, relative to the width of that column. */
const maxReach = 1 / 3

/** A vertical line between two columns, the segments on both sides of it, and those that cross it. */
export interface Gutter {
  x: number
  left: Segment[]
  right: Segment[]
  spanning: Segment[]
}

/** The segments on both sides of a vertical line. */
export function divideAtLine(segments: readonly Segment[], x: number): Gutter {
  const gutter: Gutter = { x, left: [], right: [], spanning: [] }
  for (const segment of segments) {
    const side = segment.x1 <= x ? gutter.left : segment.x0 >= x ? gutter.right : gutter.spanning
    side.push(segment)
  }
  return gutter
}

/**
 * The lines of the left column that are too long for it and extend over the gutter, because a word could not be
 * hyphenated. The line above or below belongs to the same paragraph and ends before the gutter, and the right column
 * has text beside it. Text across both columns does not.
 */
export function overfullLines({ left, right, spanning }: Gutter): Set<Segment> {
  if (left.length === 0 || right.length === 0 || spanning.length > maxSpanning) return new Set()
  const { x0, x1 } = extentOf(right)
  const end = x0 + (x1 - x0) * maxReach
  return new Set(
    spanning.filter(
      (line) =>
        isProse(line) && line.x1 < end && left.some((other) => isNextLine(line, other)) && isBeside(line, right),
    ),
  )
}

/**
 * Excludes tables, code, whose lines may be longer than the column, and right-to-left text, whose first column is on the
 * right.
 */
function isProse({ table, runs }: Segment): boolean {
  return (
    !table &&
    !runs.some(({ rtl }) => rtl) &&
    countCharacters(runs.filter(({ font }) => font.mono)) < countCharacters(runs) / 2
  )
}

/** Whether two lines may be adjacent lines of one paragraph or list item. */
function isNextLine(line: Segment, other: Segment): boolean {
  const distance = Math.abs(line.y - other.y)
  return (
    distance > line.size * 0.5 &&
    distance < line.size * maxLeading &&
    Math.abs(line.size - other.size) < line.size * 0.1 &&
    Math.abs(line.x0 - other.x0) <= line.size * maxIndent
  )
}

function isBeside({ y, size }: Segment, right: readonly Segment[]): boolean {
  return right.some((other) => Math.abs(other.y - y) < size * maxSpace)
}
