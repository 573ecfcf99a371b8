import type { DocxStyles } from './docx-styles.ts'
import type { ElementWriter } from './element-writer.ts'
import { ListWriter } from './list-writer.ts'
import { writeOfficeMath } from './office-math.ts'
import { plainFormat, type RunFormat, writeRun } from './run-format.ts'
import { childNodes, findChild, findDescendant, nodeText, type XmlNode } from './xml-blocks.ts'

export interface DocxParts {
  styles: DocxStyles
  /** Targets of links by relationship id. */
  links: ReadonlyMap<string, string>
}

const offValues = new Set(['0', 'false', 'off', 'none'])
const value = (node: XmlNode | undefined): string | undefined => node?.attributes['w:val']
const isOn = (node: XmlNode | undefined): boolean => node !== undefined && !offValues.has(value(node) ?? '')
/** What was deleted, codes of fields, and properties are no text. */
const leftOut =
  /^(?:w:del|w:moveFrom|w:instrText|w:delText|mc:Fallback|w:sectPr|w:(?:p|r|t|tr|tc|tbl|sdt|sdtEnd|ruby)Pr|w:rt|a:graphic|w:footnoteRef|w:annotationRef)$/

/** Writes WordprocessingML (ECMA-376, part 1, 17) as XHTML, one block after the other. */
export class DocxWriter {
  private readonly writer: ElementWriter
  private readonly parts: DocxParts
  private lists: ListWriter
  /** Lines of code that follow each other are one block. */
  private codeLines: string[] = []

  constructor(writer: ElementWriter, parts: DocxParts) {
    this.writer = writer
    this.parts = parts
    this.lists = new ListWriter(writer)
  }

  /** A paragraph, a table, or something that holds such. */
  block(node: XmlNode): void {
    if (node.name === 'w:p') this.paragraph(node)
    else if (node.name === 'w:tbl') this.table(node)
    else if (node.name === 'w:sdt') this.contentControl(node)
    else if (!leftOut.test(node.name)) for (const child of childNodes(node)) this.block(child)
  }

  /** A note with its blocks. */
  note(kind: 'footnote' | 'endnote', node: XmlNode): void {
    const { 'w:type': type, 'w:id': id } = node.attributes
    if (type !== undefined && type !== 'normal') return
    this.writer.open('aside', { id: `${kind}-${id}`, role: `doc-${kind}` })
    for (const child of childNodes(node)) this.block(child)
    this.end()
    this.writer.close()
  }

  /** Ends lists and code at the end of a file, a cell or a note. */
  end(): void {
    this.endCode()
    this.lists.end()
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
    if (kind === 'code') return void this.codeLines.push(nodeLines(node))
    this.endCode()
    const { depth } = this.writer
    const outline = Number(value(findChild(properties, 'w:outlineLvl')) ?? 'NaN')
    const heading = styles.headingLevel(style) ?? (outline >= 0 && outline < 9 ? outline + 1 : null)
    const list = heading === null ? this.listOf(properties, style) : null
    if (
      nodeText(node).trim() === '' &&
      findDescendant(node, 'wp:docPr') === undefined &&
      findDescendant(node, 'w:t') === undefined &&
      findDescendant(node, 'm:oMath') === undefined
    )
      return
    if (list !== null) {
      this.lists.item(list.numId, list.level, list.name)
      this.content(node, plainFormat)
      return
    }
    this.lists.end()
    if (kind === 'quote') this.writer.open('blockquote')
    this.writer.open(heading === null ? 'p' : `h${Math.min(heading, 6)}`)
    this.content(node, plainFormat)
    this.writer.closeTo(depth)
  }

  private listOf(
    properties: XmlNode | undefined,
    style: string,
  ): { numId: string; level: number; name: 'ul' | 'ol' } | null {
    const numbering = findChild(properties, 'w:numPr')
    const inherited = this.parts.styles.listOf(style)
    const numId = value(findChild(numbering, 'w:numId')) ?? inherited?.numId
    if (numId === undefined || numId === '0') return null
    const level = Number(value(findChild(numbering, 'w:ilvl')) ?? inherited?.level ?? 0)
    const format = this.parts.styles.numberFormat(numId, level)
    if (format === 'none') return null
    return { numId, level, name: format === 'bullet' ? 'ul' : 'ol' }
  }

  private content(node: XmlNode, format: RunFormat): void {
    for (const child of childNodes(node)) {
      if (child.name === 'w:r') this.run(child)
      else if (child.name === 'w:hyperlink') this.link(child)
      else if (child.name === 'm:oMath') writeOfficeMath(this.writer, child, false)
      else if (child.name === 'm:oMathPara')
        for (const formula of childNodes(child).filter(({ name }) => name === 'm:oMath'))
          writeOfficeMath(this.writer, formula, true)
      else if (child.name === 'w:p' || child.name === 'w:tbl') this.block(child)
      else if (!leftOut.test(child.name)) this.content(child, format)
    }
  }

  private run(run: XmlNode): void {
    const format = readFormat(findChild(run, 'w:rPr'))
    let text = ''
    const flush = (): void => {
      writeRun(this.writer, text, format)
      text = ''
    }
    for (const child of childNodes(run)) {
      if (child.name === 'w:t') text += nodeText(child)
      else if (child.name === 'w:tab') text += ' '
      else if (child.name === 'w:noBreakHyphen') text += '\u2011'
      else {
        flush()
        this.runPart(child)
      }
    }
    flush()
  }

  private runPart(node: XmlNode): void {
    const { name, attributes } = node
    if (name === 'w:br' || name === 'w:cr') {
      if (attributes['w:type'] === undefined || attributes['w:type'] === 'textWrapping') this.writer.empty('br')
    } else if (name === 'w:footnoteReference' || name === 'w:endnoteReference') {
      const kind = name === 'w:footnoteReference' ? 'footnote' : 'endnote'
      this.writer.element('a', attributes['w:id'] ?? '', {
        href: `#${kind}-${attributes['w:id']}`,
        role: 'doc-noteref',
      })
    } else if (name === 'w:ruby') this.content(findChild(node, 'w:rubyBase') ?? node, plainFormat)
    else if (!leftOut.test(name)) this.drawing(node)
  }

  /** A picture with its alternative text, or a box with text of its own. */
  private drawing(node: XmlNode): void {
    const picture = findDescendant(node, 'wp:docPr')
    const box = findDescendant(node, 'w:txbxContent')
    if (box !== undefined) for (const child of childNodes(box)) this.block(child)
    else if (picture !== undefined) {
      const { descr = '', title = '' } = picture.attributes
      this.writer.empty('img', { alt: descr || title })
    } else {
      const shape = findDescendant(node, 'v:shape')
      if (shape !== undefined) this.writer.empty('img', { alt: shape.attributes['alt'] ?? '' })
    }
  }

  private link(node: XmlNode): void {
    const href = this.parts.links.get(node.attributes['r:id'] ?? '')
    if (href !== undefined) this.writer.open('a', { href })
    this.content(node, plainFormat)
    if (href !== undefined) this.writer.close()
  }

  private table(node: XmlNode): void {
    this.end()
    const outer = this.lists
    this.writer.open('table')
    for (const row of rowsOf(node)) {
      const isHeader = isOn(findChild(findChild(row, 'w:trPr'), 'w:tblHeader'))
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
    // A cell that goes on from the row above has nothing of its own.
    if (merge === undefined || value(merge) === 'restart') {
      this.lists = new ListWriter(this.writer)
      for (const child of childNodes(cell)) this.block(child)
      this.end()
    }
    this.writer.close()
  }

  private endCode(): void {
    if (this.codeLines.length === 0) return
    const text = this.codeLines.join('\n')
    this.codeLines = []
    this.lists.end()
    this.writer.element('pre', text)
  }
}

function rowsOf(table: XmlNode): XmlNode[] {
  return childNodes(table).flatMap((child) =>
    child.name === 'w:tr' ? [child] : child.name === 'w:sdt' ? rowsOf(findChild(child, 'w:sdtContent') ?? child) : [],
  )
}

function cellsOf(row: XmlNode): XmlNode[] {
  return childNodes(row).flatMap((child) =>
    child.name === 'w:tc' ? [child] : child.name === 'w:sdt' ? cellsOf(findChild(child, 'w:sdtContent') ?? child) : [],
  )
}

function readFormat(properties: XmlNode | undefined): RunFormat {
  const script = value(findChild(properties, 'w:vertAlign'))
  return {
    bold: isOn(findChild(properties, 'w:b')),
    italic: isOn(findChild(properties, 'w:i')),
    strike: isOn(findChild(properties, 'w:strike')) || isOn(findChild(properties, 'w:dstrike')),
    script: script === 'superscript' ? 'sup' : script === 'subscript' ? 'sub' : null,
    code: /code|verbatim/i.test(value(findChild(properties, 'w:rStyle')) ?? ''),
  }
}

/** The text of a paragraph of code, with its breaks and tabs. */
function nodeLines(paragraph: XmlNode): string {
  let text = ''
  const waiting = childNodes(paragraph).reverse()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.name === 'w:t') text += nodeText(next)
    else if (next.name === 'w:br' || next.name === 'w:cr') text += '\n'
    else if (next.name === 'w:tab') text += '\t'
    else if (!leftOut.test(next.name)) waiting.push(...childNodes(next).reverse())
  }
  return text
}
