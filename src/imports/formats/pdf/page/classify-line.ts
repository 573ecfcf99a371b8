import type { Calibration } from '../calibration.ts'
import { isInsideListing, isNumberBeforeCode, isNumberedCode, maxTightLeading, minMonoShare } from './code-lines.ts'
import { extentOf } from './extent.ts'
import type { Line } from './page-parts.ts'
import { endsSentence, firstWordWidth, hasBullet, maxFirstIndent, maxShift, textAfterLabel } from './paragraphs.ts'

/** Maximum hanging indent of a paragraph that begins with a label, in ems. */
const maxHanging = 6

/** What precedes a line of a region: the running text above it, or the last line of the code listing above it. */
interface LinesAbove {
  lines: readonly Line[]
  above: readonly Line[]
  previousCode: Line | undefined
  /** The right edge of the running text of the region. */
  right: number
}

/** Whether a line is code. The line is neither a heading nor part of a table of contents. */
export function classifyLine(
  index: number,
  { lines, above, previousCode, right }: LinesAbove,
  { monoBody }: Calibration,
): 'code' | 'text' {
  const line = lines[index] as Line
  // Footnotes are often addresses in a typewriter font.
  if (monoBody || line.note !== undefined) return 'text'
  if (isNumberBeforeCode(lines, index)) return 'code'
  if (isNumberedCode(line, previousCode)) return 'code'
  if (isInsideListing(lines, index)) return 'code'
  if (line.mono < minMonoShare || hasBullet(line)) return 'text'
  const last = above.at(-1)
  if (!last) return 'code'
  const isAddress = line.pieces.every(({ link }) => link !== undefined)
  const edge = above.length > 1 || isAddress ? extentOf(above).x1 : Math.max(last.x1, right)
  return isParagraphTail(above, line, edge) ? 'text' : 'code'
}

/**
 * Whether a line that is mostly monospaced continues the paragraph whose last lines are `above`. The first line of the
 * paragraph may be indented, and its other lines may be aligned with the text after a label.
 */
function isParagraphTail(above: readonly Line[], line: Line, right: number): boolean {
  const [last, before] = [above.at(-1), above.at(-2)]
  if (!last) return false
  const em = line.size
  const isFirst =
    !before || last.y - before.y >= last.size * maxTightLeading || Math.abs(last.x0 - before.x0) >= em * maxShift
  const shift = line.x0 - (isFirst ? textAfterLabel(last, line) : last.x0)
  const freeWidth = right - last.x1
  const isFull = freeWidth < firstWordWidth(line) + em || (!endsSentence(last) && freeWidth < (right - last.x0) / 4)
  if (line.y - last.y >= em * maxTightLeading || !isFull) return false
  if (isBroken(last, line)) return shift > -em * maxShift && shift < em * maxHanging
  const isAligned = shift < em * maxShift && shift > -em * (isFirst ? maxFirstIndent : maxShift)
  return isAligned && last.mono < minMonoShare && !last.text.endsWith(':')
}

/** Whether a line break splits a link, an address, an identifier in code or a hyphenated word. */
function isBroken(last: Line, line: Line): boolean {
  const [end, start] = [last.pieces.at(-1), line.pieces[0]]
  if (!end || !start) return false
  if (end.link !== undefined && end.link === start.link && /^https?:/.test(end.link)) return true
  const hasWords = last.mono < minMonoShare
  return hasWords && (end.mono ? /[/_-]$/.test(end.text) : /[\p{L}\p{N}][-\u2010]$/u.test(end.text))
}
