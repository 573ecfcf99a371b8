import { XMLParser } from 'fast-xml-parser'
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
 * Parses a package file without resolving external entities. Throws `BROKEN` for malformed XML, entity bombs and deep
 * nesting, and `TOO_LARGE` above the limits.
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
  const parser = new XMLParser({
    ignoreAttributes: false,
    removeNSPrefix: true,
    parseTagValue: false,
    parseAttributeValue: false,
    htmlEntities: true,
    preserveOrder: true,
    trimValues: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
    // No callback needs the path of an element as text.
    jPath: false,
    attributeNamePrefix: '',
    maxNestedTags: maxDepth,
    processEntities: { enabled: true, maxTotalExpansions: 500_000, maxExpandedLength: 4_000_000, maxExpansionDepth: 4 },
  })
  let parsed: unknown
  try {
    parsed = parser.parse(source)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new FormatError('BROKEN', `${path} is not well-formed XML: ${reason}`, { cause })
  }
  return { name: '', attributes: {}, content: readContent(parsed) }
}

function countTags(source: string): number {
  let count = 0
  for (let at = source.indexOf('<'); at >= 0; at = source.indexOf('<', at + 1)) count++
  return count
}

/** Converts the parser's ordered form: `[{ name: content, ':@': attributes }, { '#text': text }]`. */
function readContent(nodes: unknown): XmlElement['content'] {
  if (!Array.isArray(nodes)) return []
  return nodes.map((node: Record<string, unknown>) => {
    const { '#text': text, ':@': attributes, ...named } = node
    if (typeof text === 'string') return text
    const [[name, content] = ['', []]] = Object.entries(named)
    return { name, attributes: (attributes ?? {}) as Record<string, string>, content: readContent(content) }
  })
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
