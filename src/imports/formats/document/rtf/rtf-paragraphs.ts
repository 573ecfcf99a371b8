import type { RtfBlock, RtfDocument, RtfInline, RtfParagraph } from './rtf-document.ts'

/** The bullet or number in plain text at the start of a paragraph. */
export interface WrittenMarker {
  name: 'ul' | 'ol'
  /** The number of an item; null for a bullet. */
  number: number | null
  /** Its length in characters. */
  length: number
}

const signs = /^\s*[•·▪■◦○●‣–—*\u00B7\uF0B7\uF0A7-]\t\s*/u
const numbers = /^\s*\(?(?:(\d{1,3})|([a-z]|[ivx]{2,4}))[.)]\t\s*/
/**
 * Above this share of letters in monospaced fonts, the file is a typescript instead of code. Above this share of
 * indented paragraphs, indents are margins instead of quotations.
 */
const maxFixedShare = 0.4
const quoteStyle = /^(?:intense )?(?:quote|quotations?|block ?quote|block text)/i
/** Minimum indent of a quotation on both sides, twips. */
const minQuoteIndent = 400

/** The marker of a paragraph with a hanging indent, as in lists that do not use RTF's own lists. */
export function writtenMarker(paragraph: RtfParagraph): WrittenMarker | null {
  if (paragraph.firstIndent >= 0) return null
  const text = textOfParagraph(paragraph).slice(0, 40)
  const sign = signs.exec(text)
  if (sign !== null) return { name: 'ul', number: null, length: sign[0].length }
  const found = numbers.exec(text)
  if (found === null) return null
  const [whole, digits, letters = ''] = found
  const number = digits === undefined ? valueOf(letters) : Number(digits)
  return number === null ? null : { name: 'ol', number, length: whole.length }
}

/** The number of a letter or a small Roman numeral. */
function valueOf(letters: string): number | null {
  if (letters.length === 1 && !/[ivx]/.test(letters)) return letters.charCodeAt(0) - 96
  const roman = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x', 'xi', 'xii'].indexOf(letters)
  return roman < 0 ? null : roman + 1
}

/** The inline elements of a paragraph without the first `length` characters of its text. */
export function withoutStart(inlines: readonly RtfInline[], length: number): RtfInline[] {
  let left = length
  return inlines.map((inline) => {
    if (inline.kind !== 'text' || left === 0) return inline
    const text = inline.text.slice(left)
    left -= inline.text.length - text.length
    return { ...inline, text }
  })
}

function textOfParagraph({ inlines }: RtfParagraph): string {
  return inlines.map((inline) => (inline.kind === 'text' ? inline.text : '\n')).join('')
}

/** The lines of a paragraph that consists only of code; otherwise null. */
export function codeOf(paragraph: RtfParagraph): string | null {
  const isCode = paragraph.inlines.every(
    (inline) =>
      inline.kind === 'break' || (inline.kind === 'text' && (inline.format.code || inline.text.trim() === '')),
  )
  return isCode ? textOfParagraph(paragraph).replaceAll('\t', '    ').trimEnd() : null
}

/** True if most of the text is in monospaced fonts, so that they do not indicate code. */
export function isTypescript({ blocks }: RtfDocument): boolean {
  const paragraphs = blocks.flatMap((block) => (block.kind === 'row' ? block.cells.flat() : [block.paragraph]))
  let [fixed, all] = [0, 0]
  for (const { inlines } of paragraphs) {
    for (const inline of inlines) {
      if (inline.kind !== 'text') continue
      all += inline.text.length
      if (inline.format.code) fixed += inline.text.length
    }
  }
  return fixed > all * maxFixedShare
}

/** True if so many paragraphs are indented on both sides that the indents are the margins of the book. */
export function hasWideMargins({ blocks }: RtfDocument): boolean {
  const paragraphs = blocks.flatMap((block) => (block.kind === 'row' ? [] : [block.paragraph]))
  return paragraphs.filter((paragraph) => isQuotation(paragraph, '')).length > paragraphs.length * maxFixedShare
}

/** True if a paragraph is a quotation: by its style, or because it is indented on both sides. */
export function isQuotation(paragraph: RtfParagraph, styleName: string): boolean {
  const { indent, rightIndent, firstIndent } = paragraph
  return quoteStyle.test(styleName) || (firstIndent >= 0 && Math.min(indent, rightIndent) >= minQuoteIndent)
}

/** True if the row at `index` is marked as a header, or is the only row of its table with a line below it. */
export function isHeaderRow(blocks: readonly RtfBlock[], index: number): boolean {
  const row = blocks[index]
  if (row?.kind !== 'row') return false
  if (row.isHeader) return true
  const next = blocks[index + 1]
  if (!row.isUnderlined || blocks[index - 1]?.kind === 'row' || next?.kind !== 'row') return false
  const after = blocks[index + 2]
  return !next.isUnderlined && !(after?.kind === 'row' && after.isUnderlined)
}
