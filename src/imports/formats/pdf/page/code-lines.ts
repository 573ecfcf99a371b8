import { backtickRunLength, codeSpan } from '../../../../text/markdown/code-span.ts'
import { median } from './extent.ts'
import type { Line, TextPiece } from './page-parts.ts'

/** The minimum share of monospaced characters in a line of code. */
export const minMonoShare = 0.75
const lineNumber = /^\d{1,5}$/
/**
 * Maximum number of blank lines at the start of a listing, and maximum line distance, in ems of its small line numbers.
 */
const maxBlankLines = 3
const maxLeading = 3

/** Maximum line distance inside a listing, in ems, and maximum number of successive lines in several fonts. */
export const maxTightLeading = 1.35
const maxMixedLines = 20
/** The start of a comment in a programming language. */
const commentStart = /^(?:;+|\/\/+|\/\*+|#+|%+|--+|\(\*)(?:\s|$)/

/** The line number at the start of a line of a listing, in any font; null if it has none. */
function numberOf({ pieces }: Line): TextPiece | null {
  const [first] = pieces
  return first && lineNumber.test(first.text) ? first : null
}

/**
 * Whether a line is a line number followed by code, or the line number of a blank line that follows the numbered line
 * `above`. The font of the number is ignored.
 */
export function isNumberedCode(line: Line, above: Line | undefined): boolean {
  const number = numberOf(line)
  if (!number) return false
  const [, ...rest] = line.pieces
  if (rest.length > 0) return rest.every(({ mono }) => mono) && !number.mono
  const last = above && numberOf(above)
  return last !== undefined && last !== null && Number(number.text) === Number(last.text) + 1
}

/** Whether a line is the number of a blank line that precedes the first numbered line of code in a listing. */
export function isNumberBeforeCode(lines: readonly Line[], index: number): boolean {
  for (let at = index; at < Math.min(lines.length - 1, index + maxBlankLines); at += 1) {
    const [line, below] = [lines[at], lines[at + 1]]
    const [number, next] = [line && numberOf(line), below && numberOf(below)]
    if (!line || !below || !number || !next || line.pieces.length > 1) return false
    if (Number(next.text) !== Number(number.text) + 1 || below.y - line.y > line.size * maxLeading) return false
    if (isNumberedCode(below, undefined)) return true
  }
  return false
}

/**
 * Whether a line that begins in a typewriter font and continues in another one is part of a listing: it is below code
 * and above code or the end of the listing, or it is a comment above code. Manuals set comments and remarks in a
 * listing like running text.
 */
export function isInsideListing(lines: readonly Line[], index: number): boolean {
  const line = lines[index]
  if (!line || !isMixed(line)) return false
  const [above, below] = [-1, 1].map((step) => nearestOther(lines, index, step))
  if (isCode(above)) return below === undefined || isCode(below) || isComment(line)
  return isCode(below) && isComment(line)
}

/**
 * Whether a line begins in a typewriter font and has words in another one. A term has a gap before its description, and
 * the entries of an index have numbers or links.
 */
function isMixed({ pieces, mono }: Line): boolean {
  if (pieces[0]?.mono !== true || mono >= minMonoShare) return false
  const others = pieces.filter((piece) => !piece.mono)
  const isRemark = others[0]?.hasTabBefore === false && others.every(({ link }) => link === undefined)
  return isRemark && others.some(({ text }) => /\p{L}{2}/u.test(text))
}

function isComment({ pieces: [first] }: Line): boolean {
  return first !== undefined && commentStart.test(first.text)
}

/** The line above (`step` -1) or below (1) that ends an unbroken series of lines in several fonts. */
function nearestOther(lines: readonly Line[], index: number, step: number): Line | undefined {
  for (let at = index + step; Math.abs(at - index) <= maxMixedLines; at += step) {
    const [last, line] = [lines[at - step], lines[at]]
    if (!last || !line || Math.abs(line.y - last.y) > Math.max(line.size, last.size) * maxTightLeading) return undefined
    if (isCode(line) || !isMixed(line)) return line
  }
  return undefined
}

function isCode(line: Line | undefined): boolean {
  return line !== undefined && line.mono >= minMonoShare
}

/**
 * The Markdown of lines of code: inline code for a single line, otherwise a fenced block that keeps indentation and
 * blank lines.
 */
export function renderCode(lines: readonly Line[]): string {
  const numbers = lines.map(numberOf)
  const isNumbered = numbers.length > 1 && numbers.filter((number) => number !== null).length >= numbers.length / 2
  const rows = isNumbered ? numberedRows(lines, numbers) : plainRows(lines)
  if (rows.length === 1) return codeSpan(rows[0] ?? '')
  const fence = '`'.repeat(Math.max(2, backtickRunLength(rows.join('\n'))) + 1)
  return [fence, ...rows, fence].join('\n')
}

/** The lines with their numbers in a column of their own, so that the code keeps its indentation. */
function numberedRows(lines: readonly Line[], numbers: readonly (TextPiece | null)[]): string[] {
  const width = Math.max(...numbers.map((number) => number?.text.length ?? 0))
  const codes = lines.map((line, index): Line => {
    const pieces = numbers[index] ? line.pieces.slice(1) : line.pieces
    return { ...line, pieces, x0: pieces[0]?.x0 ?? Infinity }
  })
  const rows = plainRows(codes, false)
  return rows.map((row, index) => `${(numbers[index]?.text ?? '').padStart(width)}  ${row}`.trimEnd())
}

function plainRows(lines: readonly Line[], withBlank = true): string[] {
  const advance = median(
    lines
      .flatMap(({ pieces }) => pieces)
      .filter(({ mono }) => mono)
      .map(characterWidth),
  )
  const left = lines.reduce((least, line) => Math.min(least, line.x0), Infinity)
  const distances = lines.slice(1).map((line, index) => line.y - (lines[index]?.y ?? line.y))
  // At least a quarter of the lines of a listing with blank lines are directly below others.
  const lineHeight = distances.sort((a, b) => a - b)[(distances.length - 1) >> 2] ?? 0
  const rows: string[] = []
  for (const [index, line] of lines.entries()) {
    const above = lines[index - 1]
    if (withBlank && above && line.y - above.y > lineHeight * 1.6) rows.push('')
    rows.push(line.pieces.length === 0 ? '' : renderCodeLine(line, left, advance))
  }
  return rows
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
