import { minTextSize, type Calibration } from './calibration.ts'
import { toHalfPoints } from './headings/heading-styles.ts'
import { findContentsLines, joinContentsLines } from './page/contents-lines.ts'
import { extentOf, median } from './page/extent.ts'
import { gatherFormulas } from './formulas/gather-formulas.ts'
import { findTable } from './tables/find-table.ts'
import { classifyLine } from './page/classify-line.ts'
import { isNumberedCode, minMonoShare } from './page/code-lines.ts'
import type { Block, HeadingMatch, Line } from './page/page-parts.ts'
import { rightEdge, textBlocks } from './page/paragraphs.ts'

/**
 * Divides the lines of one region (a column or the whole page) into blocks such as paragraphs, list items, tables and
 * code.
 */
export function buildBlocks(
  region: readonly Line[],
  calibration: Calibration,
  headings: ReadonlyMap<Line, HeadingMatch>,
): Block[] {
  const blocks: Block[] = []
  const leading = measureLeading(region, calibration)
  const contents = findContentsLines(region, calibration)
  const lines = joinContentsLines(region, contents, calibration.vocabulary)
  const right = rightEdge(lines.filter(({ mono }) => mono < minMonoShare))
  let text: Line[] = []
  const flush = (): void => {
    for (const block of textBlocks(text, leading)) blocks.push(block)
    text = []
  }
  for (let index = 0; index < lines.length;) {
    const line = lines[index]
    if (!line) break
    if (line.table || line.formula) {
      flush()
      blocks.push(line.table ? { kind: 'table', table: line.table } : { kind: 'formula', lines: [line] })
      index += 1
      continue
    }
    const heading = headings.get(line)
    const last = blocks.at(-1)
    const previousCode = text.length === 0 && last?.kind === 'code' ? last.lines.at(-1) : undefined
    const isContents = !heading && contents.has(line)
    const kind = classifyLine(index, { lines, above: text, previousCode, right }, calibration)
    const canBeRow = !heading && !isContents && !(kind === 'code' && isNumberedCode(line, undefined))
    const table = canBeRow ? findTable(lines, index, leading) : null
    if (kind === 'text' && !heading && !isContents && !table) {
      text.push(line)
      index += 1
      continue
    }
    flush()
    if (heading) {
      blocks.push({ kind: 'heading', level: heading.level, lines: lines.slice(index, index + heading.lineCount) })
      index += heading.lineCount
    } else if (table && !(kind === 'code' && table.mono)) {
      blocks.push({ kind: 'table', table })
      index += table.lineCount
    } else {
      addLine(blocks, isContents ? 'toc' : 'code', line)
      index += 1
    }
  }
  flush()
  const gathered = gatherFormulas(blocks)
  nestItems(gathered)
  return gathered
}

/** Sets the nesting depth of adjacent list items from the positions of their markers. */
function nestItems(blocks: readonly Block[]): void {
  let edges: number[] = []
  for (const block of blocks) {
    if (block.kind !== 'list-item') {
      if (block.kind === 'heading') edges = []
      continue
    }
    const { x0 = 0, size = 0 } = block.lines[0] ?? {}
    edges = edges.filter((edge) => edge < x0 - size * 0.8)
    block.depth = Math.min(edges.length, 5)
    edges.push(x0)
  }
}

function addLine(blocks: Block[], kind: 'toc' | 'code', line: Line): void {
  const last = blocks.at(-1)
  if (last?.kind === kind && belongsToBlock(last.lines, line, kind)) last.lines.push(line)
  else blocks.push({ kind, lines: [line] })
}

/**
 * Whether a line belongs to the code or table of contents above it. A large gap separates them; so does a small gap if
 * the line is outdented code.
 */
function belongsToBlock(lines: readonly Line[], line: Line, kind: 'toc' | 'code'): boolean {
  const [first, last] = [lines[0], lines.at(-1)]
  if (!first || !last) return false
  const gap = line.y - last.y
  const outdented = kind === 'code' && line.x0 < extentOf(lines).x0 - line.size
  return gap < line.size * (outdented ? 1.3 : 4.5)
}

/** The usual line distance in this region, as a multiple of the font size, without the labels of charts. */
function measureLeading(lines: readonly Line[], { leading, size }: Calibration): number {
  const ratios: number[] = []
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1]
    if (!next || toHalfPoints(next.size) !== toHalfPoints(line.size)) continue
    if (line.size < size * minTextSize) continue
    const ratio = (next.y - line.y) / line.size
    if (ratio > 0.9 && ratio < leading * 1.6) ratios.push(ratio)
  }
  return ratios.length >= 6 ? Math.min(median(ratios), leading * 1.35) : leading
}
