import { Parser } from 'htmlparser2'

/** Maximum depth of nested elements; deeper nesting makes the parser slow. */
const maxDepth = 512

/**
 * Converts an HTML fragment to text, one line per block; null if nothing remains. It ends before an element that is
 * nested too deeply.
 */
export function htmlToText(markup: string, maxLength: number): string | null {
  const parts: string[] = []
  let depth = 0
  const parser = new Parser({
    onopentag() {
      if (++depth > maxDepth) parser.pause()
    },
    ontext: (text) => parts.push(text),
    onclosetag(name) {
      depth--
      if (/^(?:p|div|br|li|h[1-6]|tr|blockquote)$/.test(name)) parts.push('\n')
    },
  })
  parser.end(markup)
  const lines = parts
    .join('')
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
  return lines.filter(Boolean).join('\n').slice(0, maxLength).toWellFormed() || null
}
