import { isMidSentence } from './build-blocks.ts'
import type { Block } from './page-parts.ts'

/** Maximum relative difference between the font sizes of two parts of a paragraph. */
const maxSizeChange = 0.03

/** The blocks of all regions of a page. A paragraph that continues at the top of the next column becomes one block. */
export function joinColumns(regions: readonly (readonly Block[])[]): Block[] {
  const joined: Block[] = []
  for (const [first, ...rest] of regions) {
    if (!first) continue
    const last = joined.at(-1)
    const whole = last && joinParagraphs(last, first)
    if (whole) joined[joined.length - 1] = whole
    else joined.push(first)
    for (const block of rest) joined.push(block)
  }
  return joined
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
