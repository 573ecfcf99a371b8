import { divideAtColumns } from './column-groups.ts'
import { extentOf } from '../page/extent.ts'
import { startsMidSentence, textOf } from '../page/segments.ts'
import { rowsOf } from './side-metrics.ts'
import type { Segment } from '../page/page-parts.ts'

/** A paragraph in a column: lines that begin at the same edge and are close below each other. */
export interface TextBlock {
  x0: number
  x1: number
  /** The left edge of its last line. */
  edge: number
  segments: Segment[]
}

/** Minimum and maximum line distance in a paragraph, in ems. */
const minFall = 0.4
const maxLeading = 1.7
/**
 * Tolerance for lines at the same edge, and the maximum indent of the first line of a paragraph or hanging indent of a
 * list item, in ems.
 */
const maxShift = 0.2
const maxIndent = 3
const itemStart = /^(?:[[(]?[\p{L}\p{N}]{1,3}[\]).]|[–—•*-])\s/u
const minCharacters = 20
/** The minimum share of lines of a paragraph, not counting the first, that begin in the middle of a sentence. */
const minRunning = 0.3
/** Minimum width of a line of a paragraph that continues on the next line, relative to the width of the paragraph. */
const minFill = 0.75
/** Minimum gap between two columns, in ems. */
const minGap = 0.7

/**
 * Splits a region at paragraphs that are side by side, as in posters, exams in two languages and short columns above a
 * table. Each column is read separately. Text beside shorter text, such as a term, stays in place, and table cells are
 * still read row by row.
 */
export function separateShortColumns(region: readonly Segment[]): Segment[][] {
  if (!hasSharedRows(region)) return [[...region]]
  const blocks = findParagraphs(region)
  const groups =
    blocks.length < 2
      ? []
      : groupSideBySide(blocks)
          .map(columnsOf)
          .filter((group) => group !== null)
  return groups.length === 0 ? [[...region]] : divideAtColumns(region, groups)
}

/** Whether any segments of a region are side by side. */
export function hasSharedRows(region: readonly Segment[]): boolean {
  const sorted = region.toSorted((a, b) => a.y - b.y)
  return sorted.some((segment, index) => {
    const next = sorted[index + 1]
    return next !== undefined && !segment.table && !next.table && isBesideRow(segment, next)
  })
}

function isBesideRow(a: Segment, b: Segment): boolean {
  const gap = Math.max(a.x0, b.x0) - Math.min(a.x1, b.x1)
  return Math.abs(a.y - b.y) < a.size && gap > a.size * minGap
}

/** The paragraphs of a region whose sentences run from line to line. */
export function findParagraphs(region: readonly Segment[]): TextBlock[] {
  return findBlocks(region).filter(isRunning)
}

function findBlocks(region: readonly Segment[]): TextBlock[] {
  const blocks: TextBlock[] = []
  for (const segment of region.toSorted((a, b) => a.y - b.y || a.x0 - b.x0)) {
    if (segment.table || segment.formula !== undefined) continue
    const block = blocks.findLast((candidate) => belongs(candidate, segment))
    if (block) {
      const isNextLine = segment.y - (block.segments.at(-1)?.y ?? 0) >= segment.size * minFall
      if (isNextLine) block.edge = segment.x0
      block.segments.push(segment)
      block.x0 = Math.min(block.x0, segment.x0)
      block.x1 = Math.max(block.x1, segment.x1)
    } else blocks.push({ x0: segment.x0, x1: segment.x1, edge: segment.x0, segments: [segment] })
  }
  return blocks
}

function belongs({ x1, edge, segments }: TextBlock, segment: Segment): boolean {
  const last = segments.at(-1)
  if (!last) return false
  const em = segment.size
  const fall = segment.y - last.y
  // The segment is part of the last line, or a superscript in it.
  if (Math.abs(fall) < em * minFall) return segment.x0 >= last.x1 - em && segment.x1 <= x1 + em * maxShift
  if (fall > em * maxLeading || Math.abs(segment.size - last.size) > em * 0.1) return false
  const shift = segment.x0 - edge
  const isSecond = segments.length === 1 && Math.abs(shift) < em * maxIndent
  if (Math.abs(shift) > em * maxShift && !isSecond) return false
  // Texts are compared last, because a page may have many blocks.
  if (/^[^\p{L}\p{N}("“‘\\]/u.test(textOf(segment)) || (hasEnded(last) && !startsMidSentence(segment))) return false
  if (Math.abs(shift) <= em * maxShift) return true
  const hangs = startsMidSentence(segment) && itemStart.test(textOf(last))
  return shift < 0 || hangs
}

function hasEnded(segment: Segment): boolean {
  return /[.:;!?]$/.test(textOf(segment))
}

/**
 * Whether the lines of a block form continuous text: enough of them begin in the middle of a sentence, below a line that
 * fills the width of the block. Cells of a table may begin in lower case too, but differ in length.
 */
function isRunning({ x0, x1, segments }: TextBlock): boolean {
  const lines = rowsOf(segments)
  const inside = lines.filter(({ first }, index) => {
    const above = lines[index - 1]
    return above !== undefined && above.width >= (x1 - x0) * minFill && startsMidSentence(first)
  })
  const longest = Math.max(...segments.map((segment) => textOf(segment).length))
  return lines.length > 1 && longest >= minCharacters && inside.length >= (lines.length - 1) * minRunning
}

/** Groups blocks that are beside other blocks of the same group. */
function groupSideBySide(blocks: readonly TextBlock[]): TextBlock[][] {
  const groups: TextBlock[][] = []
  for (const block of blocks) {
    const near = groups.filter((group) => group.some((other) => isBeside(block, other)))
    const joined = [...near.flat(), block]
    for (const group of near) groups.splice(groups.indexOf(group), 1)
    groups.push(joined)
  }
  return groups.filter(({ length }) => length > 1)
}

function isBeside(a: TextBlock, b: TextBlock): boolean {
  const em = a.segments[0]?.size ?? 0
  if (Math.max(a.x0, b.x0) - Math.min(a.x1, b.x1) < em * minGap) return false
  const [first, second] = [a, b].map(({ segments }) => [segments[0]?.y ?? 0, segments.at(-1)?.y ?? 0] as const)
  return first !== undefined && second !== undefined && first[0] < second[1] + em && second[0] < first[1] + em
}

/** The columns of a group from left to right; null if they overlap. */
function columnsOf(group: readonly TextBlock[]): Segment[][] | null {
  const columns: TextBlock[][] = []
  for (const block of group.toSorted((a, b) => a.x0 - b.x0)) {
    const column = columns.find((others) => others.some((other) => block.x0 < other.x1))
    if (column) column.push(block)
    else columns.push([block])
  }
  const edges = columns.map(extentOf)
  if (columns.length < 2 || edges.some(({ x0 }, index) => x0 < (edges[index - 1]?.x1 ?? -Infinity))) return null
  return columns.map((column) => column.flatMap(({ segments }) => segments))
}
