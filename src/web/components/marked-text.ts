import { html } from 'hono/html'
import { parseQuery } from '../../search/parse-query.ts'
import { analyse } from '../../text/words/analyse.ts'
import type { Html } from './html.ts'

/** The words of a search, as texts are compared with them. */
export type SearchedWords = ReadonlySet<string>

/** The words of a search, in every inflection that it finds. */
export function searchedWords(query: string): SearchedWords {
  const { concepts } = parseQuery(query)
  return new Set(concepts.flatMap(({ terms, phraseOnly }) => (phraseOnly ? [] : terms)))
}

/** How many of the words a text has. */
export function countWords(text: string, words: SearchedWords): number {
  const found = new Set<string>()
  analyse(text, ({ term }) => {
    if (words.has(term)) found.add(term)
  })
  return found.size
}

/** A text with the words of a search marked; everything else in it is escaped. */
export function markedText(text: string, words: SearchedWords): Html {
  const places: { start: number; end: number }[] = []
  analyse(text, ({ term, start, end }) => {
    if (words.has(term)) places.push({ start, end })
  })
  places.sort((a, b) => a.start - b.start || b.end - a.end)
  const parts: Html[] = []
  let at = 0
  for (const { start, end } of places) {
    if (start < at) continue
    parts.push(html`${text.slice(at, start)}<mark>${text.slice(start, end)}</mark>`)
    at = end
  }
  return html`${parts}${text.slice(at)}`
}
