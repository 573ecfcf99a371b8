import { countCharacters } from '../characters/count-characters.ts'
import { minMonoShare } from '../page/code-lines.ts'
import type { Segment } from '../page/page-parts.ts'
import { startsMidSentence, textOf } from '../page/segments.ts'
import { findParagraphs, hasSharedRows } from './short-columns.ts'
import type { TextBlock } from './short-columns.ts'
import { leader } from '../characters/text.ts'

/** Limit on the segments of a region. A region with more is a drawing or a hostile file. */
const maxSegments = 2_000
/** Minimum gap between a paragraph and text beside it, in ems. */
const minGap = 0.7
/** Minimum distance between a baseline and those of the two paragraph lines above and below it, in ems. */
const minShift = 0.15
/** Minimum number of characters in a line that a sentence continues from. A table cell has fewer. */
const minCharacters = 24

/**
 * Splits a region so that text beside a paragraph does not interrupt it. Such text, for example a column of addresses
 * or a page footer, has a baseline between those of two lines of the paragraph. It is read before the paragraph.
 */
export function keepParagraphs(region: readonly Segment[]): Segment[][] {
  if (region.length > maxSegments || !hasSharedRows(region)) return [[...region]]
  const parts: Segment[][] = []
  let rest = [...region]
  for (const block of findParagraphs(region)) {
    const beside = rest.filter((segment) => isBeside(segment, block))
    const isNumbered = beside.filter(isNumber).length > beside.length / 2 || block.segments.some(hasLeader)
    const isTable = beside.filter((segment) => isInOtherCell(segment, block)).length > beside.length / 2
    if (block.segments.some(isCodeOrRtl) || isNumbered || isTable) continue
    if (!beside.some((segment) => isBetweenLines(segment, block))) continue
    const [top, bottom] = [block.segments[0]?.y ?? 0, block.segments.at(-1)?.y ?? 0]
    const taken = new Set(beside)
    const others = rest.filter((segment) => !taken.has(segment))
    parts.push(
      others.filter(({ y }) => y < top - 2),
      beside,
      others.filter(({ y }) => y >= top - 2 && y <= bottom + 2),
    )
    rest = others.filter(({ y }) => y > bottom + 2)
  }
  return [...parts, rest].filter((part) => part.length > 0)
}

/** Whether a segment is to the left or right of a paragraph. */
function isBeside({ x0, x1, y, size, table }: Segment, block: TextBlock): boolean {
  const [first, last] = [block.segments[0], block.segments.at(-1)]
  if (!first || !last || table) return false
  const gap = Math.max(block.x0 - x1, x0 - block.x1)
  return gap >= size * minGap && y > first.y - first.size / 2 && y < last.y + last.size / 2
}

/** Whether a vertical line is drawn between a paragraph and a segment beside it, as between the cells of a table. */
function isInOtherCell({ runs: [run] }: Segment, { segments: [line] }: TextBlock): boolean {
  return run?.lineBefore !== line?.runs[0]?.lineBefore
}

/** Whether a segment is between two lines of a sentence and contains words, not just a command name or a number. */
function isBetweenLines(segment: Segment, { segments }: TextBlock): boolean {
  const { y, size, runs } = segment
  const at = segments.findIndex((line) => line.y > y)
  const [above, below] = [segments[at - 1], segments[at]]
  if (!above || !below || !startsMidSentence(below) || countCharacters(above.runs) < minCharacters) return false
  const isWords = !isCodeOrRtl(segment) && runs.some(({ text }) => /\p{L}{2}/u.test(text))
  return isWords && Math.min(y - above.y, below.y - y) > size * minShift
}

function isNumber(segment: Segment): boolean {
  return /^[\d\s.,()]+$/.test(textOf(segment))
}

function hasLeader(segment: Segment): boolean {
  return leader.test(textOf(segment))
}

function isCodeOrRtl({ runs }: Segment): boolean {
  return (
    runs.some(({ rtl }) => rtl) ||
    countCharacters(runs.filter(({ font }) => font.mono)) >= countCharacters(runs) * minMonoShare
  )
}
