import type { Calibration } from './calibration.ts'
import { toHalfPoints } from './calibration.ts'
import { findContentsLines } from './contents-lines.ts'
import { extentOf, median } from './extent.ts'
import { gatherFormulas } from './gather-formulas.ts'
import { findTable } from './find-table.ts'
import { isInsideListing, isNumberBeforeCode, isNumberedCode, minMonoShare } from './code-lines.ts'
import type { Block, HeadingMatch, Line } from './page-parts.ts'
import { isIndex, isIndexEntry } from './text.ts'

/** What precedes a line of a region: the running text above it, or the last line of the code listing above it. */
interface LinesAbove {
  lines: readonly Line[]
  above: readonly Line[]
  previousCode: Line | undefined
  /** The right edge of the running text of the region. */
  right: number
}

/** A line distance larger than the usual one by this factor starts a new block. */
const maxTightLineGap = 1.17
/**
 * Characters that are bullets even before code, as dashes are. The other bullet characters may be operators in code.
 */
const sign = '•◦▪●○■□‣∙·▸▹►▻▶▷◆◇◊❖❑❒★☆✦➢➤➔✓☞'
const bulletMarker = new RegExp(`^([${sign}*–—-])(?=\\s)`, 'u')
const signMarker = new RegExp(`^[${sign}–—]\\s`, 'u')
const numberMarker = /^(\d{1,3}[.)])(?=\s)/

/** Minimum number of lines of an index, whose entries are separate. */
const minIndexLines = 6
/** Minimum gap between a label and its text, in ems. */
const minLabelGap = 0.25
/** Maximum hanging indent of a paragraph behind its label, in ems. */
const maxHanging = 6
/** Maximum length of a term before a wide gap, and minimum length of the text behind the gap, in characters. */
const maxTermCharacters = 30
const minTextCharacters = 24

/**
 * Divides the lines of one region (a column or the whole page) into blocks such as paragraphs, list items, tables and
 * code.
 */
export function buildBlocks(
  lines: readonly Line[],
  calibration: Calibration,
  headings: ReadonlyMap<Line, HeadingMatch>,
): Block[] {
  const blocks: Block[] = []
  const leading = measureLeading(lines, calibration)
  const contents = findContentsLines(lines, calibration)
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

/** Whether a line is code. The line is neither a heading nor part of a table of contents. */
function classifyLine(
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
  if (line.mono < minMonoShare || signMarker.test(line.text)) return 'text'
  const last = above.at(-1)
  if (!last) return 'code'
  const isAddress = line.pieces.every(({ link }) => link !== undefined)
  const edge = above.length > 1 || isAddress ? extentOf(above).x1 : Math.max(last.x1, right)
  return isParagraphTail(last, line, edge) ? 'text' : 'code'
}

/**
 * Whether a line that is mostly monospaced continues the paragraph above it. The paragraph may have a hanging indent
 * behind a label.
 */
function isParagraphTail(last: Line, line: Line, right: number): boolean {
  const shift = line.x0 - last.x0
  const freeWidth = right - last.x1
  if (line.y - last.y >= line.size * 1.35 || freeWidth >= firstWordWidth(line) + line.size) return false
  if (isBroken(last, line)) return shift > -line.size * 0.8 && shift < line.size * maxHanging
  return Math.abs(shift) < line.size * 0.8 && last.mono < minMonoShare && !last.text.endsWith(':')
}

/** Whether a line break splits a link, an address, an identifier in code or a hyphenated word. */
function isBroken(last: Line, line: Line): boolean {
  const [end, start] = [last.pieces.at(-1), line.pieces[0]]
  if (!end || !start) return false
  if (end.link !== undefined && end.link === start.link && /^https?:/.test(end.link)) return true
  const hasWords = last.mono < minMonoShare
  return hasWords && (end.mono ? /[/_-]$/.test(end.text) : /[\p{L}\p{N}][-\u2010]$/u.test(end.text))
}

/** The usual line distance in this region, as a multiple of the font size. */
function measureLeading(lines: readonly Line[], { leading }: Calibration): number {
  const ratios: number[] = []
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1]
    if (!next || toHalfPoints(next.size) !== toHalfPoints(line.size)) continue
    const ratio = (next.y - line.y) / line.size
    if (ratio > 0.9 && ratio < leading * 1.6) ratios.push(ratio)
  }
  return ratios.length >= 6 ? Math.min(median(ratios), leading * 1.35) : leading
}

/** Divides running text at vertical gaps, then each part into paragraphs and list items. */
function textBlocks(lines: readonly Line[], leading: number): Block[] {
  const groups: Line[][] = []
  for (const line of lines) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    if (group && last && isTight(last, line, leading)) group.push(line)
    else groups.push([line])
  }
  return groups.flatMap((group) => splitParagraphs(group))
}

function isTight(last: Line, line: Line, leading: number): boolean {
  const size = Math.max(last.size, line.size)
  return line.y - last.y <= size * leading * maxTightLineGap && Math.min(last.size, line.size) >= size * 0.85
}

function splitParagraphs(lines: readonly Line[]): Block[] {
  const right = rightEdge(lines)
  const hasEntries = lines.length >= minIndexLines && isIndex(lines.map(({ text }) => text))
  const blocks: Block[] = []
  let current: Extract<Block, { lines: Line[] }> | undefined
  for (const line of lines) {
    const marker =
      bulletMarker.exec(line.text)?.[1] ?? (startsList(line, current) ? numberMarker.exec(line.text)?.[1] : undefined)
    if (line.note !== undefined) {
      current = { kind: 'note', number: line.note, lines: [line] }
      blocks.push(current)
    } else if (marker !== undefined) {
      current = { kind: 'list-item', marker, depth: 0, lines: [line] }
      blocks.push(current)
    } else if (
      current &&
      !(hasEntries && isIndexEntry(current.lines.at(-1)?.text ?? '')) &&
      (current.kind === 'note' ? line.raisedNumber === undefined : continuesParagraph(current.lines, line, right))
    ) {
      current.lines.push(line)
    } else {
      current = { kind: 'paragraph', lines: [line] }
      blocks.push(current)
    }
  }
  return blocks
}

/** The right edge that several lines share; the right edge of the longest line if no two agree. */
function rightEdge(lines: readonly Line[]): number {
  const ends = lines.map((line) => line.x1).sort((a, b) => b - a)
  return ends.find((end, index) => end - (ends[index + 1] ?? 0) < 1.5) ?? ends[0] ?? 0
}

/** Whether a number at the start of a line is a list marker. It is not if the line is in the middle of a sentence. */
function startsList(line: Line, current: { kind: string; lines: Line[] } | undefined): boolean {
  const last = current?.lines.at(-1)
  if (!current || !last || current.kind === 'list-item') return true
  return /[.:;!?]$/.test(last.text) || Math.abs(line.x0 - last.x0) > line.size
}

/** Whether a line continues the paragraph above it. */
function continuesParagraph(paragraph: readonly Line[], line: Line, right: number): boolean {
  const last = paragraph.at(-1)
  if (!last || isTableRow(line)) return false
  const left = isTableRow(last) ? textAfterTerm(last) : paragraph.length === 1 ? textAfterLabel(last, line) : last.x0
  if (left === null || (left !== last.x0 && Math.abs(line.x0 - left) > line.size * 0.4)) return false
  const em = line.size
  const shift = line.rtl ? last.x1 - line.x1 : line.x0 - left
  const freeWidth = right - last.x1
  const isFull =
    line.rtl ||
    freeWidth < firstWordWidth(line) + em * 0.8 ||
    (isMidSentence(last, line) && freeWidth < (right - left) / 4)
  if (paragraph.length > 1 && Math.abs(shift) > em * 0.8) return false
  if (shift > em * 0.8) return isFull && shift < em * 6
  if (shift < -em * 0.8) return isFull && shift > -em * 5
  return isFull
}

/** Whether the second line continues a sentence of the first: no closing punctuation, then a lower-case letter. */
export function isMidSentence(last: Line, line: Line): boolean {
  return /[^.:;!?)\]”"]$/.test(last.text) && /^\p{Ll}/u.test(line.text)
}

/** Whether a line has a wide gap, like a row of a table. */
function isTableRow({ pieces }: Line): boolean {
  return pieces.some((piece, index) => piece.hasTabBefore && piece.x0 - (pieces[index - 1]?.x1 ?? piece.x0) > 24)
}

/** The x of the text in a line that consists of a short term, a wide gap and text; null for other rows. */
function textAfterTerm({ pieces, rtl }: Line): number | null {
  const gaps = pieces.flatMap(({ hasTabBefore }, index) => (hasTabBefore && index > 0 ? [index] : []))
  const [at = 0] = gaps
  const [term, text] = [pieces.slice(0, at), pieces.slice(at)].map((part) => part.map((piece) => piece.text).join(' '))
  const isTerm = gaps.length === 1 && !rtl && term !== undefined && term.length <= maxTermCharacters
  return isTerm && (text?.length ?? 0) >= minTextCharacters ? (pieces[at]?.x0 ?? null) : null
}

/**
 * The x of the text behind the label of a line if the line below is aligned with that text; otherwise the x of the
 * line.
 */
function textAfterLabel({ pieces, x0, rtl }: Line, line: Line): number {
  if (rtl) return x0
  const at = pieces.findIndex((piece, index) => {
    const gap = piece.x0 - (pieces[index - 1]?.x1 ?? piece.x0)
    return gap > line.size * minLabelGap && Math.abs(piece.x0 - line.x0) < line.size * 0.05
  })
  return pieces[at]?.x0 ?? x0
}

function firstWordWidth(line: Line): number {
  const word = line.text.indexOf(' ')
  return word < 0 ? line.x1 - line.x0 : ((line.x1 - line.x0) * word) / line.text.length
}
