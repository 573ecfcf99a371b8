import { Parser } from 'htmlparser2'

/** Converts an HTML fragment to text, one line per block; null if nothing remains. */
export function htmlToText(markup: string, maxLength: number): string | null {
  const parts: string[] = []
  const parser = new Parser({
    ontext: (text) => parts.push(text),
    onclosetag: (name) => parts.push(/^(?:p|div|br|li|h[1-6]|tr|blockquote)$/.test(name) ? '\n' : ''),
  })
  parser.end(markup)
  const lines = parts
    .join('')
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
  return lines.filter(Boolean).join('\n').slice(0, maxLength).toWellFormed() || null
}
