import { diagramsOf } from './docx-diagrams.ts'
import { withoutHiddenText } from './docx-hidden.ts'
import { DocxLinks } from './docx-links.ts'
import type { DocxNotes, MarkedNote, NoteKind } from './docx-notes.ts'
import type { DocxNumbering, HeadingNumbers } from './docx-numbering.ts'
import { noEmphasis, type DocxStyles } from './docx-styles.ts'
import { cellsOf, hasFirstRow, rowsOf } from './docx-tables.ts'
import type { ElementWriter } from '../markup/element-writer.ts'
import { listTypeOfFormat } from '../../list-number.ts'
import { ListWriter } from '../markup/list-writer.ts'
import { writeOfficeMath, writeOfficeMathParagraph } from './office-math.ts'
import {
  isCodeParagraph,
  isOn,
  leftOut,
  nodeLines,
  picturesOf,
  readFormat,
  textBoxesOf,
  textOfPart,
  value,
} from './docx-runs.ts'
import { plainFormat, type RunFormat, writeRun } from '../markup/run-format.ts'
import { childNodes, findChild, findDescendant, nodeText, type XmlNode } from '../markup/xml-blocks.ts'

export interface DocxParts {
  styles: DocxStyles
  /** Link targets by relationship id. */
  links: ReadonlyMap<string, string>
  /** Archive paths of pictures by relationship id. */
  pictures: ReadonlyMap<string, string>
  /** The texts of diagrams by relationship id. */
  diagrams: ReadonlyMap<string, readonly string[]>
  numbering: DocxNumbering
  headingNumbers: HeadingNumbers
  notes: DocxNotes
}

/** The separate files for the links and pictures of each kind of notes. */
type NoteParts = Record<NoteKind, Pick<DocxParts, 'links' | 'pictures'>>

const deepestLevel = 8
const noteMark = /^w:(footnote|endnote|comment)Reference$/

/** Writes WordprocessingML (ECMA-376, part 1, 17) as XHTML, block by block. */
export class DocxWriter {
  private readonly writer: ElementWriter
  private readonly parts: DocxParts
  private readonly links: DocxLinks
  private lists: ListWriter
  /** Consecutive lines of code, which form one block. */
  private codeLines: string[] = []
  /** The emphasis of the paragraph style. */
  private emphasis = noEmphasis
  /** The depth of the style of the first item of the open list. */
  private listDepth = 0
  private readonly noteParts: NoteParts

  constructor(writer: ElementWriter, parts: DocxParts, noteParts: NoteParts) {
    this.writer = writer
    this.parts = parts
    this.noteParts = noteParts
    this.links = new DocxLinks(writer, parts.links)
    this.lists = new ListWriter(writer)
  }

  /** Writes a paragraph, a table, or a container of these. */
  block(node: XmlNode): void {
    if (node.name === 'w:p') this.paragraph(withoutHiddenText(node, this.parts.styles))
    else if (node.name === 'w:tbl') this.table(node)
    else if (node.name === 'w:sdt') this.contentControl(node)
    else if (node.name === 'w:bookmarkStart') this.links.bookmark(node)
    else if (!leftOut.test(node.name)) for (const child of childNodes(node)) this.block(child)
  }

  /** Ends the text and writes the remaining notes. */
  end(): void {
    this.endBlocks()
    this.footnotes()
    for (const note of this.parts.notes.takeMarked('endnote')) this.note(note)
  }

  /** Ends open lists and code at the end of a text, a cell or a note. */
  private endBlocks(): void {
    this.endCode()
    this.lists.end()
  }

  /** Writes the footnotes and comments of the last blocks, so that they share a page; not inside lists and tables. */
  private footnotes(): void {
    if (this.writer.depth > 0) return
    for (const note of this.parts.notes.takeMarked('footnote')) this.note(note)
    for (const comment of this.parts.notes.takeMarked('comment')) this.note(comment)
  }

  private note(note: MarkedNote): void {
    const { kind, id } = note
    const writer = new DocxWriter(this.writer, { ...this.parts, ...this.noteParts[kind] }, this.noteParts)
    this.parts.notes.read(note, (node) => {
      this.writer.open('aside', { id: `${kind}-${id}`, role: kind === 'endnote' ? 'doc-endnote' : 'doc-footnote' })
      const author = kind === 'comment' ? (node.attributes['w:author'] ?? '').trim() : ''
      if (author !== '') this.writer.element('p', `${author}:`)
      for (const child of childNodes(node)) writer.block(child)
      writer.endBlocks()
      this.writer.close()
    })
  }

  private contentControl(node: XmlNode): void {
    const gallery = findDescendant(findChild(node, 'w:sdtPr') ?? node, 'w:docPartGallery')
    if (/table of contents/i.test(value(gallery) ?? '')) return
    for (const child of childNodes(findChild(node, 'w:sdtContent'))) this.block(child)
  }

  private paragraph(node: XmlNode): void {
    const properties = findChild(node, 'w:pPr')
    const style = value(findChild(properties, 'w:pStyle')) ?? ''
    const { styles } = this.parts
    const kind = styles.kind(style)
    if (kind === 'contents') return
    const outline = Number(value(findChild(properties, 'w:outlineLvl')) ?? 'NaN')
    const heading = styles.headingLevel(style) ?? (outline >= 0 && outline < 9 ? outline + 1 : null)
    const isCode = heading === null && (kind === 'code' || (kind === null && isCodeParagraph(node, styles)))
    if (isCode) return void this.codeLines.push(nodeLines(node))
    this.endCode()
    const list = this.listOf(properties, style)
    // Headings and other styled blocks need no emphasis.
    this.emphasis = heading === null && kind === null ? styles.emphasis(style) : noEmphasis
    if (isRule(node)) return this.rule()
    if (isEmpty(node)) return
    const name = heading === null ? this.listName(list) : null
    if (list !== null && name !== null) {
      this.item(list, name, styles.listDepth(style))
      return this.links.paragraph(() => this.content(node, plainFormat))
    }
    const continuesList = heading === null && (list !== null || kind === 'listText')
    if (!continuesList || !this.lists.continueItem(list?.level ?? deepestLevel)) this.lists.end()
    this.footnotes()
    const { depth } = this.writer
    if (kind === 'quote') this.writer.open('blockquote')
    this.writer.open(heading === null ? 'p' : `h${Math.min(heading, 6)}`)
    const number = heading === null || list === null ? '' : this.parts.headingNumbers.next(list.numId, list.level)
    if (number !== '') this.writer.text(`${number} `)
    this.links.paragraph(() => this.content(node, plainFormat))
    this.writer.closeTo(depth)
  }

  /**
   * Begins an item; an item of a task list has a check box as its bullet. `depth` is that of its style, relative to the
   * first item of the list.
   */
  private item({ numId: id, level }: { numId: string; level: number }, name: 'ul' | 'ol', depth: number): void {
    if (!this.lists.isOpen) this.listDepth = depth
    const { start = 1, format = '', text = '' } = this.parts.numbering.level(id, level) ?? {}
    const pattern = text.replace(`%${level + 1}`, '%')
    const shown = Math.max(level, depth - this.listDepth)
    this.lists.item({ id, level: shown, name, start, type: listTypeOfFormat(format), pattern })
    if (/^[\u2610-\u2612]$/.test(text))
      this.writer.empty('input', { type: 'checkbox', ...(text !== '\u2610' && { checked: '' }) })
  }

  private listOf(properties: XmlNode | undefined, style: string): { numId: string; level: number } | null {
    const numbering = findChild(properties, 'w:numPr')
    const inherited = this.parts.styles.listOf(style)
    const numId = value(findChild(numbering, 'w:numId')) ?? inherited?.numId
    if (numId === undefined || numId === '0') return null
    const level = value(findChild(numbering, 'w:ilvl')) ?? inherited?.level
    return { numId, level: Number(level ?? this.parts.numbering.levelOfStyle(numId, style)) || 0 }
  }

  /** The kind of list that a paragraph belongs to; null if it is not a list item. */
  private listName(list: { numId: string; level: number } | null): 'ul' | 'ol' | null {
    if (list === null) return null
    const { format } = this.parts.numbering.level(list.numId, list.level) ?? { format: 'bullet' }
    return format === 'none' ? null : format === 'bullet' ? 'ul' : 'ol'
  }

  private content(node: XmlNode, format: RunFormat): void {
    for (const child of childNodes(node)) {
      if (child.name === 'w:r') this.run(child)
      else if (child.name === 'w:hyperlink' || child.name === 'w:fldSimple')
        this.links.element(child, () => this.content(child, plainFormat))
      else if (child.name === 'w:bookmarkStart') this.links.bookmark(child)
      else if (child.name === 'm:oMath') writeOfficeMath(this.writer, child, false)
      else if (child.name === 'm:oMathPara') writeOfficeMathParagraph(this.writer, child)
      else if (child.name === 'w:p' || child.name === 'w:tbl') this.block(child)
      else if (!leftOut.test(child.name)) this.content(child, format)
    }
  }

  private run(run: XmlNode): void {
    const properties = findChild(run, 'w:rPr')
    const format = readFormat(properties, this.parts.styles, this.emphasis)
    let text = ''
    const flush = (): void => {
      writeRun(this.writer, text, format)
      text = ''
    }
    for (const child of childNodes(run)) {
      const part = textOfPart(child, properties)
      if (part !== null) text += part
      else {
        flush()
        if (!this.links.fieldPart(child)) this.runPart(child)
      }
    }
    flush()
  }

  private runPart(node: XmlNode): void {
    const { name, attributes } = node
    if (name === 'w:br' || name === 'w:cr') {
      if (attributes['w:type'] === undefined || attributes['w:type'] === 'textWrapping') this.writer.empty('br')
    } else if (noteMark.test(name)) this.mark(noteMark.exec(name)?.[1] as NoteKind, attributes['w:id'] ?? '')
    else if (name === 'w:ruby') this.content(findChild(node, 'w:rubyBase') ?? node, plainFormat)
    else if (!leftOut.test(name)) this.drawing(node)
  }

  private mark(kind: NoteKind, id: string): void {
    const { notes } = this.parts
    if (kind === 'comment' && !notes.has({ kind, id })) return
    const number = notes.mark(kind, id)
    const shown = kind === 'comment' ? `comment${number}` : number
    this.writer.element('a', shown, { href: `#${kind}-${id}`, role: 'doc-noteref' })
  }

  /** Writes text boxes, of which a drawing can group several, pictures with their alternative text, and diagrams. */
  private drawing(node: XmlNode): void {
    const boxes = textBoxesOf(node)
    for (const box of boxes) for (const child of childNodes(box)) this.block(child)
    for (const picture of picturesOf(node, this.parts.pictures))
      if (boxes.length === 0 || picture.src !== '') this.writer.empty('img', picture)
    for (const text of diagramsOf(node, this.parts.diagrams)) this.writer.element('p', text)
  }

  private table(node: XmlNode): void {
    this.endBlocks()
    this.footnotes()
    const outer = this.lists
    this.writer.open('table')
    const rows = rowsOf(node)
    const emphasizesFirst = rows.length > 1 && hasFirstRow(node)
    for (const [at, row] of rows.entries()) {
      const isHeader = isOn(findChild(findChild(row, 'w:trPr'), 'w:tblHeader')) || (at === 0 && emphasizesFirst)
      this.writer.open('tr')
      for (const cell of cellsOf(row)) this.cell(cell, isHeader ? 'th' : 'td')
      this.writer.close()
    }
    this.writer.close()
    this.lists = outer
  }

  private cell(cell: XmlNode, name: 'th' | 'td'): void {
    const properties = findChild(cell, 'w:tcPr')
    const merge = findChild(properties, 'w:vMerge')
    this.writer.open(name, { colspan: value(findChild(properties, 'w:gridSpan')) ?? '1' })
    // A cell that continues the one above (vertical merge) has no text.
    if (merge === undefined || value(merge) === 'restart') {
      this.lists = new ListWriter(this.writer)
      for (const child of childNodes(cell)) this.block(child)
      this.endBlocks()
    }
    this.writer.close()
  }

  private rule(): void {
    this.lists.end()
    this.footnotes()
    this.writer.empty('hr')
  }

  private endCode(): void {
    if (this.codeLines.length === 0) return
    const text = this.codeLines.join('\n')
    this.codeLines = []
    this.lists.end()
    this.writer.element('pre', text)
  }
}

/** True for a paragraph that is a horizontal rule. */
function isRule(paragraph: XmlNode): boolean {
  const shape = findDescendant(paragraph, 'v:rect')
  return shape?.attributes['o:hr'] !== undefined && nodeText(paragraph).trim() === ''
}

/** True if a paragraph has no readable content. */
function isEmpty(paragraph: XmlNode): boolean {
  const hasPart = [
    'wp:docPr',
    'v:imagedata',
    'w:t',
    'w:sym',
    'w:footnoteReference',
    'w:endnoteReference',
    'w:commentReference',
    'm:oMath',
  ].some((name) => findDescendant(paragraph, name) !== undefined)
  return !hasPart && nodeText(paragraph).trim() === ''
}
