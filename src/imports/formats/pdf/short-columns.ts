import { extentOf } from './extent.ts'
import { startsInside } from './segments.ts'
import type { Segment } from './page-parts.ts'

/** A paragraph of a column: lines that begin at one edge, one close below the other. */
export interface TextBlock {
  x0: number
  x1: number
  /** Where its last line begins. */
  edge: number
  segments: Segment[]
}

/** Between two lines of a paragraph, in ems. */
const minFall = 0.4
const maxLeading = 1.7
/** How far apart lines of one edge begin, and how far the first line of a paragraph is indented, or the others of an item, in ems. */
const maxShift = 0.2
const maxIndent = 3
const itemStart = /^(?:[[(]?[\p{L}\p{N}]{1,3}[\]).]|[–—•*-])\s/u
const minCharacters = 20
/** The share of the lines of a paragraph behind the first that begin in the middle of a sentence. */
const minRunning = 0.3
/** Between two columns, in ems. */
const minGap = 0.7
/** What else may stand beside the columns, as a share of their lines. */
const maxOthers = 0.5

/**
 * Divides a region at paragraphs that stand side by side, as in posters, exams in two languages and short columns above a table:
 * each is read for itself. What stands beside shorter text, as a term does, stays, and rows of cells follow one another.
 */
export function separateShortColumns(region: readonly Segment[]): Segment[][] {
  if (!hasSharedRows(region)) return [[...region]]
  const blocks = findParagraphs(region)
  const groups =
    blocks.length < 2
      ? []
      : groupBeside(blocks)
          .map(columnsOf)
          .filter((group) => group !== null)
  return groups.length === 0 ? [[...region]] : divideAt(region, groups)
}

/** Whether anything in a region stands beside something else. */
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

/** The paragraphs of a region that run on from line to line. */
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
      Object.assign(block, extentOf(block.segments))
    } else blocks.push({ x0: segment.x0, x1: segment.x1, edge: segment.x0, segments: [segment] })
  }
  return blocks
}

function belongs({ x1, edge, segments }: TextBlock, segment: Segment): boolean {
  const last = segments.at(-1)
  if (!last) return false
  const em = segment.size
  const fall = segment.y - last.y
  // A part of the last line, or what is raised in it.
  if (Math.abs(fall) < em * minFall) return segment.x0 >= last.x1 - em && segment.x1 <= x1 + em * maxShift
  if (/^[^\p{L}\p{N}("“‘\\]/u.test(textOf(segment)) || (hasEnded(last) && !startsInside(segment))) return false
  if (fall > em * maxLeading || Math.abs(segment.size - last.size) > em * 0.1) return false
  const shift = segment.x0 - edge
  const isSecond = segments.length === 1 && Math.abs(shift) < em * maxIndent
  const hangs = startsInside(segment) && itemStart.test(textOf(last))
  return Math.abs(shift) <= em * maxShift || (isSecond && (shift < 0 || hangs))
}

function textOf({ runs }: Segment): string {
  return runs.map(({ text }) => text).join(' ')
}

function hasEnded(segment: Segment): boolean {
  return /[.:;!?]$/.test(textOf(segment))
}

/** Whether the lines of a block are one text: most begin in the middle of a sentence. */
function isRunning({ segments }: TextBlock): boolean {
  const [, ...rest] = segments
  const inside = rest.filter(startsInside).length
  const longest = Math.max(...segments.map((segment) => textOf(segment).length))
  return rest.length > 0 && longest >= minCharacters && inside >= rest.length * minRunning
}

/** Blocks of which each has another one of the group beside it. */
function groupBeside(blocks: readonly TextBlock[]): TextBlock[][] {
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

/** The columns of a group from left to right; null if they reach into each other. */
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

/** What is above each group, its columns, what else stands beside them, and what is below. */
function divideAt(region: readonly Segment[], groups: readonly Segment[][][]): Segment[][] {
  let rest = [...region]
  const parts: Segment[][] = []
  for (const columns of groups.toSorted((a, b) => topOf(a) - topOf(b))) {
    const taken = new Set(columns.flat())
    const [top, bottom] = [topOf(columns), Math.max(...columns.flat().map(({ y }) => y))]
    const inside = rest.filter((segment) => !taken.has(segment) && segment.y >= top - 2 && segment.y <= bottom + 2)
    if (inside.length > taken.size * maxOthers || columns.flat().some((segment) => !rest.includes(segment))) continue
    parts.push(
      rest.filter(({ y }) => y < top - 2),
      ...columns,
      inside,
    )
    rest = rest.filter(({ y }) => y > bottom + 2)
  }
  return [...parts, rest].filter((part) => part.length > 0)
}

function topOf(columns: readonly (readonly Segment[])[]): number {
  return Math.min(...columns.flat().map(({ y }) => y))
}
