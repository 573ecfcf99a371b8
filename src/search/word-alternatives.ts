import { fold } from '../text/words/fold.ts'
import { functionWordsOf, type Language } from '../text/words/languages.ts'
import { queryTermsOf } from '../text/words/terms.ts'

/** Terms that one word of a query may have; a library in more languages finds the first ones. */
const maxTerms = 16

/**
 * The terms that a word of a query matches: its stems in each language of the searched books, without repeats, the most frequent
 * language first. Words are in lower case and in NFC, see `Token`; `others` are spellings of the word with what stands around it.
 */
export function alternativesOf(word: string, others: readonly string[], languages: readonly Language[]): string[] {
  const terms = new Set<string>()
  // "Mueller" and "Müller".
  const umlauts = languages.includes('de') && /[aou]e/.test(word) ? [word.replaceAll(/([aou])e/g, '$1')] : []
  for (const each of [word, ...umlauts, ...others])
    for (const language of languages) addAll(terms, queryTermsOf(each, language))
  return [...terms].slice(0, maxTerms)
}

function addAll(terms: Set<string>, more: readonly string[]): void {
  for (const term of more) terms.add(term)
}

function isStopWord(word: string, language: Language): boolean {
  return functionWordsOf(language).has(fold(word, language))
}

/**
 * A test for the words that a question is not searched by. In a library of several languages "war" is left out of a German question
 * only: a question is in the language that most of its function words are of, a single one tells only that of most books.
 */
export function createStopWordTest(
  words: readonly string[],
  languages: readonly Language[],
): (word: string) => boolean {
  const counts = languages.map((language) => words.filter((word) => isStopWord(word, language)).length)
  const most = Math.max(...counts)
  const spoken = languages.filter((_, at) => counts[at] === most && (most > 1 || at === 0))
  return (word) => spoken.some((language) => isStopWord(word, language))
}
