import type { Block } from './build-blocks.ts'
import { leader } from './text.ts'
import { median } from './reading-order.ts'
import { codeSpan, escapeText, inlineText, backtickRunLength } from './inline-text.ts'
import type { InlineOptions } from './inline-text.ts'
import type { Line } from './build-lines.ts'
import { cellText } from './find-table.ts'
import type { Table } from './find-table.ts'

/** Blocks as Markdown, with a blank line between them except within a list. */
export function renderMarkdown(blocks: readonly Block[], options: InlineOptions): string {
  const parts: string[] = []
  let last: Block | undefined
  for (const block of blocks) {
    const text = renderBlock(block, options)
    if (text === '') continue
    if (parts.length > 0) parts.push(last?.kind === 'list-item' && block.kind === 'list-item' ? '\n' : '\n\n')
    parts.push(text)
    last = block
  }
  return parts.join('')
}

function renderBlock(block: Block, options: InlineOptions): string {
  switch (block.kind) {
    case 'heading':
      return renderHeading(inlineText(block.lines, { ...options, ignoreFonts: true, ignoreLinks: true }), block.level)
    case 'paragraph':
      return inlineText(block.lines, options)
    case 'list-item':
      return renderItem(block.marker, inlineText(block.lines, options, block.marker.length), block.depth)
    case 'toc':
      return block.lines.map(renderTocLine).join('\n')
    case 'code':
      return renderCode(block.lines)
    case 'table':
      return renderTable(block.table)
  }
}

function renderHeading(text: string, level: number): string {
  // The number of a heading is not a list marker, so it needs no escape.
  const plain = text.replace(/^(\d+)\\([.)])/, '$1$2').replace(/\s+/g, ' ')
  return plain === '' ? '' : `${'#'.repeat(Math.min(6, level))} ${plain.replace(/(#+)$/, '\\$1')}`
}

function renderItem(marker: string, text: string, depth: number): string {
  const sign = /\d/.test(marker) ? marker : '-'
  return `${'  '.repeat(depth)}${sign} ${text}`
}

function renderTocLine(line: Line): string {
  const title = line.text.replace(leader, '').trim()
  const page = leader.exec(line.text)?.[1] ?? ''
  return `- ${escapeText(title)} … ${escapeText(page)}`
}

/** Lines of code: a single line as inline code, several as a fenced block with their indentation and blank lines. */
function renderCode(lines: readonly Line[]): string {
  const advance = median(
    lines
      .flatMap(({ pieces }) => pieces)
      .filter(({ mono }) => mono)
      .map(characterWidth),
  )
  const left = lines.reduce((least, line) => Math.min(least, line.x0), Infinity)
  const lineHeight = median(lines.slice(1).map((line, index) => line.y - (lines[index]?.y ?? line.y)))
  const rows: string[] = []
  for (const [index, line] of lines.entries()) {
    const above = lines[index - 1]
    if (above && line.y - above.y > lineHeight * 1.6) rows.push('')
    rows.push(renderCodeLine(line, left, advance))
  }
  if (rows.length === 1) return codeSpan(rows[0] ?? '')
  const fence = '`'.repeat(Math.max(2, backtickRunLength(rows.join('\n'))) + 1)
  return [fence, ...rows, fence].join('\n')
}

function characterWidth({ text, x0, x1 }: { text: string; x0: number; x1: number }): number {
  return (x1 - x0) / text.length
}

function renderCodeLine(line: Line, left: number, advance: number): string {
  const columns = (points: number): number => (advance > 0 ? Math.min(200, Math.round(points / advance)) : 0)
  let text = ' '.repeat(columns(line.x0 - left))
  let end = line.x0
  for (const [index, piece] of line.pieces.entries()) {
    const gap = columns(piece.x0 - end)
    if (index > 0) text += ' '.repeat(Math.max(piece.hasSpaceBefore ? 1 : 0, gap))
    text += piece.text
    end = piece.x1
  }
  return text.trimEnd()
}

function renderTable({ rows }: Table): string {
  const [head = [], ...body] = rows.map((row) => row.map((cell) => escapeText(cellText(cell)).replaceAll('|', '\\|')))
  const rule = head.map(() => '---')
  return [head, rule, ...body].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
