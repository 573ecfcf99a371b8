import type { FigureBox } from './find-figures.ts'
import type { Block, Line } from '../page/page-parts.ts'

// These control characters cannot come from a file, because they are removed from the text of pages.
const [open, close] = ['\u0002', '\u0003']
// eslint-disable-next-line no-control-regex
const placePattern = /\u0002(\d{1,3})\u0003/g

/**
 * Renders the blocks of a page with a placeholder for each of its figures, before its caption or the text that follows
 * it.
 */
export function renderWithPlaces(
  blocks: readonly Block[],
  figures: readonly FigureBox[],
  render: (blocks: readonly Block[]) => string,
): string {
  if (figures.length === 0) return render(blocks)
  const before = new Map<number, string[]>()
  for (const [index, figure] of figures.entries()) {
    const at = placeOf(blocks, figure)
    before.set(at, [...(before.get(at) ?? []), `${open}${index}${close}`])
  }
  const parts: string[] = []
  let from = 0
  for (const at of [...before.keys()].sort((a, b) => a - b)) {
    parts.push(render(blocks.slice(from, at)), ...(before.get(at) ?? []))
    from = at
  }
  parts.push(render(blocks.slice(from)))
  return parts.filter((part) => part !== '').join('\n\n')
}

/** The index of the block before which a figure is inserted. */
function placeOf(blocks: readonly Block[], figure: FigureBox): number {
  let last = -1
  const middle = (figure.y0 + figure.y1) / 2
  for (const [at, block] of blocks.entries()) {
    const lines: readonly Line[] = 'lines' in block ? block.lines : []
    const [first] = lines
    if (!first) continue
    const text = lines.map((line) => line.text).join(' ')
    if (figure.caption !== '' && text.startsWith(figure.caption.slice(0, 12))) return at
    const isBeside = lines.some((line) => line.x0 < figure.x1 && line.x1 > figure.x0)
    if (isBeside && first.y > middle) return at
    if (isBeside) last = at
  }
  return last < 0 ? blocks.length : last + 1
}

/** Replaces each placeholder with the text of its figure. */
export async function fillPlaces(content: string, textFor: (index: number) => Promise<string>): Promise<string> {
  if (!content.includes(open)) return content
  let filled = ''
  let end = 0
  for (const found of content.matchAll(placePattern)) {
    const text = await textFor(Number(found[1]))
    filled += content.slice(end, found.index) + text
    end = found.index + found[0].length
    // A figure that is not kept leaves no blank line.
    if (text === '' && content.startsWith('\n\n', end)) end += 2
  }
  return (filled + content.slice(end)).replace(/\n+$/, '')
}
