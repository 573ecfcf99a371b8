import { minMonoShare } from './code-lines.ts'
import type { LaidOutRegion } from '../lay-out-structured.ts'
import { extentOf, type Extent } from './extent.ts'
import type { Line } from './page-parts.ts'
import { endsSentence, firstWordWidth } from './paragraphs.ts'

/** The free width, in ems, up to which a line counts as full. */
const maxFreeWidth = 4
/** The minimum width of a paragraph beside a picture, relative to the column. */
const minColumnShare = 0.5
/**
 * A line that its author ended has at least this free width, relative to the estimated width of the next word; if it
 * does not end a sentence, also relative to the width of the text.
 */
const [minWordWidths, minFreeShare] = [1.4, 0.3]

/**
 * Marks the lines of paragraphs and list items that end early (`endsWithBreak`), as in a poem or an address. Such a line
 * has enough free width for the first word of the next one.
 */
export function markBreaks(regions: readonly LaidOutRegion[]): LaidOutRegion[] {
  /** The right edge of the text, by its left edge. */
  const rightEdges = new Map<number, number>()
  for (const { part, lines } of regions) {
    if (part?.kind === 'table') continue
    for (const { x0, x1, mono } of lines)
      if (mono < minMonoShare) rightEdges.set(Math.round(x0), Math.max(x1, rightEdges.get(Math.round(x0)) ?? 0))
  }
  const all = regions.flatMap(({ lines }) => lines)
  /** The column of text that the last paragraphs were in, up to the text beside it, and the right edge of its lines. */
  let column: (Extent & { full: number }) | null = null
  return regions.map((region) => {
    const { part, lines } = region
    if (lines.length < 2 || (part?.kind !== 'paragraph' && part?.kind !== 'item')) return region
    const broken = columnsOf(lines).flatMap((inColumn) => {
      const full = rightOfFullLines(inColumn)
      const own = extentOf(inColumn)
      const beside = edgeOfTextBeside(inColumn, all)
      if (column && own.x1 > column.x1 && own.x0 < column.x1) column = null
      if (full !== null && beside < Infinity) column = { x0: own.x0, x1: beside, full }
      const limit = Math.min(beside, column && own.x0 >= column.x0 && own.x0 < column.x1 ? column.full : Infinity)
      return inColumn.map((line, index) => {
        const shared = Math.min(rightEdges.get(Math.round(line.x0)) ?? line.x1, limit)
        const isNarrow = full === null || full - line.x0 < (shared - line.x0) * minColumnShare
        return markBreak(line, inColumn[index + 1], isNarrow ? shared : full)
      })
    })
    return { part, lines: broken }
  })
}

/** The parts of a paragraph in the columns of a page. */
function columnsOf(lines: readonly Line[]): Line[][] {
  const columns: Line[][] = []
  for (const line of lines) {
    const column = columns.at(-1)
    if (column && (column.at(-1)?.y ?? 0) < line.y) column.push(line)
    else columns.push([line])
  }
  return columns
}

/** The left edge of the nearest text to the right of lines, as of the next column. */
function edgeOfTextBeside(lines: readonly Line[], all: readonly Line[]): number {
  const [first, last] = [lines[0], lines.at(-1)]
  if (!first || !last) return Infinity
  const right = Math.max(...lines.map(({ x1 }) => x1))
  const beside = all.filter(({ x0, y }) => x0 > right && y > first.y - first.size && y < last.y + last.size)
  return Math.min(...beside.map(({ x0 }) => x0))
}

function markBreak(line: Line, next: Line | undefined, right: number): Line {
  const hasBreak = next !== undefined && !line.rtl && next.y > line.y && endsEarly(line, next, right)
  return hasBreak ? { ...line, endsWithBreak: true } : line
}

/** The right edge of a paragraph if at least half of its lines reach it, as beside a picture; otherwise null. */
function rightOfFullLines(lines: readonly Line[]): number | null {
  if (lines.length < 3) return null
  const right = Math.max(...lines.map(({ x1 }) => x1))
  const full = lines.filter(({ x1, size }) => right - x1 < size * maxFreeWidth)
  return full.length >= lines.length / 2 ? right : null
}

/** Whether the first word of the next line would fit into a line. */
function endsEarly(line: Line, next: Line, right: number): boolean {
  const free = right - line.x1
  if (!endsSentence(line) && free < (right - line.x0) * minFreeShare) return false
  return free > firstWordWidth(next) * minWordWidths + line.size
}
