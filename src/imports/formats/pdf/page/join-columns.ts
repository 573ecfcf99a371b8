import { isMidSentence } from './paragraphs.ts'
import type { Block, Line } from './page-parts.ts'

/** Maximum relative difference between the font sizes of two parts of a paragraph. */
const maxSizeChange = 0.03

/**
 * Minimum distance between the last line of a column and the notes below it, in ems. Notes in a smaller font may be
 * closer.
 */
const minNoteGap = 1.5
/** Minimum width of a last line that continues in the next column, relative to the longest line of its paragraph. */
const minFullShare = 0.85
/** Maximum number of paragraphs in the notes below a column. */
const maxNotes = 12

/**
 * The blocks of all regions of a page. A paragraph that continues at the top of the next column becomes one block. Notes
 * below its first part follow it.
 */
export function joinColumns(regions: readonly (readonly Block[])[]): Block[] {
  const joined: Block[] = []
  for (const [first, ...rest] of regions) {
    if (!first) continue
    const at = findContinued(joined, first)
    const last = joined[at]
    const whole = last && joinParagraphs(last, first)
    if (whole) joined[at] = whole
    else joined.push(first)
    for (const block of rest) joined.push(block)
  }
  return joined
}

/** The index of the block above a region that its first block may continue: the last one, or the last one above notes. */
function findContinued(blocks: readonly Block[], first: Block): number {
  const last = blocks.length - 1
  for (let at = last; at >= Math.max(0, last - maxNotes); at -= 1) {
    const [block, below] = [blocks[at], blocks[at + 1]]
    if (block && joinParagraphs(block, first) && (!below || (isFull(block) && areNotes(block, below)))) return at
    if (block?.kind !== 'paragraph' && block?.kind !== 'note' && block?.kind !== 'list-item') break
  }
  return last
}

/** Whether a block has several lines and the last one is about as long as the others. */
function isFull(block: Block): boolean {
  const lines: readonly Line[] = 'lines' in block ? block.lines : []
  const widths = lines.map(({ x0, x1 }) => x1 - x0)
  return lines.length > 1 && (widths.at(-1) ?? 0) > Math.max(...widths) * minFullShare
}

/** Whether the text below a paragraph is smaller or set apart, like notes. */
function areNotes(above: Block, below: Block): boolean {
  const [end, start] = [above, below].map((block) => ('lines' in block ? block.lines : []))
  const [a, b] = [end?.at(-1), start?.[0]]
  if (!a || !b || b.y < a.y) return false
  return b.size < a.size * (1 - maxSizeChange) || b.y - a.y > a.size * minNoteGap
}

/**
 * The joined paragraph or list item, or null. The first block must end in the middle of a sentence, and the second must
 * continue it higher up on the page.
 */
function joinParagraphs(last: Block, next: Block): Block | null {
  if ((last.kind !== 'paragraph' && last.kind !== 'list-item') || next.kind !== 'paragraph') return null
  const [end, start] = [last.lines.at(-1), next.lines[0]]
  if (!end || !start || start.y >= end.y || start.x0 < end.x1 || !isMidSentence(end, start)) return null
  if (Math.abs(end.size - start.size) > end.size * maxSizeChange) return null
  return { ...last, lines: [...last.lines, ...next.lines] }
}
