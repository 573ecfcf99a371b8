import type { ElementWriter } from '../markup/element-writer.ts'
import { levelOfHeadingName } from '../markup/heading-names.ts'
import { rtfListTypes } from './rtf-list-types.ts'
import { ListWriter } from '../markup/list-writer.ts'
import type { RtfBlock, RtfDocument, RtfInline, RtfListLevel, RtfListPlace, RtfParagraph } from './rtf-document.ts'
import {
  codeOf,
  hasWideMargins,
  isHeaderRow,
  isQuotation,
  isTypescript,
  withoutStart,
  writtenMarker,
  type WrittenMarker,
} from './rtf-paragraphs.ts'
import { plainFormat, writeRun } from '../markup/run-format.ts'

/** Values of `\levelnfc`: a list with bullets, and one without. */
const bulletFormat = 23
const noFormat = 255
/** URL schemes that become links. */
const linkScheme = /^(?:https?:|mailto:|#)/i
/** A formula in TeX, which Pandoc leaves if it cannot convert it. */
const texParagraph = /^\s*\$\$([^$]*\\[A-Za-z][^$]*)\$\$\s*$/

/** Writes paragraphs and rows as XHTML elements. */
export class RtfWriter {
  private readonly writer: ElementWriter
  private readonly document: RtfDocument
  private readonly isTypescript: boolean
  private readonly hasWideMargins: boolean
  private lists: ListWriter
  private isInCell = false
  /** Lines of code that have not been written yet. */
  private code: string[] = []
  /** Bookmarks of the current paragraph that have not been written yet. */
  private readonly bookmarks: string[] = []
  /** The indents of the open plain-text list items, and the number of such lists so far. */
  private indents: number[] = []
  private writtenLists = 0
  private isInQuotation = false

  constructor(writer: ElementWriter, document: RtfDocument) {
    this.writer = writer
    this.document = document
    this.isTypescript = isTypescript(document)
    this.hasWideMargins = hasWideMargins(document)
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
    for (const [index, block] of blocks.entries()) {
      const isRow = block.kind === 'row'
      if (isRow && !isInTable) {
        this.endAll()
        this.writer.open('table')
      } else if (!isRow && isInTable) this.writer.close()
      isInTable = isRow
      if (isRow) this.row(block.cells, isHeaderRow(blocks, index))
      else this.paragraph(block.paragraph)
    }
    if (isInTable) this.writer.close()
    this.endAll()
  }

  private row(cells: readonly RtfParagraph[][], isHeader: boolean): void {
    const outer = this.lists
    this.isInCell = true
    this.writer.open('tr')
    for (const cell of cells) {
      this.writer.open(isHeader ? 'th' : 'td')
      this.lists = new ListWriter(this.writer)
      for (const paragraph of cell) this.paragraph(paragraph)
      this.endAll()
      this.writer.close()
    }
    this.writer.close()
    this.isInCell = false
    this.lists = outer
  }

  private endAll(): void {
    this.endCode()
    this.endQuotation()
    this.endLists()
  }

  private endLists(): void {
    this.lists.end()
    this.indents = []
  }

  private endQuotation(): void {
    if (this.isInQuotation) this.writer.close()
    this.isInQuotation = false
  }

  private endCode(): void {
    if (this.code.length > 0) this.writer.element('pre', this.code.join('\n'))
    this.code = []
  }

  private paragraph(paragraph: RtfParagraph): void {
    for (const bookmark of paragraph.bookmarks) this.bookmarks.push(bookmark)
    const heading = this.headingLevel(paragraph)
    const code = this.isTypescript || this.isInCell || heading !== null ? null : codeOf(paragraph)
    if (code !== null) return this.codeLines(code, paragraph.blanksBefore)
    this.endCode()
    const name = heading === null ? this.listName(paragraph) : null
    const marker = heading === null && name === null ? writtenMarker(paragraph) : null
    const { list } = paragraph
    if (name !== null && list !== null) {
      this.endQuotation()
      const { format = bulletFormat, start, pattern } = this.levelOf(list) ?? {}
      this.lists.item({ id: `${list.list}`, level: list.level, name, start, type: rtfListTypes[format], pattern })
      return this.itemText(paragraph.inlines)
    }
    if (marker !== null) return this.writtenItem(paragraph, marker)
    if (this.continuesItem(paragraph)) return this.block('p', paragraph.inlines)
    this.endLists()
    this.setOff(paragraph, heading)
  }

  /** Writes a heading, a quotation, a formula or a plain paragraph. */
  private setOff(paragraph: RtfParagraph, heading: number | null): void {
    const { inlines } = paragraph
    const style = this.document.styles.get(paragraph.style)?.name ?? ''
    const canBeQuoted = heading === null && !this.isInCell && !this.hasWideMargins
    const isQuoted = canBeQuoted && isQuotation(paragraph, style)
    if (!isQuoted) this.endQuotation()
    else if (!this.isInQuotation) {
      this.writer.open('blockquote')
      this.isInQuotation = true
    }
    const [only] = inlines
    const tex = inlines.length === 1 && only?.kind === 'text' ? texParagraph.exec(only.text)?.[1] : undefined
    if (tex !== undefined) this.formula(tex)
    else if (heading === null) this.block('p', inlines)
    else this.block(`h${heading}`, [...this.numberOf(paragraph), ...inlines.map(withoutBold)])
  }

  /** The displayed number of a heading. */
  private numberOf(paragraph: RtfParagraph): RtfInline[] {
    const number = this.listName(paragraph) === 'ol' ? paragraph.label.trim() : ''
    return number === '' ? [] : [{ kind: 'text', text: `${number} `, format: plainFormat, href: null }]
  }

  private block(name: string, inlines: readonly RtfInline[]): void {
    const { depth } = this.writer
    this.writer.open(name)
    this.inlines(inlines)
    this.writer.closeTo(depth)
  }

  private formula(tex: string): void {
    this.writer.open('math', { display: 'block', alttext: tex })
    this.writer.open('semantics')
    this.writer.element('annotation', tex, { encoding: 'application/x-tex' })
    this.writer.close()
    this.writer.close()
  }

  private codeLines(code: string, blanksBefore: number): void {
    this.endQuotation()
    this.endLists()
    if (this.code.length > 0) for (let blanks = Math.min(blanksBefore, 3); blanks > 0; blanks--) this.code.push('')
    this.code.push(code)
  }

  /** Writes an item with a plain-text marker; the indents determine the level. */
  private writtenItem(paragraph: RtfParagraph, { name, number, length }: WrittenMarker): void {
    this.endQuotation()
    if (this.indents.length === 0 && (number === 1 || name === 'ul')) this.writtenLists++
    while ((this.indents.at(-1) ?? -1) > paragraph.indent) this.indents.pop()
    if (this.indents.at(-1) !== paragraph.indent) this.indents.push(paragraph.indent)
    const level = this.indents.length - 1
    if (number === 1 && level === 0) this.writtenLists++
    this.lists.item({ id: `written ${this.writtenLists}`, level, name, ...(number === null ? {} : { start: number }) })
    this.itemText(withoutStart(paragraph.inlines, length))
  }

  /** True if a paragraph without a marker is indented like the text of the item before it. */
  private continuesItem({ indent, firstIndent }: RtfParagraph): boolean {
    const level = this.indents.lastIndexOf(indent)
    if (level < 0 || indent === 0 || firstIndent !== 0 || !this.lists.continueItem(level)) return false
    this.indents.length = level + 1
    return true
  }

  /** Writes the text of an item; the check box of a task is written as in Markdown. */
  private itemText(inlines: readonly RtfInline[]): void {
    const [first, ...others] = inlines.filter((inline) => inline.kind !== 'text' || inline.text !== '')
    const box = first?.kind === 'text' ? /^[\u2610-\u2612]\s+/.exec(first.text) : null
    if (first?.kind !== 'text' || box === null) return this.inlines(inlines)
    this.writer.empty('input', { type: 'checkbox', ...(box[0].startsWith('\u2610') ? {} : { checked: '' }) })
    this.inlines([{ ...first, text: first.text.slice(box[0].length) }, ...others])
  }

  private headingLevel({ style, outline }: RtfParagraph): number | null {
    const { name = '', outline: ofStyle = null } = this.document.styles.get(style) ?? {}
    if (/^title$/i.test(name)) return 1
    const level = outline ?? ofStyle ?? (levelOfHeadingName(name) ?? 10) - 1
    return level >= 0 && level < 9 ? Math.min(level + 1, 6) : null
  }

  private levelOf({ list, level }: RtfListPlace): RtfListLevel | undefined {
    return this.document.lists.get(list)?.[level]
  }

  private listName({ list }: RtfParagraph): 'ul' | 'ol' | null {
    if (list === null || list.list === 0) return null
    const { format = bulletFormat } = this.levelOf(list) ?? {}
    if (format === noFormat) return null
    return format === bulletFormat ? 'ul' : 'ol'
  }

  private inlines(inlines: readonly RtfInline[]): void {
    for (const id of this.bookmarks.splice(0)) this.writer.empty('a', { id })
    for (const inline of inlines) {
      if (inline.kind === 'break') this.writer.empty('br')
      else if (inline.kind === 'picture')
        this.writer.empty('img', inline.index === null ? {} : { src: `${inline.index}` })
      else if (inline.kind === 'note') {
        this.writer.element('a', `${inline.id}`, { href: `#note-${inline.id}`, role: 'doc-noteref' })
      } else this.text(inline)
    }
  }

  private text({ text, format, href }: Extract<RtfInline, { kind: 'text' }>): void {
    const isLink = href !== null && linkScheme.test(href)
    if (isLink) this.writer.open('a', { href })
    writeRun(this.writer, text, this.isTypescript && format.code ? { ...format, code: false } : format)
    if (isLink) this.writer.close()
  }
}

/** Headings are bold anyway. */
function withoutBold(inline: RtfInline): RtfInline {
  return inline.kind === 'text' ? { ...inline, format: { ...inline.format, bold: false } } : inline
}
