import type { Block, Line } from './page-parts.ts'
import { isIndex, isIndexEntry } from '../characters/text.ts'
import { letteredItems } from './lettered-items.ts'

/** A line distance larger than the usual one by this factor starts a new block. */
const maxTightLineGap = 1.17
/** The height of readings above a line, relative to their size. */
const readingHeight = 1.5
/** Characters that, like dashes, are bullets even before code. Asterisks and hyphens may be operators there. */
const bulletCharacters = '•◦▪●○■□⊠‣⁃∙·⋅▸▹►▻▶▷◮◆◇◊♦❖❏❐❑❒★☆✦➢➤➔✓✔✗✘☞'
/** A minus sign is a bullet only before words, not in a formula. */
export const bulletMarker = new RegExp(
  `^([${bulletCharacters}*∗–—-]|−(?=\\s\\p{L}{2,}(?:[,:]|\\s\\p{L}{2})))(?=\\s)`,
  'u',
)
const signMarker = new RegExp(`^[${bulletCharacters}–—]\\s`, 'u')
export const numberMarker = /^(\d{1,3}[.)])(?=\s)/

const midSentence = /^[\p{Ll}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
/** Minimum number of lines of an index, whose entries are separate. */
const minIndexLines = 6
/** Minimum share of entries among the lines of an index, which distinguishes it from a list of works with years. */
const minShareOfEntries = 0.7
/** Maximum distance of the lines of a paragraph from its left edge, and maximum indent of its first line, in ems. */
export const maxShift = 0.8
export const maxFirstIndent = 3
/** Minimum gap between a label and its text, in ems. */
const minLabelGap = 0.25
/** Maximum length of a term before a wide gap, and minimum length of the text after the gap, in characters. */
const maxTermCharacters = 30
const minTextCharacters = 24

/** Whether a line begins with a bullet or a dash, which are not operators in code. */
export function hasBullet({ text }: Line): boolean {
  return signMarker.test(text)
}

/** Divides running text at vertical gaps, then each part into paragraphs and list items. */
export function textBlocks(lines: readonly Line[], leading: number): Block[] {
  const groups: Line[][] = []
  for (const line of lines) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    if (group && last && isTight(last, line, leading)) group.push(line)
    else groups.push([line])
  }
  const isWholeIndex = lines.length >= minIndexLines && countEntries(lines) > lines.length * minShareOfEntries
  return groups.flatMap((group) => splitParagraphs(group, isWholeIndex && countEntries(group) === group.length))
}

function countEntries(lines: readonly Line[]): number {
  return lines.filter(({ text }) => isIndexEntry(text)).length
}

function isTight(last: Line, line: Line, leading: number): boolean {
  const size = Math.max(last.size, line.size)
  const distance = line.y - last.y - (line.readingSize ?? 0) * readingHeight
  return distance <= size * leading * maxTightLineGap && Math.min(last.size, line.size) >= size * 0.85
}

/** The blocks of lines without gaps between them. `areEntries` if each is an entry of an index. */
function splitParagraphs(lines: readonly Line[], areEntries: boolean): Block[] {
  const right = rightEdge(lines)
  const hasEntries = areEntries || (lines.length >= minIndexLines && isIndex(lines.map(({ text }) => text)))
  const lettered = letteredItems(lines)
  const blocks: Block[] = []
  let current: Extract<Block, { lines: Line[] }> | undefined
  for (const [index, line] of lines.entries()) {
    const marker =
      bulletOf(line, { current, right, lines }) ??
      (startsList(line, current) ? numberMarker.exec(line.text)?.[1] : undefined) ??
      (lettered.has(line) ? '' : undefined)
    if (line.note !== undefined) {
      current = { kind: 'note', number: line.note, lines: [line] }
      blocks.push(current)
    } else if (marker !== undefined) {
      current = { kind: 'list-item', marker, depth: 0, lines: [line] }
      blocks.push(current)
    } else if (
      current &&
      !(hasEntries && isIndexEntry(current.lines.at(-1)?.text ?? '')) &&
      (current.kind === 'note' ? line.raisedNumber === undefined : continuesParagraph(current.lines, line, right)) &&
      !(current.kind === 'paragraph' && startsParagraph(line, { current, next: lines[index + 1], right }))
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
export function rightEdge(lines: readonly Line[]): number {
  const ends = lines.map((line) => line.x1).sort((a, b) => b - a)
  return ends.find((end, index) => end - (ends[index + 1] ?? 0) < 1.5) ?? ends[0] ?? 0
}

/** The block that a line may continue, and the right edge of the text. */
interface Above {
  current: { kind: string; lines: Line[] } | undefined
  right: number
}

/**
 * The bullet at the start of a line, unless it is an operator in code, a dash in a sentence, or an asterisk operator on
 * its own, which is the mark of a note.
 */
function bulletOf(line: Line, { current, right, lines }: Above & { lines: readonly Line[] }): string | undefined {
  const { text, pieces, mono } = line
  const marker = bulletMarker.exec(text)?.[1]
  if (marker === undefined || (pieces[0]?.mono === true && mono < 1 && pieces[0].text === marker)) return undefined
  if (marker === '∗' && !lines.some((other) => other !== line && other.text.startsWith('∗ '))) return undefined
  const [first, last] = [current?.lines[0], current?.lines.at(-1)]
  if (!current || !first || !last || !/^[–—-]/.test(marker) || endsSentence(last)) return marker
  const isInside = current.kind === 'paragraph' || line.x0 > first.x0 + line.size * maxShift
  return isInside && continuesParagraph(current.lines, line, right) ? undefined : marker
}

/**
 * Whether a line begins a paragraph: it is indented against the line below, which continues it, and follows the end of a
 * sentence in a paragraph that is not indented like a hanging one.
 */
function startsParagraph(line: Line, { current, next, right }: Above & { next: Line | undefined }): boolean {
  const [last, before] = [current?.lines.at(-1), current?.lines.at(-2)]
  if (!next || !last || line.rtl || !endsSentence(last) || /^[\p{Lu}\p{N}[(•]/u.test(next.text)) return false
  const em = line.size
  const indent = line.x0 - next.x0
  if (indent < em * maxShift || indent > em * maxFirstIndent) return false
  if (right - line.x1 >= firstWordWidth(next) + em * maxShift) return false
  return !before || Math.abs(last.x0 - next.x0) < em * maxShift
}

/** Whether a line ends with the end of a sentence, or with a colon or semicolon. */
export function endsSentence({ text }: Line): boolean {
  return /[.:;!?。！？：；…][)\]”’"»」』]*$/.test(text)
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
  if (!last) return false
  if (isInsideWord(last, line)) return true
  if (isTableRow(line)) return false
  const left = isTableRow(last) ? textAfterTerm(last) : paragraph.length === 1 ? textAfterLabel(last, line) : last.x0
  if (left === null || (left !== last.x0 && Math.abs(line.x0 - left) > line.size * 0.4)) return false
  const em = line.size
  const shift = line.rtl ? last.x1 - line.x1 : line.x0 - left
  const freeWidth = right - last.x1
  const isFull =
    line.rtl ||
    freeWidth < firstWordWidth(line) + em * maxShift ||
    (isMidSentence(last, line) && freeWidth < (right - left) / 4)
  if (paragraph.length > 1 && Math.abs(shift) > em * maxShift) return false
  if (shift > em * maxShift) return isFull && shift < em * 6
  if (shift < -em * maxShift) return isFull && shift > -em * 5
  return isFull
}

/**
 * Whether the second line continues a sentence of the first: no closing punctuation, then a lower-case letter, or a
 * Chinese or Japanese character.
 */
export function isMidSentence(last: Line, line: Line): boolean {
  return /[^.:;!?)\]”"。：；！？）」』]$/.test(last.text) && midSentence.test(line.text)
}

/** Whether a word is hyphenated at the end of the first line and continues on the second. */
function isInsideWord(last: Line, line: Line): boolean {
  const [end, start] = [last.pieces.at(-1), line.pieces[0]]
  if (end?.mono !== false || start?.mono !== false) return false
  return /\p{Ll}[-\u2010\u00ad]$/u.test(last.text) && /^\p{Ll}/u.test(line.text)
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
 * The x of the text after the label of a line if the line below is aligned with that text; otherwise the x of the
 * line.
 */
export function textAfterLabel({ pieces, x0, rtl }: Line, line: Line): number {
  if (rtl) return x0
  const at = pieces.findIndex((piece, index) => {
    const gap = piece.x0 - (pieces[index - 1]?.x1 ?? piece.x0)
    return gap > line.size * minLabelGap && Math.abs(piece.x0 - line.x0) < line.size * 0.05
  })
  return pieces[at]?.x0 ?? x0
}

/** The width of the first word of a line, in points. Chinese and Japanese lines end after any character or two. */
export function firstWordWidth(line: Line): number {
  if (/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(line.text)) return line.size * 2
  const word = line.text.indexOf(' ')
  return word < 0 ? line.x1 - line.x0 : ((line.x1 - line.x0) * word) / line.text.length
}
