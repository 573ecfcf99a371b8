import { documentBook } from './document-book.ts'
import { ListWriter } from './list-writer.ts'
import { writeRun } from './run-format.ts'
import type { ElementWriter } from './element-writer.ts'
import type { OpenBook } from '../format.ts'
import { FormatError } from '../format.ts'
import type { RtfBlock, RtfDocument, RtfInline, RtfParagraph } from './rtf-document.ts'
import { readRtf } from './rtf-reader.ts'

/** Numbers of `\levelnfc`: a list with signs, and one without. */
const bulletFormat = 23
const noFormat = 255
/** Schemes of addresses that become links. */
const linkScheme = /^(?:https?|mailto):/i

/**
 * Opens a file of the Rich Text Format (1.9.1): headings by style or outline level, emphasis, lists, tables, links and notes, in
 * any code page and Unicode. Pictures are told by a mark.
 */
export const openRtf: OpenBook = async (bytes, limits) => {
  if (bytes.length > limits.totalBytes / 4) throw new FormatError('TOO_LARGE', `a file of ${bytes.length} bytes`)
  const document = readRtf(bytes)
  return documentBook({ info: document.info, parts: [(writer) => new RtfWriter(writer, document).write()] }, limits)
}

/** Writes paragraphs and rows as elements of XHTML. */
class RtfWriter {
  private readonly writer: ElementWriter
  private readonly document: RtfDocument
  private lists: ListWriter

  constructor(writer: ElementWriter, document: RtfDocument) {
    this.writer = writer
    this.document = document
    this.lists = new ListWriter(writer)
  }

  write(): void {
    this.blocks(this.document.blocks)
    for (const [id, blocks] of this.document.notes) {
      this.writer.open('aside', { id: `note-${id}`, role: 'doc-footnote' })
      this.blocks(blocks)
      this.writer.close()
    }
  }

  private blocks(blocks: readonly RtfBlock[]): void {
    let isInTable = false
    for (const block of blocks) {
      const isRow = block.kind === 'row'
      if (isRow && !isInTable) {
        this.lists.end()
        this.writer.open('table')
      } else if (!isRow && isInTable) this.writer.close()
      isInTable = isRow
      if (isRow) this.row(block.cells, block.isHeader)
      else this.paragraph(block.paragraph)
    }
    if (isInTable) this.writer.close()
    this.lists.end()
  }

  private row(cells: readonly RtfParagraph[][], isHeader: boolean): void {
    const outer = this.lists
    this.writer.open('tr')
    for (const cell of cells) {
      this.writer.open(isHeader ? 'th' : 'td')
      this.lists = new ListWriter(this.writer)
      for (const paragraph of cell) this.paragraph(paragraph)
      this.lists.end()
      this.writer.close()
    }
    this.writer.close()
    this.lists = outer
  }

  private paragraph(paragraph: RtfParagraph): void {
    const heading = this.headingLevel(paragraph)
    const name = heading === null ? this.listName(paragraph) : null
    const { list } = paragraph
    if (name !== null && list !== null) {
      this.lists.item({ id: `${list.list}`, level: list.level, name })
      this.inlines(paragraph.inlines)
      return
    }
    this.lists.end()
    const { depth } = this.writer
    this.writer.open(heading === null ? 'p' : `h${heading}`)
    this.inlines(heading === null ? paragraph.inlines : paragraph.inlines.map(withoutBold))
    this.writer.closeTo(depth)
  }

  private headingLevel({ style, outline }: RtfParagraph): number | null {
    const { name = '', outline: ofStyle = null } = this.document.styles.get(style) ?? {}
    if (/^title$/i.test(name)) return 1
    const level = outline ?? ofStyle ?? Number(/^heading\s*(\d)$/i.exec(name)?.[1] ?? 10) - 1
    return level >= 0 && level < 9 ? Math.min(level + 1, 6) : null
  }

  private listName({ list }: RtfParagraph): 'ul' | 'ol' | null {
    if (list === null || list.list === 0) return null
    const format = this.document.lists.get(list.list)?.[list.level] ?? bulletFormat
    if (format === noFormat) return null
    return format === bulletFormat ? 'ul' : 'ol'
  }

  private inlines(inlines: readonly RtfInline[]): void {
    for (const inline of inlines) {
      if (inline.kind === 'break') this.writer.empty('br')
      else if (inline.kind === 'picture') this.writer.empty('img', { alt: inline.alt })
      else if (inline.kind === 'note') {
        this.writer.element('a', `${inline.id}`, { href: `#note-${inline.id}`, role: 'doc-noteref' })
      } else this.text(inline)
    }
  }

  private text({ text, format, href }: Extract<RtfInline, { kind: 'text' }>): void {
    const isLink = href !== null && linkScheme.test(href)
    if (isLink) this.writer.open('a', { href })
    writeRun(this.writer, text, format)
    if (isLink) this.writer.close()
  }
}

/** Headings are bold in any case. */
function withoutBold(inline: RtfInline): RtfInline {
  return inline.kind === 'text' ? { ...inline, format: { ...inline.format, bold: false } } : inline
}
