import { nextBelow, splitTail } from './column-tails.ts'
import { extentOf, median, type Extent } from '../page/extent.ts'
import type { Segment } from '../page/page-parts.ts'
import { rowsOf } from './side-metrics.ts'

/** Tolerance for edges, and maximum indent of the first line of a paragraph, in ems. */
const [maxShift, maxIndent] = [0.2, 3]
/** Minimum difference in height of lines that are not level, and maximum line distance in a paragraph, in ems. */
const [minFall, maxLeading] = [0.4, 1.7]
/** Minimum width of the narrowest of several columns of text, relative to the widest, and minimum mean number of lines. */
const [minEqualWidth, minTextRows] = [0.75, 2.5]
/** Sizes relative to the text: the minimum of a heading, and the maximum of a note. */
const [minHeading, maxNote] = [1.1, 0.9]
/** Maximum line distance between paragraphs and headings of a column below the end of the other columns, in ems. */
const maxTailSpace = 2.5
/** Maximum number of other segments beside the columns, relative to the segments in the columns. */
const maxOthers = 0.5

/**
 * Divides a region at groups of columns. For each group: the text above it, its columns, and other text beside them;
 * finally the text below.
 */
export function divideAtColumns(region: readonly Segment[], groups: readonly Segment[][][]): Segment[][] {
  let rest = [...region]
  const parts: Segment[][] = []
  for (const group of joinGroups(region, groups)) {
    const isText = areTextColumns(group)
    const paragraphs = isText ? group.map((column, index) => (index === 0 ? column : addHead(column, rest))) : group
    const taken = new Set(paragraphs.flat())
    const [top, bottom] = [topOf(paragraphs), Math.max(...paragraphs.flat().map(({ y }) => y))]
    const inside = rest.filter((segment) => !taken.has(segment) && segment.y >= top - 2 && segment.y <= bottom + 2)
    if (inside.length > taken.size * maxOthers || paragraphs.flat().some((segment) => !rest.includes(segment))) continue
    const below = rest.filter(({ y }) => y > bottom + 2)
    const { columns, others } = isText ? fillColumns(paragraphs, inside) : { columns: paragraphs, others: inside }
    const whole = isText ? columns.map((column) => addTail(column, columns, below)) : columns
    parts.push(
      rest.filter(({ y }) => y < top - 2),
      ...whole,
      others,
    )
    const read = new Set(whole.flat())
    rest = below.filter((segment) => !read.has(segment))
  }
  return [...parts, rest].filter((part) => part.length > 0)
}

/**
 * Joins groups of columns that continue each other: paragraphs below others in the same columns, at different heights.
 * The rows of a table begin at one height, and columns end at a blank strip or a line across them.
 */
function joinGroups(region: readonly Segment[], groups: readonly Segment[][][]): Segment[][][] {
  const joined: Segment[][][] = []
  for (const group of groups.toSorted((a, b) => topOf(a) - topOf(b))) {
    const above = joined.at(-1) ?? []
    const both = beginsAtDifferentHeights(group) ? appendColumns(above, group) : null
    if (both && areTextColumns(both) && isUnbroken(region, both)) joined.splice(-1, 1, both)
    else joined.push(group)
  }
  return joined
}

function beginsAtDifferentHeights(group: readonly Segment[][]): boolean {
  const tops = group.map((column) => topOf([column]))
  return Math.max(...tops) - Math.min(...tops) > (group[0]?.[0]?.size ?? 0) * minFall
}

/** The columns above, each with the one that continues it below; null if one continues none of them. */
function appendColumns(above: readonly Segment[][], group: readonly Segment[][]): Segment[][] | null {
  const both = above.map((column) => [...column])
  for (const column of group) {
    const continued = columnAbove(both, column)
    if (!continued) return null
    continued.push(...column)
  }
  return both
}

/** Whether no blank strip and no line across several columns interrupts them. */
function isUnbroken(region: readonly Segment[], group: readonly Segment[][]): boolean {
  const [top, bottom] = [topOf(group), Math.max(...group.flat().map(({ y }) => y))]
  const inside = region.filter(({ y }) => y >= top && y <= bottom).sort((a, b) => a.y - b.y)
  const columns = group.map(extentOf)
  return inside.every((segment, index) => {
    const crossed = columns.filter(({ x0, x1 }) => segment.x0 < x1 && segment.x1 > x0)
    return crossed.length < 2 && segment.y - (inside[index - 1]?.y ?? segment.y) <= segment.size * maxLeading
  })
}

/** The column among those above in which a column continues. */
function columnAbove(above: readonly Segment[][], column: readonly Segment[]): Segment[] | undefined {
  const { x0, x1 } = extentOf(column)
  const indent = (column[0]?.size ?? 0) * maxIndent
  return above.find((other) => {
    const extent = extentOf(other)
    return Math.abs(extent.x0 - x0) <= indent && x0 < extent.x1 && x1 > extent.x0
  })
}

/**
 * Whether columns consist of text, and not of cells or listings: they are equally wide, and each has several lines of
 * paragraphs.
 */
function areTextColumns(columns: readonly Segment[][]): boolean {
  const widths = columns.map(extentOf).map(({ x0, x1 }) => x1 - x0)
  if (Math.min(...widths) < Math.max(...widths) * minEqualWidth) return false
  if (columns.flatMap(rowsOf).length < columns.length * minTextRows) return false
  return !columns.flat().some(({ runs }) => runs.some(({ font, rtl }) => font.mono || rtl))
}

/**
 * Adds to each column the text between its edges, such as headings and the line of a paragraph that the next column
 * continues. `others` is the text that is in no column.
 */
function fillColumns(
  paragraphs: readonly Segment[][],
  inside: readonly Segment[],
): { columns: Segment[][]; others: Segment[] } {
  const columns = paragraphs.map((segments) => ({ extent: extentOf(segments), segments: [...segments] }))
  const size = median(paragraphs.flat().map((segment) => segment.size))
  const others = inside.filter((segment) => {
    const isNote = segment.size < size * maxNote
    const column = isNote ? undefined : columns.find(({ extent }) => isWithin(segment, extent))
    column?.segments.push(segment)
    return column === undefined
  })
  return { columns: columns.map(({ segments }) => segments.sort((a, b) => a.y - b.y)), others }
}

function isWithin({ x0, x1, size }: Segment, extent: Extent): boolean {
  return x0 >= extent.x0 - size * maxShift && x1 <= extent.x1 + size * maxShift
}

/** A column with the lines above it that it continues. Those of the first column may belong to the text above both. */
function addHead(column: readonly Segment[], region: readonly Segment[]): Segment[] {
  const extent = extentOf(column)
  const whole = column.toSorted((a, b) => a.y - b.y)
  for (const segment of region.toSorted((a, b) => b.y - a.y)) {
    const [first] = whole
    if (!first || segment.y >= first.y || segment.x1 < extent.x0 || segment.x0 > extent.x1) continue
    if (!isWithin(segment, extent) || first.y - segment.y > segment.size * maxLeading) break
    whole.unshift(segment)
  }
  return whole
}

/** A column with the lines that continue it below the end of the other columns. */
function addTail(column: readonly Segment[], columns: readonly Segment[][], below: readonly Segment[]): Segment[] {
  const extent = extentOf(column)
  const whole = [...column]
  for (const segment of below.toSorted((a, b) => a.y - b.y)) {
    if (segment.x1 < extent.x0 || segment.x0 > extent.x1) continue
    const last = whole.at(-1) ?? segment
    const space = (segment.y - last.y) / Math.max(segment.size, last.size)
    if (!isWithin(segment, extent) || space > maxTailSpace) break
    whole.push(segment)
  }
  const size = median(column.map((segment) => segment.size))
  while (whole.length > column.length && isHeading(whole.at(-1), size)) whole.pop()
  if (whole.length === column.length) return whole
  const others = columns.filter((other) => other !== column).flat()
  return splitTail(whole, others, nextBelow(below, whole))[0]
}

/** Whether a segment is a heading of the text below it, in a column with text of this size. */
function isHeading(segment: Segment | undefined, size: number): boolean {
  return segment !== undefined && segment.size > size * minHeading
}

function topOf(columns: readonly (readonly Segment[])[]): number {
  return Math.min(...columns.flat().map(({ y }) => y))
}
