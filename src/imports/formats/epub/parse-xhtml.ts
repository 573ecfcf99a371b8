import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import { Parser, type Handler } from 'htmlparser2'
import { FormatError } from '../format.ts'

/** Maximum nesting of elements. No real book exceeds it, and deeper nesting makes closing tags slow. */
export const maxDepth = 512
/** Elements whose text is not markup, so that `&` is a plain character in it. */
const rawElements: ReadonlySet<string> = new Set([
  'script',
  'style',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
  'plaintext',
])

/** Receives what `parseXhtml` reads. */
export interface XhtmlHandler {
  onparserinit?(parser: Parser): void
  onopentag(name: string, attributes: Record<string, string>, implied: boolean): void
  ontext(text: string): void
  onclosetag(name: string): void
}

/**
 * Parses XHTML as browsers parse HTML, but with self-closing tags and CDATA sections. Text and attribute values are
 * decoded (HTML, section 13.5) only where they contain `&`, so that the parser can skip to the next tag. Throws
 * `TOO_DEEP` for too deeply nested elements; `path` names the file.
 */
export function parseXhtml(source: string, path: string, handler: XhtmlHandler): void {
  let depth = 0
  let isRaw = false
  const decoding: Partial<Handler> = {
    onparserinit: (parser) => handler.onparserinit?.(parser),
    onopentag(name, attributes, implied) {
      if (++depth > maxDepth) throw nestingTooDeepError(path)
      isRaw = rawElements.has(name)
      for (const attribute in attributes) {
        const value = attributes[attribute]
        if (value?.includes('&')) attributes[attribute] = decodeHTMLAttribute(value)
      }
      handler.onopentag(name, attributes, implied)
    },
    ontext: (text) => handler.ontext(isRaw || !text.includes('&') ? text : decodeHTML(text)),
    onclosetag(name) {
      depth--
      isRaw = false
      handler.onclosetag(name)
    },
    oncdatastart: () => void (isRaw = true),
    oncdataend: () => void (isRaw = false),
  }
  const markup = withoutInternalSubset(source)
  new Parser(decoding, { recognizeSelfClosing: true, recognizeCDATA: true, decodeEntities: false }).end(markup)
}

/** Maximum position of a document type declaration, in UTF-16 units; it follows the XML declaration and comments. */
const maxPrologLength = 4096
const internalSubset = /<!doctype\b[^<>[]{0,1000}\[/i

/**
 * The source with spaces in place of declarations within the document type declaration (XML 1.0, section 2.8), which
 * HTML does not have: their end would be read as text. All offsets stay the same.
 */
function withoutInternalSubset(source: string): string {
  const found = internalSubset.exec(source.slice(0, maxPrologLength))
  if (found === null) return source
  const from = found.index + found[0].length - 1
  const end = source.indexOf(']', from) + 1
  return end === 0 ? source : source.slice(0, from) + ' '.repeat(end - from) + source.slice(end)
}

export function nestingTooDeepError(path: string): FormatError {
  return new FormatError('TOO_DEEP', `${path}: elements nested deeper than ${maxDepth}`)
}
