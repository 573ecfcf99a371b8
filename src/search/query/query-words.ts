import { LRUCache } from 'lru-cache'
import { fold } from '../../text/words/fold.ts'
import { defaultLanguage, type Language } from '../../text/words/languages.ts'
import {
  beginningOf,
  changedBeginningsOf,
  commonPrefixLength,
  groupByLatinTerms,
  termsOf,
} from '../../text/words/terms.ts'
import type { Token } from '../../text/words/token.ts'
import { ownCopy } from '../../text/words/own-copy.ts'
import type { Query } from './parse-query.ts'

/** Returns the index of the query word that matches a word of a text; undefined if none does. */
export type WordFinder = (token: Pick<Token, 'word' | 'term'>) => number | undefined

/** Creates a word finder for a query. It matches each inflection and spelling that the search finds, in each language of the query. */
export function createWordFinder({ concepts, languages }: Pick<Query, 'concepts' | 'languages'>): WordFinder {
  const byTerm = new Map<string, number>()
  for (const [at, { terms, phraseOnly, exact }] of concepts.entries()) {
    // Excluded words and words of filters are not searched for in texts.
    if (exact) continue
    for (const term of terms) if (!phraseOnly || !byTerm.has(term)) byTerm.set(term, at)
  }
  const known = new Map<string, number | undefined>()
  const find = createLookup(byTerm, languages)
  return ({ word, term }) => {
    const direct = byTerm.get(term)
    if (direct !== undefined || hasDefaultLanguageOnly(languages)) return direct
    const before = known.get(word)
    if (before !== undefined || known.has(word)) return before
    const found = find(word)
    known.set(word, found)
    return found
  }
}

const latinOrDigits = /^[a-z\d]*$/

/**
 * Creates a lookup of words by their terms in some languages, tried in order. Most words of a text begin differently from every term of the
 * query, so they are skipped without stemming.
 */
function createLookup(
  byTerm: ReadonlyMap<string, number>,
  languages: readonly Language[],
): (word: string) => number | undefined {
  const beginnings = new Set<string>()
  for (const beginning of [...byTerm.keys()].map(beginningOf))
    for (const length of [1, 2]) beginnings.add(beginning.slice(0, length))
  const changed = new Set(changedBeginningsOf(languages))
  const latin = groupByLatinTerms(languages)
  const minPrefixLength = Math.min(...latin.map(commonPrefixLength))
  const termsInLatin = createTermLookup(latin)
  const termsInAll = createTermLookup(languages)
  return (word) => {
    const folded = fold(word)
    const isLatin = latinOrDigits.test(folded)
    if (isLatin && !beginnings.has(folded.slice(0, minPrefixLength)) && !changed.has(folded.slice(0, 2)))
      return undefined
    for (const term of isLatin ? termsInLatin(word) : termsInAll(word)) {
      const concept = byTerm.get(term)
      if (concept !== undefined) return concept
    }
    return undefined
  }
}

/**
 * A cache with two generations: words looked up recently, and words from before that. A word that is looked up again moves to the recent
 * ones.
 */
interface KnownTerms {
  recent: Map<string, readonly string[]>
  earlier: Map<string, readonly string[]>
}

/** The cached terms of words, by list of languages. Most searches of a library use the same languages. */
const knownTerms = new LRUCache<string, KnownTerms>({ max: 4 })
/** The maximum number of words in each generation, about 6 MB for a list of languages. */
const maxKnownWords = 16_384
const maxKnownLength = 32

/** Creates a cached lookup of the different terms of a word in some languages, in the order of the languages. */
function createTermLookup(languages: readonly Language[]): (word: string) => readonly string[] {
  const name = languages.join(' ')
  const known = knownTerms.get(name) ?? { recent: new Map(), earlier: new Map() }
  knownTerms.set(name, known)
  return (word) => {
    const before = known.recent.get(word)
    if (before) return before
    const own = ownCopy(word)
    const terms = known.earlier.get(own) ?? [...new Set(languages.flatMap((language) => termsOf(own, language)))]
    if (known.recent.size >= maxKnownWords) {
      known.earlier = known.recent
      known.recent = new Map()
    }
    if (word.length <= maxKnownLength) known.recent.set(own, terms)
    return terms
  }
}

/** True if the terms of tokens suffice, because they are those of the default language. */
function hasDefaultLanguageOnly(languages: readonly Language[]): boolean {
  return languages.length === 1 && languages[0] === defaultLanguage
}
