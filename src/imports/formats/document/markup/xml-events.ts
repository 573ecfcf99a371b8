import { Parser } from 'htmlparser2'
import type { Attributes } from '../../epub/conversion.ts'
import { FormatError } from '../../format.ts'

/** Receives the elements of an XML file, with prefixed names. */
export interface XmlHandler {
  open(name: string, attributes: Attributes): void
  close(name: string): void
  text(text: string): void
}

/** Maximum nesting depth; paragraphs, cells and boxes of real office files are far below it. */
const maxDepth = 512
const maxElements = 20_000_000

/** Parses an XML file in one pass, without custom entities. Throws `TOO_DEEP` and `TOO_LARGE`. */
export function readXmlEvents(source: string, handler: XmlHandler): void {
  let depth = 0
  let count = 0
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > maxDepth) throw new FormatError('TOO_DEEP', `elements nested deeper than ${maxDepth}`)
        if (++count > maxElements) throw new FormatError('TOO_LARGE', `more than ${maxElements} elements`)
        handler.open(name, attributes)
      },
      onclosetag(name) {
        depth--
        handler.close(name)
      },
      ontext: (text) => handler.text(text),
    },
    { xmlMode: true },
  )
  parser.end(source)
}
