import { defaultLanguage, type Language } from '../text/words/languages.ts'
import { cachedTermsOf } from '../text/words/word-cache.ts'
import type { Token } from '../text/words/token.ts'
import type { Query } from './parse-query.ts'

/**
 * Tells which word of a query a word of a text is, by its index: in any inflection and spelling that the search finds, in each
 * language of the query.
 */
export function createWordFinder({
  concepts,
  languages,
}: Pick<Query, 'concepts' | 'languages'>): (token: Pick<Token, 'word' | 'term'>) => number | undefined {
  const byTerm = new Map<string, number>()
  for (const [at, { terms, phraseOnly, exact }] of concepts.entries()) {
    // What is left out, and the words of filters, are not looked for in texts.
    if (exact) continue
    for (const term of terms) if (!phraseOnly || !byTerm.has(term)) byTerm.set(term, at)
  }
  const known = new Map<string, number | undefined>()
  const find = (word: string, language: Language) => {
    for (const term of cachedTermsOf(word, language)) {
      const concept = byTerm.get(term)
      if (concept !== undefined) return concept
    }
    return undefined
  }
  return ({ word, term }) => {
    const direct = byTerm.get(term)
    if (direct !== undefined || isDefault(languages)) return direct
    if (!known.has(word)) {
      const found = languages.map((language) => find(word, language)).find((concept) => concept !== undefined)
      known.set(word, found)
    }
    return known.get(word)
  }
}

/** True when the terms of tokens, which are those of the default language, are all there are. */
function isDefault(languages: readonly Language[]): boolean {
  return languages.length === 1 && languages[0] === defaultLanguage
}
