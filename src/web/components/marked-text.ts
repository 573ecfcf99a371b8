import { html } from 'hono/html'
import { parseQuery } from '../../search/query/parse-query.ts'
import { createWordFinder } from '../../search/query/query-words.ts'
import { analyse } from '../../text/words/analyse.ts'
import type { Language } from '../../text/words/languages.ts'
import type { Token } from '../../text/words/token.ts'
import type { Html } from './html.ts'

/** The words of a search, in a form for comparison with texts. */
export interface SearchedWords {
  /** The number of words. */
  count: number
  /** Returns the index of the search word that a word of a text matches, if any. */
  find(token: Token): number | undefined
}

/** Prepares the words of a search, with all inflections in these languages. */
export function searchedWords(query: string, languages: readonly Language[]): SearchedWords {
  const parsed = parseQuery(query, languages)
  const concepts = parsed.concepts.filter(({ phraseOnly }) => !phraseOnly)
  return { count: concepts.length, find: createWordFinder({ concepts, languages }) }
}

/** The number of search words that a text contains. */
export function countWords(text: string, { find }: SearchedWords): number {
  const found = new Set<number>()
  analyse(text, (token) => {
    const word = find(token)
    if (word !== undefined) found.add(word)
  })
  return found.size
}

/** Marks the words of a search in a text; escapes everything else. */
export function markedText(text: string, { find }: SearchedWords): Html {
  const places: { start: number; end: number }[] = []
  analyse(text, (token) => {
    if (find(token) !== undefined) places.push({ start: token.start, end: token.end })
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
