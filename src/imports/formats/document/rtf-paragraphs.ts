import type { RtfBlock, RtfDocument, RtfInline, RtfParagraph } from './rtf-document.ts'

/** The sign or number that a paragraph begins with as plain text. */
export interface WrittenMarker {
  name: 'ul' | 'ol'
  /** The number of an item; null for a sign. */
  number: number | null
  /** Characters of the text that it takes. */
  length: number
}

const signs = /^\s*[•·▪■◦○●‣–—*\u00B7\uF0B7\uF0A7-]\t\s*/u
const numbers = /^\s*\(?(?:(\d{1,3})|([a-z]|[ivx]{2,4}))[.)]\t\s*/
/** Of all letters in a file: more in fixed fonts are a typescript, and not code. Of all paragraphs: more that are indented are no quotations. */
const maxFixedShare = 0.4
const quoteStyle = /^(?:intense )?(?:quote|quotations?|block ?quote|block text)/i
/** Twips of both sides of a quotation. */
const minQuoteIndent = 400

/** The marker of a paragraph whose first line hangs out to the left, as lists do that are written without the lists of RTF. */
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

/** The pieces of a paragraph without the first `length` characters of its text. */
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

/** The lines of a paragraph that is nothing but code; null for any other. */
export function codeOf(paragraph: RtfParagraph): string | null {
  const isCode = paragraph.inlines.every(
    (inline) =>
      inline.kind === 'break' || (inline.kind === 'text' && (inline.format.code || inline.text.trim() === '')),
  )
  return isCode ? textOfParagraph(paragraph).replaceAll('\t', '    ').trimEnd() : null
}

/** Whether most of a text is in fixed fonts, so that they say nothing. */
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

/** Whether so many paragraphs are indented on both sides that these are the margins of the book. */
export function hasWideMargins({ blocks }: RtfDocument): boolean {
  const paragraphs = blocks.flatMap((block) => (block.kind === 'row' ? [] : [block.paragraph]))
  return paragraphs.filter((paragraph) => isQuotation(paragraph, '')).length > paragraphs.length * maxFixedShare
}

/** Whether a paragraph is set off as a quotation: by its style, or indented on both sides. */
export function isQuotation(paragraph: RtfParagraph, styleName: string): boolean {
  const { indent, rightIndent, firstIndent } = paragraph
  return quoteStyle.test(styleName) || (firstIndent >= 0 && Math.min(indent, rightIndent) >= minQuoteIndent)
}

/** Whether the row at `index` is the only one of its table with a line below it, or is marked as a header. */
export function isHeaderRow(blocks: readonly RtfBlock[], index: number): boolean {
  const row = blocks[index]
  if (row?.kind !== 'row') return false
  if (row.isHeader) return true
  const next = blocks[index + 1]
  if (!row.isUnderlined || blocks[index - 1]?.kind === 'row' || next?.kind !== 'row') return false
  const after = blocks[index + 2]
  return !next.isUnderlined && !(after?.kind === 'row' && after.isUnderlined)
}
