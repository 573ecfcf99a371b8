import { decodeMarkup } from '../epub/decode-markup.ts'
import { child, children, parseXmlText, textOf, type XmlElement } from '../epub/xml.ts'
import type { Attributes } from '../epub/conversion.ts'
import type { BookInfo, OpenBook } from '../format.ts'
import { FormatError } from '../format.ts'
import { documentBook, emptyInfo } from './document-book.ts'
import type { ElementWriter } from './element-writer.ts'
import { readXmlEvents, type XmlHandler } from './xml-events.ts'

/** Opens a FictionBook 2: sections with their titles, verses, notes, and the description of the book. */
export const openFb2: OpenBook = async (bytes, limits) => {
  if (bytes.length > limits.entryBytes) throw new FormatError('TOO_LARGE', `a FictionBook of ${bytes.length} bytes`)
  const source = decodeMarkup(bytes)
  const bodies = findBodies(source)
  if (bodies.length === 0) throw new FormatError('BROKEN', 'a FictionBook without a body')
  const parts = bodies.map((body) => (writer: ElementWriter) => readXmlEvents(body, new Fb2Writer(writer)))
  return documentBook({ info: readDescription(source), parts }, limits)
}

/** The parts of the text: every top section of the main body is one, and every other body, as of notes. Pictures are left out. */
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
    // The text can be read without it.
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

const inline: Readonly<Record<string, string>> = {
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
}

/** Writes the elements of FictionBook 2.1 as those of XHTML. */
class Fb2Writer implements XmlHandler {
  private readonly writer: ElementWriter
  /** How many elements of the writer were open when each open element began. */
  private readonly outer: number[] = []
  private sectionDepth = 0
  private isNotes = false
  private inTitle = false
  private skipped = 0
  private lines = 0

  constructor(writer: ElementWriter) {
    this.writer = writer
  }

  open(prefixed: string, attributes: Attributes): void {
    const name = prefixed.slice(prefixed.indexOf(':') + 1)
    this.outer.push(this.writer.depth)
    if (this.skipped > 0 || name === 'binary') this.skipped++
    else this.enter(name, attributes)
  }

  close(prefixed: string): void {
    const name = prefixed.slice(prefixed.indexOf(':') + 1)
    this.writer.closeTo(this.outer.pop() ?? 0)
    if (this.skipped > 0) this.skipped--
    if (this.skipped > 0) return
    if (name === 'section') this.sectionDepth--
    else if (name === 'title') this.inTitle = false
  }

  text(text: string): void {
    if (this.skipped === 0) this.writer.text(text)
  }

  private enter(name: string, attributes: Attributes): void {
    const { writer } = this
    const known = inline[name]
    if (name === 'body') this.isNotes = /^(?:notes|comments|footnotes)$/i.test(attributes['name'] ?? '')
    else if (name === 'section') this.enterSection(attributes)
    else if (name === 'title') this.enterTitle()
    else if (this.inTitle && (name === 'p' || name === 'empty-line')) this.enterTitleLine()
    else if (name === 'subtitle') {
      writer.open('p')
      writer.open('strong')
    } else if (name === 'v' || name === 'text-author' || name === 'date' || name === 'stanza') writer.open('div')
    else if (name === 'empty-line') writer.open('p')
    else if (name === 'image') writer.empty('img', { alt: attributes['alt'] ?? attributes['title'] ?? '' })
    else if (name === 'a') this.enterLink(attributes)
    else if (known !== undefined) writer.open(known, attributes)
  }

  private enterSection(attributes: Attributes): void {
    this.sectionDepth++
    const { id } = attributes
    if (this.isNotes && id !== undefined) this.writer.open('aside', { id, role: 'doc-footnote' })
    else this.writer.open('section')
  }

  private enterTitle(): void {
    this.inTitle = true
    this.lines = 0
    // The title of a note is its number, which its label says already.
    if (this.isNotes && this.sectionDepth > 0) this.skipped = 1
    else this.writer.open(`h${Math.min(6, Math.max(1, this.sectionDepth))}`)
  }

  private enterTitleLine(): void {
    if (this.lines++ > 0) this.writer.text('. ')
  }

  private enterLink(attributes: Attributes): void {
    const href = attributes['l:href'] ?? attributes['xlink:href'] ?? attributes['href'] ?? ''
    const isNote = attributes['type'] === 'note'
    this.writer.open('a', { href, ...(isNote ? { role: 'doc-noteref' } : {}) })
  }
}
