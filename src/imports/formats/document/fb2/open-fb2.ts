import { decodeMarkup } from '../../epub/decode-markup.ts'
import { child, children, parseXmlText, textOf, type XmlElement } from '../../epub/xml.ts'
import type { Attributes } from '../../epub/conversion.ts'
import type { BookInfo, OpenBook } from '../../format.ts'
import { FormatError } from '../../format.ts'
import { documentBook, emptyInfo } from '../markup/document-book.ts'
import type { ElementWriter } from '../markup/element-writer.ts'
import { Fb2Lines } from './fb2-lines.ts'
import { fb2CoverId, fb2Pictures } from './fb2-pictures.ts'
import { readXmlEvents, type XmlHandler } from '../markup/xml-events.ts'

/** Opens a FictionBook 2: sections with their titles, verses, notes, pictures, and the description of the book. */
export const openFb2: OpenBook = async (bytes, limits, options) => {
  if (bytes.length > limits.entryBytes) throw new FormatError('TOO_LARGE', `a FictionBook of ${bytes.length} bytes`)
  const source = decodeMarkup(bytes)
  const bodies = findBodies(source)
  if (bodies.length === 0) throw new FormatError('BROKEN', 'a FictionBook without a body')
  // Notes are read together with the text, so that they are placed at their references.
  const [main = '', ...others] = bodies
  const texts = [
    [...annotationOf(source), main, ...others.filter(isNotesBody)],
    ...others.filter((body) => !isNotesBody(body)).map((body) => [body]),
  ]
  const parts = texts.map((text) => (writer: ElementWriter) => {
    for (const body of text) readXmlEvents(body, new Fb2Writer(writer))
  })
  const readPicture = fb2Pictures(source)
  const hasCover = fb2CoverId(source) !== null
  return documentBook({ info: readDescription(source), hasCover, parts, readPicture }, limits, options?.keepFigure)
}

/** The annotation of the book, which reading apps show before its text. */
function annotationOf(source: string): string[] {
  const end = source.indexOf('</title-info>')
  const from = end < 0 ? -1 : source.lastIndexOf('<annotation', end)
  const to = source.indexOf('</annotation>', from)
  return from < 0 || to < 0 || to > end ? [] : [source.slice(from, to + '</annotation>'.length)]
}

function isNotesBody(body: string): boolean {
  return /^<body[^>]{0,500}\sname\s*=\s*["'](?:notes|comments|footnotes)["']/i.test(body.slice(0, 600))
}

/** The bodies of a file: the text and the notes. */
function findBodies(source: string): string[] {
  const bodies: string[] = []
  for (let from = source.search(/<body[\s>]/); from >= 0;) {
    const end = source.indexOf('</body>', from)
    const body = source.slice(from, end < 0 ? source.length : end + '</body>'.length)
    bodies.push(body)
    const next = end < 0 ? -1 : source.slice(end).search(/<body[\s>]/)
    from = next < 0 ? -1 : end + next
  }
  return bodies
}

function readDescription(source: string): BookInfo {
  const from = source.indexOf('<description')
  const end = source.indexOf('</description>', from)
  if (from < 0 || end < 0) return emptyInfo
  try {
    const description = child(
      parseXmlText(source.slice(from, end + '</description>'.length), 'description'),
      'description',
    )
    const title = child(description, 'title-info')
    const publisher = child(description, 'publish-info')
    return {
      title: textOf(child(title, 'book-title')) || null,
      author: children(title, 'author').map(personName).filter(Boolean).join(', ') || null,
      language: textOf(child(title, 'lang')) || null,
      publisher: textOf(child(publisher, 'publisher')) || null,
      isbn: textOf(child(publisher, 'isbn')).replace(/[\s-]/g, '') || null,
      description: textOf(child(title, 'annotation')) || null,
    }
  } catch (error) {
    // A book without readable metadata still has its text.
    if (error instanceof FormatError && error.code === 'BROKEN') return emptyInfo
    throw error
  }
}

function personName(author: XmlElement): string {
  const name = ['first-name', 'middle-name', 'last-name']
    .map((part) => textOf(child(author, part)))
    .filter(Boolean)
    .join(' ')
  return name || textOf(child(author, 'nickname'))
}

const quotes = /^(?:cite|epigraph|annotation|poem)$/

/** The target of a link or picture, with any namespace prefix. */
function addressOf(attributes: Attributes): string {
  return (
    attributes['l:href'] ??
    attributes['xlink:href'] ??
    attributes[Object.keys(attributes).find((name) => /(?:^|:)href$/.test(name)) ?? ''] ??
    ''
  )
}

const inline: ReadonlyMap<string, string> = new Map(
  Object.entries({
    emphasis: 'em',
    strong: 'strong',
    strikethrough: 's',
    code: 'code',
    sub: 'sub',
    sup: 'sup',
    table: 'table',
    tr: 'tr',
    td: 'td',
    th: 'th',
    p: 'p',
    cite: 'blockquote',
    epigraph: 'blockquote',
    annotation: 'blockquote',
    poem: 'blockquote',
  }),
)

/** Converts the elements of FictionBook 2.1 to XHTML. */
class Fb2Writer implements XmlHandler {
  private readonly writer: ElementWriter
  /** The number of open output elements at the start of each open input element. */
  private readonly outer: number[] = []
  private sectionDepth = 0
  private isNotes = false
  private inTitle = false
  private skipped = 0
  private titleLines = 0
  private verses = 0
  private quoteDepth = 0
  private readonly lines: Fb2Lines

  constructor(writer: ElementWriter) {
    this.writer = writer
    this.lines = new Fb2Lines(writer, {
      open: (name, attributes) => this.openElement(name, attributes),
      close: (name) => this.closeElement(name),
      text: (text) => this.writeText(text),
    })
  }

  open(prefixed: string, attributes: Attributes): void {
    const name = prefixed.slice(prefixed.indexOf(':') + 1)
    if (!this.inTitle && this.skipped === 0 && this.lines.take({ kind: 'open', name, attributes })) return
    this.lines.flush()
    this.openElement(name, attributes)
  }

  close(prefixed: string): void {
    const name = prefixed.slice(prefixed.indexOf(':') + 1)
    if (this.lines.take({ kind: 'close', name })) return
    this.lines.flush()
    this.closeElement(name)
  }

  private openElement(name: string, attributes: Attributes): void {
    this.outer.push(this.writer.depth)
    if (this.skipped > 0 || name === 'binary') this.skipped++
    else this.enter(name, attributes)
  }

  private closeElement(name: string): void {
    this.writer.closeTo(this.outer.pop() ?? 0)
    if (this.skipped > 0) this.skipped--
    if (this.skipped > 0) return
    if (name === 'section') this.sectionDepth--
    else if (name === 'title') this.inTitle = false
    else if (quotes.test(name)) this.quoteDepth--
  }

  text(text: string): void {
    if (this.lines.take(text)) return
    if (text.trim() !== '') this.lines.flush()
    this.writeText(text)
  }

  private writeText(text: string): void {
    if (this.skipped === 0) this.writer.text(text)
  }

  private enter(name: string, attributes: Attributes): void {
    const { writer } = this
    const known = inline.get(name)
    if (quotes.test(name)) this.quoteDepth++
    if (name === 'body') this.isNotes = /^(?:notes|comments|footnotes)$/i.test(attributes['name'] ?? '')
    else if (name === 'section') this.enterSection(attributes)
    else if (name === 'title') this.enterTitle()
    else if (this.inTitle && (name === 'p' || name === 'empty-line')) this.enterTitleLine()
    else if (name === 'subtitle') {
      writer.open('p')
      writer.open('strong')
    } else if (name === 'v') this.enterVerse()
    else if (name === 'stanza' || name === 'text-author' || name === 'date' || name === 'empty-line') {
      this.verses = 0
      writer.open('p')
    } else if (name === 'image') {
      const src = addressOf(attributes).replace(/^#/, '')
      writer.empty('img', { src, alt: attributes['alt'] ?? attributes['title'] ?? '' })
    } else if (name === 'a') this.enterLink(attributes)
    else if (known !== undefined) writer.open(known, attributes)
  }

  private enterSection(attributes: Attributes): void {
    this.sectionDepth++
    const { id } = attributes
    if (this.isNotes && id !== undefined) this.writer.open('aside', { id, role: 'doc-footnote' })
    else this.writer.open('section', id === undefined ? {} : { id })
  }

  private enterTitle(): void {
    this.inTitle = true
    this.titleLines = 0
    // The title of a note repeats its number, which is already its label. Notes are placed at their references.
    if (this.isNotes) this.skipped = 1
    else if (this.quoteDepth > 0) {
      this.writer.open('p')
      this.writer.open('strong')
    } else this.writer.open(`h${Math.min(6, Math.max(1, this.sectionDepth))}`)
  }

  private enterTitleLine(): void {
    if (this.titleLines++ > 0) this.writer.text('. ')
  }

  /** The verses of a stanza become lines of one paragraph. */
  private enterVerse(): void {
    if (this.verses++ > 0) this.writer.empty('br')
  }

  private enterLink(attributes: Attributes): void {
    const href = addressOf(attributes)
    const isNote = attributes['type'] === 'note'
    this.writer.open('a', { href, ...(isNote ? { role: 'doc-noteref' } : {}) })
  }
}
