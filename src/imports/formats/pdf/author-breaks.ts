import { minMonoShare } from './code-lines.ts'
import type { LaidOutRegion } from './lay-out-structured.ts'
import type { Line } from './page-parts.ts'
import { endsSentence, firstWordWidth } from './paragraphs.ts'

/** The free width, in ems, up to which a line counts as full. */
const maxFreeWidth = 4
/** The minimum width of a paragraph beside a picture, relative to the column. */
const minColumnShare = 0.5
/**
 * The minimum free width of a line that its author ended: relative to the estimated width of the next word, and for one
 * without the end of a sentence also relative to the width of the text.
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
  return regions.map((region) => {
    const { part, lines } = region
    if (lines.length < 2 || (part?.kind !== 'paragraph' && part?.kind !== 'item')) return region
    const full = rightOfFullLines(lines)
    const broken = lines.map((line, index) => {
      const next = lines[index + 1]
      const shared = rightEdges.get(Math.round(line.x0)) ?? line.x1
      const isNarrow = full === null || full - line.x0 < (shared - line.x0) * minColumnShare
      const right = isNarrow ? shared : full
      const hasBreak = next && !line.rtl && next.y > line.y && endsEarly(line, next, right)
      return hasBreak ? { ...line, endsWithBreak: true as const } : line
    })
    return { part, lines: broken }
  })
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
