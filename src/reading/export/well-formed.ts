import { Parser } from 'htmlparser2'
import { escapeXml, toXmlCharacters } from './xml-text.ts'

const voidElements = new Set(['br', 'hr', 'img'])
const textEntities: ReadonlyMap<string, string> = new Map(Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;' }))

/** Writes HTML as well-formed XHTML: every element is closed, and end tags without a start are dropped. Omits comments. */
export function toWellFormed(html: string): string {
  let written = ''
  const parser = new Parser({
    onopentag(name, attributes) {
      written += `<${name}`
      for (const [key, value] of Object.entries(attributes)) written += ` ${key}="${escapeXml(value)}"`
      written += voidElements.has(name) ? '/>' : '>'
    },
    ontext(text) {
      written += toXmlCharacters(text).replaceAll(/[&<>]/g, (mark) => textEntities.get(mark) as string)
    },
    onclosetag(name) {
      if (!voidElements.has(name)) written += `</${name}>`
    },
  })
  parser.end(html)
  return written
}
