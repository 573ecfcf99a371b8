import { splitContentsLine } from './contents-lines.ts'
import { renderCode } from './code-lines.ts'
import { cellMarkdown, escapeLineStart, escapeText, inlineText, renderLink } from './inline-text.ts'
import type { InlineOptions } from './inline-text.ts'
import type { Block, Line, Table } from './page-parts.ts'

/** Minimum indent of a line of a table of contents relative to the next higher level, in ems. */
const minIndent = 0.6
const maxContentsDepth = 5

/** Renders blocks as Markdown, with a blank line between them except within a list. */
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
      return withBreaks(block.lines, options)
    case 'formula':
      return renderFormula(block.lines)
    case 'list-item':
      return renderItem(block.marker, withBreaks(block.lines, options, block.marker.length), block.depth)
    case 'note':
      return `[^${block.number}]: ${inlineText(block.lines, options, block.number.length)}`
    case 'toc':
      return renderContents(block.lines)
    case 'code':
      return renderCode(block.lines)
    case 'table':
      return renderTable(block.table, options)
  }
}

/**
 * Renders a formula. An underscore after a letter needs no backslash: it could only end emphasis, and no other
 * underscore begins any.
 */
function renderFormula(lines: readonly Line[]): string {
  const text = escapeText(lines.map((line) => line.text).join(' '))
  return escapeLineStart(text.replace(/(?<=[\p{L}\p{N}])\\_/gu, '_'), false)
}

function renderHeading(text: string, level: number): string {
  // The number of a heading is not a list marker, so it needs no escape.
  const plain = text.replace(/^(\d+)\\([.)])/, '$1$2').replace(/\s+/g, ' ')
  return plain === '' ? '' : `${'#'.repeat(Math.min(6, level))} ${plain.replace(/(#+)$/, '\\$1')}`
}

/** The bullet of a task that is done, by LaTeX. Boxes in text are those of forms. */
const doneTask = '⊠'

function renderItem(marker: string, text: string, depth: number): string {
  const sign = /\d/.test(marker) ? marker : '-'
  const indent = '  '.repeat(depth)
  return `${indent}${sign} ${marker === doneTask ? '[x] ' : ''}${text.replaceAll('\n', `\n${indent}${' '.repeat(sign.length + 1)}`)}`
}

/** Renders text with the line breaks that the author set. `skip` characters are dropped at the start. */
function withBreaks(lines: readonly Line[], options: InlineOptions, skip = 0): string {
  const texts: string[] = []
  let start = 0
  for (const [index, { endsWithBreak }] of lines.entries()) {
    if (endsWithBreak !== true && index < lines.length - 1) continue
    texts.push(inlineText(lines.slice(start, index + 1), options, start === 0 ? skip : 0))
    start = index + 1
  }
  return texts.filter((text) => text !== '').join('  \n')
}

/** Renders a table of contents as a nested list. The depth of a line follows from its indent. */
function renderContents(lines: readonly Line[]): string {
  const edges: number[] = []
  for (const line of lines.toSorted((a, b) => startOf(a) - startOf(b)))
    if (startOf(line) > (edges.at(-1) ?? -Infinity) + line.size * minIndent) edges.push(startOf(line))
  const rows = lines.map((line) => {
    const { title, page } = splitContentsLine(line)
    const depth = edges.findLastIndex((edge) => startOf(line) >= edge)
    const link = onlyLink(line)
    const text = link === undefined ? escapeText(title) : renderLink(escapeText(title), link)
    return `${'  '.repeat(Math.min(depth, maxContentsDepth))}- ${text} … ${escapeText(page)}`
  })
  return rows.join('\n')
}

/** The page to which an entry of contents leads; undefined if there are several, as in an index. */
function onlyLink({ pieces }: Line): string | undefined {
  const links = new Set(pieces.flatMap(({ link }) => link ?? []))
  const [link] = links
  return links.size === 1 && link?.startsWith('page:') ? link : undefined
}

/** The start of a line in its reading direction, as a sort key. */
function startOf({ rtl, x0, x1 }: Line): number {
  return rtl ? -x1 : x0
}

function renderTable({ rows }: Table, { vocabulary }: InlineOptions): string {
  const [head = [], ...body] = rows.map((row) => row.map((cell) => cellMarkdown(cell, vocabulary)))
  const rule = head.map(() => '---')
  return [head, rule, ...body].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
