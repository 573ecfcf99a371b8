import { html } from 'hono/html'
import type { Html } from './layout.ts'

interface Block {
  kind: 'text' | 'heading' | 'fixed'
  text: string
}

const fence = /^ {0,3}(`{3,}|~{3,})/
const heading = /^ {0,3}#{1,6}(?:[ \t]+|$)/
const row = /^ {0,3}\|/

/**
 * The text of a page, character for character as it is stored, so that a quotation can be compared with it: paragraphs in
 * a book face, headings set off, tables and code in columns. Markdown's marks stay, and nothing of a book becomes
 * markup.
 */
export function pageText(content: string): Html[] {
  return blocksOf(content).map(({ kind, text }) => {
    if (kind === 'fixed') return html`<pre tabindex="0" dir="auto">${text}</pre>`
    if (kind === 'text') return html`<p dir="auto">${text}</p>`
    const marks = heading.exec(text)?.[0] ?? ''
    return html`<p class="heading" dir="auto"><span class="marks">${marks}</span>${text.slice(marks.length)}</p>`
  })
}

/** Cuts a text at blank lines, around headings, and around tables and code, which keep theirs. Linear. */
export function blocksOf(content: string): Block[] {
  const open: Open = { blocks: [], kind: 'text', lines: [], mark: null }
  for (const line of content.split(/\r\n?|\n/)) takeLine(open, line)
  close(open)
  return open.blocks
}

interface Open {
  blocks: Block[]
  kind: Block['kind']
  lines: string[]
  /** Of the fence that is open. */
  mark: string | null
}

function takeLine(open: Open, line: string): void {
  const mark = fence.exec(line)?.[1]
  if (open.mark !== null) {
    open.lines.push(line)
    if (mark?.startsWith(open.mark) && line.trim() === mark) close(open)
    return
  }
  if (line.trim() === '') return close(open)
  const kind = mark !== undefined || row.test(line) ? 'fixed' : heading.test(line) ? 'heading' : 'text'
  if (kind !== open.kind || kind === 'heading' || mark !== undefined) close(open)
  open.kind = kind
  open.mark = mark ?? null
  open.lines.push(line)
}

function close(open: Open): void {
  if (open.lines.length > 0) open.blocks.push({ kind: open.kind, text: open.lines.join('\n') })
  open.lines = []
  open.kind = 'text'
  open.mark = null
}
