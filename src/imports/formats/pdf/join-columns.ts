import { isMidSentence } from './build-blocks.ts'
import type { Block } from './page-parts.ts'

/** How much the sizes of two parts of a paragraph differ at most, as a share. */
const maxSizeChange = 0.03

/** The blocks of all regions of a page; a paragraph that goes on at the top of the next column is one. */
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

/** One paragraph or list item, if the first ends in the middle of a sentence that the second goes on with, higher up on the page. */
function joinParagraphs(last: Block, next: Block): Block | null {
  if ((last.kind !== 'paragraph' && last.kind !== 'list-item') || next.kind !== 'paragraph') return null
  const [end, start] = [last.lines.at(-1), next.lines[0]]
  if (!end || !start || start.y >= end.y || start.x0 < end.x1 || !isMidSentence(end, start)) return null
  if (Math.abs(end.size - start.size) > end.size * maxSizeChange) return null
  return { ...last, lines: [...last.lines, ...next.lines] }
}
