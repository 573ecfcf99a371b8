import { parseQuery } from '../../search/parse-query.ts'
import { analyse } from '../../text/words/analyse.ts'

const maxMarks = 500
const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }
const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Marks the words of a search in sanitised HTML, as the search found them: in any inflection. Leaves formulas alone. */
export function markWords(html: string, query: string): string {
  const terms = termsOf(query)
  if (terms.size === 0) return html
  let marks = 0
  let inMath = false
  return html.replaceAll(/<[^>]*>|[^<]+/g, (piece) => {
    if (piece.startsWith('<')) {
      if (piece.startsWith('<math')) inMath = true
      else if (piece === '</math>') inMath = false
      return piece
    }
    if (inMath || marks >= maxMarks) return piece
    const marked = markText(decodeEntities(piece), terms, { most: maxMarks - marks, isFirst: marks === 0 })
    marks += marked.count
    return marked.count === 0 ? piece : marked.html
  })
}

/** Plain text as HTML, with the words of a search marked. */
export function markPlainText(text: string, query: string): string {
  return markText(text, termsOf(query), { most: maxMarks, isFirst: false }).html
}

function termsOf(query: string): Set<string> {
  return new Set(parseQuery(query).concepts.flatMap(({ terms, phraseOnly }) => (phraseOnly ? [] : terms)))
}

interface MarkOptions {
  /** Marks that may still be made. */
  most: number
  /** The first mark of the page gets an id, so that a link can lead to it. */
  isFirst: boolean
}

function markText(
  text: string,
  terms: ReadonlySet<string>,
  { most, isFirst }: MarkOptions,
): { html: string; count: number } {
  const found: { start: number; end: number }[] = []
  analyse(text, ({ term, start, end }) => {
    if (terms.has(term)) found.push({ start, end })
  })
  found.sort((a, b) => a.start - b.start)
  const parts: string[] = []
  let [at, count] = [0, 0]
  for (const { start, end } of found) {
    if (start < at || count >= most) continue
    parts.push(
      escapeText(text.slice(at, start)),
      count === 0 && isFirst ? '<mark id="p-mark">' : '<mark>',
      escapeText(text.slice(start, end)),
      '</mark>',
    )
    at = end
    count++
  }
  parts.push(escapeText(text.slice(at)))
  return { html: parts.join(''), count }
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot);/g, (entity) => entities[entity] ?? entity)
}

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? character)
}
