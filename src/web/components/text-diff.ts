import { html } from 'hono/html'
import { escapeInvisible } from '../../runtime/escape-invisible.ts'
import type { MarkedPart, TextStretch } from '../../text/compare/compare-texts.ts'
import type { Html } from './html.ts'

/** Number of unchanged lines shown on each side of a change; those in between are only counted. */
const contextLines = 2
/** Maximum number of characters of a comparison that are shown; the rest is only counted. */
const maxShownCharacters = 120_000

/**
 * Renders a comparison: changed lines side by side if there is room, otherwise below each other, with changed words
 * marked. Invisible characters are spelled out, and each line has its own writing direction.
 */
export function textDiff(stretches: readonly TextStretch[], language: string | null): Html {
  const { shown, hiddenLines } = withinLimit(stretches)
  return html`<div class="diff" lang="${language ?? ''}">
    ${shown.map((stretch, index) =>
      stretch.same ? sameLines(stretch.lines, placeOf(index, shown.length, hiddenLines)) : changedLines(stretch),
    )}
    ${hiddenLines === 0 ? '' : html`<p class="diff-skip" lang="en">${hiddenLines === 1 ? '1 more line is' : `${hiddenLines.toLocaleString('en-GB')} more lines are`} not shown here.</p>`}
  </div>`
}

interface Place {
  first: boolean
  last: boolean
}

function placeOf(index: number, count: number, hiddenLines: number): Place {
  return { first: index === 0, last: index === count - 1 && hiddenLines === 0 }
}

/** Renders a text line by line like a comparison, without marks. */
export function textLines(text: string, language: string | null): Html {
  const lines = text.slice(0, maxShownCharacters).split(/\r\n?|\n/)
  return html`<div class="diff" lang="${language ?? ''}">
    <div class="diff-same">${lines.map(plainLine)}</div>
    ${text.length > maxShownCharacters ? html`<p class="diff-skip" lang="en">The rest is not shown here.</p>` : ''}
  </div>`
}

/** Unchanged lines: only those next to a change, unless hiding would save just one line. */
function sameLines(lines: readonly string[], { first, last }: Place): Html {
  const head = first ? 0 : contextLines
  const tail = last ? 0 : contextLines
  const hidden = lines.length - head - tail
  if (hidden < 2) return html`<div class="diff-same">${lines.map(plainLine)}</div>`
  return html`${head === 0 ? '' : html`<div class="diff-same">${lines.slice(0, head).map(plainLine)}</div>`}
    <p class="diff-skip" lang="en">${countLines(hidden)} without changes</p>
    ${tail === 0 ? '' : html`<div class="diff-same">${lines.slice(-tail).map(plainLine)}</div>`}`
}

function changedLines({ before, after }: Extract<TextStretch, { same: false }>): Html {
  return html`<div class="diff-change">
    ${
      before.length === 0
        ? ''
        : html`<div class="diff-before">
            <span class="hidden-text" lang="en">Before:</span>${before.map((line) => markedLine(line, 'del'))}
          </div>`
    }
    ${
      after.length === 0
        ? ''
        : html`<div class="diff-after">
            <span class="hidden-text" lang="en">After:</span>${after.map((line) => markedLine(line, 'ins'))}
          </div>`
    }
  </div>`
}

function plainLine(line: string): Html {
  return html`<p dir="auto">${escapeInvisible(line)}</p>`
}

function markedLine(parts: readonly MarkedPart[], mark: 'del' | 'ins'): Html {
  if (parts.length === 0) return html`<p>${marked('¶', mark)}</p>`
  const content = parts.map(({ text, changed }) => {
    const visible = escapeInvisible(text)
    return changed ? marked(visible, mark) : html`${visible}`
  })
  // White space within the paragraph is visible.
  return html`<p dir="auto">${content}</p>`
}

function marked(text: string, mark: 'del' | 'ins'): Html {
  return mark === 'del' ? html`<del>${text}</del>` : html`<ins>${text}</ins>`
}

/** Complete stretches up to the limit; the first one is cut if it exceeds the limit by itself. */
function withinLimit(stretches: readonly TextStretch[]): { shown: TextStretch[]; hiddenLines: number } {
  const shown: TextStretch[] = []
  let room = maxShownCharacters
  let hiddenLines = 0
  const take = (lines: readonly MarkedPart[][]): MarkedPart[][] => {
    const kept = lines.filter((line) => (room -= lengthOf(line) + 1) >= 0)
    hiddenLines += lines.length - kept.length
    return kept
  }
  for (const stretch of stretches) {
    if (stretch.same) {
      // Most of these lines are hidden.
      shown.push(stretch)
      continue
    }
    const cut = { same: false as const, before: take(stretch.before), after: take(stretch.after) }
    if (cut.before.length + cut.after.length > 0) shown.push(cut)
  }
  return { shown, hiddenLines }
}

function lengthOf(line: readonly MarkedPart[]): number {
  return line.reduce((sum, { text }) => sum + text.length, 0)
}

function countLines(count: number): string {
  return count === 1 ? '1 line' : `${count.toLocaleString('en-GB')} lines`
}
