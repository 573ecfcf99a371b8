import { html } from 'hono/html'
import type { Html } from '../../components/html.ts'

interface Block {
  kind: 'text' | 'heading' | 'preformatted'
  text: string
}

const fence = /^ {0,3}(`{3,}|~{3,})/
const heading = /^ {0,3}#{1,6}(?:[ \t]+|$)/
const tableRow = /^ {0,3}\|/

/**
 * Renders the text of a page character by character as stored, so that quotations can be compared with it: paragraphs,
 * headings, and preformatted tables and code. Markdown characters are kept, and book text never becomes HTML.
 */
export function renderPageText(content: string): Html[] {
  return splitBlocks(content).map(({ kind, text }) => {
    if (kind === 'preformatted') return html`<pre tabindex="0" dir="auto">${text}</pre>`
    if (kind === 'text') return html`<p dir="auto">${text}</p>`
    const marks = heading.exec(text)?.[0] ?? ''
    return html`<p class="heading" dir="auto"><span class="marks">${marks}</span>${text.slice(marks.length)}</p>`
  })
}

/** Splits a text at blank lines and around headings, tables and code; keeps blank lines inside fences. O(n). */
export function splitBlocks(content: string): Block[] {
  const state: ParserState = { blocks: [], kind: 'text', lines: [], openFence: null }
  for (const line of content.split(/\r\n?|\n/)) parseLine(state, line)
  closeBlock(state)
  return state.blocks
}

interface ParserState {
  blocks: Block[]
  kind: Block['kind']
  lines: string[]
  /** Opening characters of the open code fence; null outside fences. */
  openFence: string | null
}

function parseLine(state: ParserState, line: string): void {
  const fenceMark = fence.exec(line)?.[1]
  if (state.openFence !== null) {
    state.lines.push(line)
    if (fenceMark?.startsWith(state.openFence) && line.trim() === fenceMark) closeBlock(state)
    return
  }
  if (line.trim() === '') return closeBlock(state)
  const kind = fenceMark !== undefined || tableRow.test(line) ? 'preformatted' : heading.test(line) ? 'heading' : 'text'
  if (kind !== state.kind || kind === 'heading' || fenceMark !== undefined) closeBlock(state)
  state.kind = kind
  state.openFence = fenceMark ?? null
  state.lines.push(line)
}

function closeBlock(state: ParserState): void {
  if (state.lines.length > 0) state.blocks.push({ kind: state.kind, text: state.lines.join('\n') })
  state.lines = []
  state.kind = 'text'
  state.openFence = null
}
