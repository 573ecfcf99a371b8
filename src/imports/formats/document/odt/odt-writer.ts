import { decodePercent } from '../../epub/resolve-path.ts'
import type { ElementWriter } from '../markup/element-writer.ts'
import { OdtHeadingNumbers } from './odt-headings.ts'
import { OdtListNumbers, OdtLists } from './odt-lists.ts'
import type { OdtStyles } from './odt-styles.ts'
import { plainFormat, type RunFormat, writeRun } from '../markup/run-format.ts'
import { childNodes, findChild, nodeText, type XmlNode } from '../markup/xml-blocks.ts'
import { pushReversed } from '../markup/push-reversed.ts'

export interface OdtParts {
  styles: OdtStyles
  /** Formulas as MathML, by the path of their object. */
  formulas: ReadonlyMap<string, XmlNode>
}

type NoteKind = 'footnote' | 'endnote'

interface Note {
  id: string
  kind: NoteKind
  body: XmlNode | undefined
}

/** Elements that are not part of the text: changes, comments, indexes other than the bibliography, and forms. */
const leftOut =
  /^(?:text:(?:tracked-changes|table-of-content|alphabetical-index|illustration-index|table-index|sequence-decls|variable-decls|soft-page-break|note-citation|bookmark-end|reference-mark-end)|office:(?:annotation|annotation-end|forms)|draw:object|draw:image|svg:(?:title|desc))$/

const anchor = /^text:(?:bookmark|bookmark-start|reference-mark|reference-mark-start)$/
const crossReference = /^text:(?:bookmark-ref|reference-ref|sequence-ref)$/

/** Writes the text of an OpenDocument (ODF 1.3, part 3) as XHTML, block by block. */
export class OdtWriter {
  private readonly writer: ElementWriter
  private readonly parts: OdtParts
  /** Notes that have been referred to and not written yet. */
  private readonly marked: Record<NoteKind, Note[]> = { footnote: [], endnote: [] }
  private noteCount = 0
  private codeLines: string[] = []
  private readonly numbers = new OdtListNumbers()
  private readonly headings: OdtHeadingNumbers
  /** The lists of the text, cell or note that is being written. */
  private lists: OdtLists

  constructor(writer: ElementWriter, parts: OdtParts) {
    this.writer = writer
    this.parts = parts
    this.headings = new OdtHeadingNumbers(parts.styles.headingLevels)
    this.lists = this.newLists()
  }

  private newLists(): OdtLists {
    return new OdtLists(this.writer, { styles: this.parts.styles, numbers: this.numbers })
  }

  block(node: XmlNode): void {
    if (leftOut.test(node.name) || this.isHidden(node)) return
    if (node.name !== 'text:list') this.lists.end()
    if (this.writer.depth === 0) this.footnotes()
    const isCode = node.name === 'text:p' && this.parts.styles.isCode(node.attributes['text:style-name'] ?? '')
    if (isCode) return void this.codeLines.push(plainLines(node))
    this.endCode()
    if (node.name === 'text:h')
      this.paragraph(node, `h${Math.min(6, Number(node.attributes['text:outline-level'] ?? 1) || 1)}`)
    else if (node.name === 'text:p')
      this.paragraph(node, this.parts.styles.isTitle(node.attributes['text:style-name'] ?? '') ? 'h1' : 'p')
    else if (node.name === 'text:list') this.lists.write(node, (blocks) => this.blocks(blocks))
    else if (node.name === 'table:table') this.table(node)
    else for (const child of childNodes(node)) this.block(child)
  }

  /** True for a paragraph, a heading, a section or a span that is not displayed. */
  private isHidden({ name, attributes }: XmlNode): boolean {
    if (name === 'text:section') return attributes['text:display'] === 'none'
    const isText = name === 'text:p' || name === 'text:h' || name === 'text:span'
    return isText && this.parts.styles.isHidden(attributes['text:style-name'] ?? '')
  }

  /** Writes the blocks of an item, a cell, a note or a text box. */
  private blocks(nodes: readonly XmlNode[]): void {
    const outer = this.lists
    this.lists = this.newLists()
    for (const node of nodes) this.block(node)
    this.endCode()
    this.lists.end()
    this.lists = outer
  }

  /** Writes the remaining notes after the text. */
  end(): void {
    this.endCode()
    this.lists.end()
    this.footnotes()
    for (const note of this.marked.endnote.splice(0)) this.writeNote(note)
  }

  /** Writes the footnotes that the last blocks refer to, so that they are on the same page. */
  private footnotes(): void {
    if (this.marked.footnote.length > 0) this.endCode()
    for (const note of this.marked.footnote.splice(0)) this.writeNote(note)
  }

  private writeNote({ id, kind, body }: Note): void {
    this.writer.open('aside', { id, role: `doc-${kind}` })
    this.blocks(childNodes(body))
    this.writer.close()
  }

  private endCode(): void {
    if (this.codeLines.length === 0) return
    const text = this.codeLines.join('\n')
    this.codeLines = []
    this.writer.element('pre', text)
  }

  private paragraph(node: XmlNode, name: string): void {
    const isQuote = name === 'p' && this.parts.styles.isQuote(node.attributes['text:style-name'] ?? '')
    if (isQuote) this.writer.open('blockquote')
    this.writer.open(name)
    if (node.name === 'text:h') this.heading(node)
    this.content(node, plainFormat)
    this.writer.close()
    if (isQuote) this.writer.close()
  }

  /** Writes the id and the number of a heading. */
  private heading(node: XmlNode): void {
    this.anchor(headingId(nodeText(node)))
    const hasOwnList = this.parts.styles.hasOwnList(node.attributes['text:style-name'] ?? '')
    const number = hasOwnList ? '' : this.headings.next(node)
    if (number !== '') this.writer.text(`${number} `)
  }

  private table(node: XmlNode): void {
    this.writer.open('table')
    this.rows(node, 'td')
    this.writer.close()
  }

  private rows(node: XmlNode, cellName: 'td' | 'th'): void {
    for (const child of childNodes(node)) {
      if (child.name === 'table:table-header-rows') this.rows(child, 'th')
      else if (/^table:table-(?:rows|row-group)$/.test(child.name)) this.rows(child, cellName)
      else if (child.name === 'table:table-row') {
        this.writer.open('tr')
        for (const cell of childNodes(child).filter(({ name }) => name === 'table:table-cell'))
          this.cell(cell, cellName)
        this.writer.close()
      }
    }
  }

  private cell(cell: XmlNode, name: 'td' | 'th'): void {
    const { 'table:number-columns-spanned': colspan = '1', 'table:number-rows-spanned': rowspan = '1' } =
      cell.attributes
    this.writer.open(name, { colspan, rowspan })
    this.blocks(childNodes(cell))
    this.writer.close()
  }

  private content(node: XmlNode, format: RunFormat): void {
    for (const child of node.children) {
      if (typeof child === 'string') writeRun(this.writer, child, format)
      else if (!leftOut.test(child.name) && !this.isHidden(child)) this.inline(child, format)
    }
  }

  private inline(node: XmlNode, format: RunFormat): void {
    const { name, attributes } = node
    if (name === 'text:span')
      this.content(node, this.parts.styles.formatOf(attributes['text:style-name'] ?? '', format))
    else if (anchor.test(name)) this.anchor(attributes['text:name'] ?? '')
    else if (name === 'text:a' || crossReference.test(name)) {
      this.writer.open('a', { href: addressOf(node) })
      this.content(node, format)
      this.writer.close()
    } else if (name === 'text:sequence') {
      this.anchor(attributes['text:ref-name'] ?? '')
      this.content(node, format)
    } else if (name === 'text:s' || name === 'text:tab') this.writer.text(' ')
    else if (name === 'text:line-break') this.writer.empty('br')
    else if (name === 'text:ruby-text') {
      this.writer.open('rt')
      this.content(node, format)
      this.writer.close()
    } else if (name === 'text:note') this.note(node)
    else if (name === 'draw:frame') this.frame(node)
    else if (/^(?:text:p|text:list|table:table|text:h)$/.test(name)) this.blocks([node])
    else this.content(node, format)
  }

  private anchor(id: string): void {
    if (id !== '') this.writer.empty('a', { id })
  }

  private note(node: XmlNode): void {
    const kind = node.attributes['text:note-class'] === 'endnote' ? 'endnote' : 'footnote'
    const id = `${kind}-${++this.noteCount}`
    const citation = findChild(node, 'text:note-citation')
    this.marked[kind].push({ id, kind, body: findChild(node, 'text:note-body') })
    this.writer.element('a', citation === undefined ? '*' : nodeText(citation), { href: `#${id}`, role: 'doc-noteref' })
  }

  /** Writes a formula, a text box, or a picture with its alternative text. */
  private frame(node: XmlNode): void {
    const object = findChild(node, 'draw:object')
    const formula = this.parts.formulas.get(pathOf(object?.attributes['xlink:href'] ?? ''))
    const box = findChild(node, 'draw:text-box')
    if (formula !== undefined) writeMarkup(this.writer, formula)
    else if (box !== undefined) this.blocks(childNodes(box))
    else {
      const alt = ['svg:desc', 'svg:title'].map((name) => findChild(node, name)).find((found) => found !== undefined)
      const image = findChild(node, 'draw:image')?.attributes['xlink:href'] ?? ''
      // A URL with a scheme points outside the archive.
      const src = /^[a-z][a-z\d+.-]*:/i.test(image) ? '' : pathOf(image)
      this.writer.empty('img', { alt: alt === undefined ? '' : nodeText(alt), src })
    }
  }
}

/** The address of a link or a cross-reference. */
function addressOf({ name, attributes }: XmlNode): string {
  const href = name === 'text:a' ? (attributes['xlink:href'] ?? '') : `#${attributes['text:ref-name'] ?? ''}`
  const heading = /^#([^]*)\|outline$/.exec(decodePercent(href))?.[1]
  return heading === undefined ? href : `#${encodeURIComponent(headingId(heading))}`
}

/** The id of a heading by its text. LibreOffice writes links to headings as `#1.2.Text|outline`. */
function headingId(text: string): string {
  return `${text
    .replace(/^(?:\d{1,3}\.)*/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toWellFormed()}|outline`
}

/** The archive path of an object. */
function pathOf(href: string): string {
  return href.replace(/^\.\//, '').replace(/\/$/, '')
}

function writeMarkup(writer: ElementWriter, node: XmlNode): void {
  writer.open(node.name.slice(node.name.indexOf(':') + 1), node.attributes)
  for (const child of node.children) {
    if (typeof child === 'string') writer.text(child)
    else writeMarkup(writer, child)
  }
  writer.close()
}

function plainLines(node: XmlNode): string {
  let text = ''
  const waiting: (XmlNode | string)[] = [node]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') text += next
    else if (next.name === 'text:s') text += ' '.repeat(Math.min(200, Number(next.attributes['text:c'] ?? 1) || 1))
    else if (next.name === 'text:tab') text += '\t'
    else if (next.name === 'text:line-break') text += '\n'
    else pushReversed(waiting, next.children)
  }
  return text
}
