import type { BookInfo, OpenBook } from '../../format.ts'
import { FormatError } from '../../format.ts'
import { decodeText } from './decode-text.ts'
import { documentBook, emptyInfo } from '../markup/document-book.ts'
import type { ElementWriter } from '../markup/element-writer.ts'
import { findHeadings, type TextHeading } from './text-headings.ts'
import { withoutTerminalCodes } from './terminal-codes.ts'
import { splitEmphasis } from './text-emphasis.ts'
import { lineWidth, splitParagraphs, type Paragraph } from './text-paragraphs.ts'

/** Maximum number of paragraphs in a part without a heading. */
const maxPartParagraphs = 5_000

/**
 * Opens a plain text: its paragraphs, its chapters if their headings are recognisable, and verses and tables line by
 * line.
 */
export const openText: OpenBook = async (bytes, limits) => {
  if (bytes.length > limits.totalBytes / 8) throw new FormatError('TOO_LARGE', `a text of ${bytes.length} bytes`)
  const paragraphs = splitParagraphs(withoutTerminalCodes(decodeText(bytes)))
  const headings = findHeadings(paragraphs)
  const width = Math.max(40, Math.min(100, lineWidth(paragraphs.slice(0, 2_000).flatMap(({ lines }) => lines))))
  const parts = splitParts(paragraphs, headings).map(({ from, to }) => (writer: ElementWriter) => {
    for (let at = from; at < to; at++) {
      const heading = headings.get(at)
      if (heading !== undefined) {
        writer.element(`h${heading.level}`, heading.title)
        if (heading.hasName) at++
      } else writeParagraph(writer, paragraphs[at] as Paragraph, width)
    }
  })
  return documentBook({ info: readInfo(paragraphs), parts }, limits)
}

function splitParts(
  { length }: readonly Paragraph[],
  headings: ReadonlyMap<number, TextHeading>,
): { from: number; to: number }[] {
  const parts: { from: number; to: number }[] = []
  let from = 0
  for (let at = 1; at <= length; at++) {
    // A part and its first chapter start together.
    const startsPart = headings.has(at) && !headings.has(at - 1)
    if (at < length && !startsPart && at - from < maxPartParagraphs) continue
    parts.push({ from, to: at })
    from = at
  }
  return parts
}

/** Writes a paragraph: joins lines that were wrapped, and keeps shorter lines, such as verses, as separate lines. */
function writeParagraph(writer: ElementWriter, { lines }: Paragraph, width: number): void {
  if (isAligned(lines)) return writer.element('pre', lines.join('\n'))
  writer.open('p')
  for (const { text, isEmphasised } of splitEmphasis(joinWrapped(lines, width))) {
    if (isEmphasised) writer.open('em')
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) writer.empty('br')
      writer.text(line)
    }
    if (isEmphasised) writer.close()
  }
  writer.close()
}

/** The text of a paragraph, with the line ends that its author chose. */
function joinWrapped(lines: readonly string[], width: number): string {
  let text = ''
  for (const [index, line] of lines.entries()) {
    text += line.trim()
    const next = lines[index + 1]?.trim()
    if (next === undefined) continue
    const nextWord = next.split(/\s/, 1)[0] ?? ''
    // A line was wrapped if the next word no longer fitted.
    text += line.length + 1 + nextWord.length >= width * 0.85 ? ' ' : '\n'
  }
  return text
}

/** True for tables and drawings of several lines, whose columns are made of spaces or lines. */
function isAligned(lines: readonly string[]): boolean {
  if (lines.length < 2) return false
  const columns = lines.filter((line) => /\S {3,}\S|\t\S|[│┃|+].*[│┃|+]/.test(line.trim())).length
  return columns > lines.length * 0.6
}

/** Reads the fields at the start, in the format of Project Gutenberg. */
function readInfo(paragraphs: readonly Paragraph[]): BookInfo {
  const head = paragraphs.slice(0, 15).flatMap(({ lines }) => lines.slice(0, 5))
  const field = (name: string): string | null => {
    const line = head.find((candidate) => candidate.startsWith(`${name}: `))
    return line === undefined ? null : line.slice(name.length + 2, 300).trim() || null
  }
  return { ...emptyInfo, title: field('Title'), author: field('Author') }
}
