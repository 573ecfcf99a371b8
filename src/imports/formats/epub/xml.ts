import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import { Parser } from 'htmlparser2'
import { FormatError } from '../format.ts'
import { decodeMarkup } from './decode-markup.ts'

/** An element of a parsed XML file. All names are without namespace prefixes. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  /** Elements and texts in document order. */
  readonly content: readonly (XmlElement | string)[]
}

/** The maximum size of a package file in bytes. The largest in ten thousand books is below it. */
const maxFileBytes = 4 * 1024 * 1024
const maxDepth = 100
/** The maximum number of tags. Each element takes half a kilobyte while it is parsed. */
const maxTags = 300_000

/**
 * Parses a package file, a damaged one as far as possible. Decodes the entities of XML and HTML, and no others. Throws
 * `BROKEN` for a file without an element or with deep nesting, and `TOO_LARGE` above the limits.
 */
export function parseXml(bytes: Uint8Array, path: string): XmlElement {
  if (bytes.length > maxFileBytes) {
    throw new FormatError('TOO_LARGE', `${path} has ${bytes.length} bytes; the limit is ${maxFileBytes}`)
  }
  return parseXmlText(decodeMarkup(bytes), path)
}

/** Like `parseXml`, for a decoded text. */
export function parseXmlText(source: string, path: string): XmlElement {
  if (source.length > maxFileBytes) {
    throw new FormatError('TOO_LARGE', `${path} has ${source.length} characters; the limit is ${maxFileBytes}`)
  }
  if (countTags(source) > maxTags) throw new FormatError('TOO_LARGE', `${path} has more than ${maxTags} tags`)
  const root: OpenElement = { name: '', attributes: {}, content: [] }
  const open = [root]
  let isLiteral = false
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const element: OpenElement = { name: localName(name), attributes: localAttributes(attributes), content: [] }
        open.at(-1)?.content.push(element)
        if (open.push(element) > maxDepth) throw new FormatError('BROKEN', `${path} has elements nested too deeply`)
      },
      ontext(text) {
        const parent = open.length > 1 ? open.at(-1) : undefined
        parent?.content.push(isLiteral || !text.includes('&') ? text : decodeHTML(text))
      },
      onclosetag: () => void open.pop(),
      oncdatastart: () => void (isLiteral = true),
      oncdataend: () => void (isLiteral = false),
    },
    { xmlMode: true, decodeEntities: false },
  )
  parser.end(source)
  if (root.content.length === 0) throw new FormatError('BROKEN', `${path} is not XML`)
  return root
}

interface OpenElement extends XmlElement {
  content: (XmlElement | string)[]
}

function localAttributes(attributes: Readonly<Record<string, string>>): Record<string, string> {
  const local: Record<string, string> = {}
  for (const [name, value] of Object.entries(attributes)) {
    const key = localName(name)
    if (key !== '__proto__') local[key] = value.includes('&') ? decodeHTMLAttribute(value) : value
  }
  return local
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function countTags(source: string): number {
  let count = 0
  for (let at = source.indexOf('<'); at >= 0; at = source.indexOf('<', at + 1)) count++
  return count
}

/** The child elements with this name, in document order. */
export function children(parent: XmlElement | undefined, name: string): XmlElement[] {
  const isNamed = (node: XmlElement | string): node is XmlElement => typeof node === 'object' && node.name === name
  return parent?.content.filter(isNamed) ?? []
}

/** The first child element with this name. */
export function child(parent: XmlElement | undefined, name: string): XmlElement | undefined {
  return children(parent, name)[0]
}

/** The value of an attribute; null if it is missing or blank. */
export function attribute(element: XmlElement | undefined, name: string): string | null {
  const value = element !== undefined && Object.hasOwn(element.attributes, name) ? element.attributes[name] : ''
  return value === undefined || value.trim() === '' ? null : value.trim()
}

/** The text of an element and its descendants, with white space collapsed; empty if it has none. */
export function textOf(element: XmlElement | undefined): string {
  return element === undefined ? '' : collectText(element).replace(/\s+/g, ' ').trim()
}

function collectText(node: XmlElement | string): string {
  return typeof node === 'string' ? node : node.content.map(collectText).join('')
}
