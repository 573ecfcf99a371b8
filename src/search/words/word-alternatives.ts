import { fold } from '../../text/words/fold.ts'
import { functionWordsOf, type Language } from '../../text/words/languages.ts'
import { queryTermsOf } from '../../text/words/terms.ts'
import { cachedTermsOf } from '../../text/words/word-cache.ts'

/** The maximum number of terms of one query word. In a library with more languages, only the first terms are found. */
const maxTerms = 16

/** A term that a query word matches. */
export interface Alternative {
  term: string
  /** The languages in which the word has this term; null: all. It is looked for in texts in these languages only. */
  languages: ReadonlySet<Language> | null
}

/**
 * Returns the terms that a query word matches: its stems in each language of the searched books, without duplicates, the most frequent
 * language first. Words are in lower case and in NFC, see `Token`. `others` are spellings that join the word with its neighbours.
 */
export function alternativesOf(word: string, others: readonly string[], languages: readonly Language[]): Alternative[] {
  const found = new Map<string, Set<Language>>()
  for (const each of [word, ...transcriptionsOf(word, languages), ...others]) {
    for (const language of languages) {
      for (const term of queryTermsOf(cachedTermsOf(each, language), language)) {
        const known = found.get(term)
        if (known) known.add(language)
        else found.set(term, new Set([language]))
      }
    }
  }
  return Array.from(found, ([term, ofTerm]) => ({ term, languages: ofTerm })).slice(0, maxTerms)
}

const wordPattern = /[\p{L}\p{M}]+/gu

/**
 * True for a Vietnamese text with tones: at least half of its words have signs of Vietnamese. Its other words have the level tone, which is
 * written without a sign.
 */
export function hasTones(text: string, languages: readonly Language[]): boolean {
  if (!languages.includes('vi')) return false
  const words = text.normalize('NFC').match(wordPattern) ?? []
  const toned = words.filter((word) => fold(word, 'vi') !== fold(word))
  return toned.length > 0 && toned.length * 2 >= words.length
}

const ring = [['å', 'aa'] as const, ['ø', 'oe'] as const]
/** Letters that people and files write as two letters: "Mueller" matches "Müller". `fold` writes "æ" as two letters. */
const transcriptions: ReadonlyMap<Language, readonly (readonly [letter: string, letters: string])[]> = new Map(
  Object.entries({
    de: [
      ['ä', 'ae'],
      ['ö', 'oe'],
      ['ü', 'ue'],
    ],
    da: ring,
    no: ring,
  }),
)

/** Returns the word with single letters instead of two, and the reverse, in the languages that write it so. */
function transcriptionsOf(word: string, languages: readonly Language[]): string[] {
  return languages.flatMap((language) => {
    const pairs = transcriptions.get(language) ?? []
    const short = pairs.reduce((text, [letter, letters]) => text.replaceAll(letters, letter), word)
    const long = pairs.reduce((text, [letter, letters]) => text.replaceAll(letter, letters), word)
    return [short, long].filter((each) => each !== word)
  })
}

const apostrophe = /^['’ʼ]$/
const turkishSuffix = /^(?:[ny]?[ıiuü]n?|[ny]?[ea]|n?[dt][ea](?:n|ki)?|y?l[ea]|l[ea]r)$/

/**
 * Creates a test for Turkish endings of case, which an apostrophe separates from names and numbers: "Türkiye'nin", "1999'dan". They are not
 * words.
 */
export function createSuffixTest(
  text: string,
  languages: readonly Language[],
): (token: { word: string; start: number }) => boolean {
  if (!languages.includes('tr')) return () => false
  return ({ word, start }) => apostrophe.test(text[start - 1] ?? '') && turkishSuffix.test(word)
}

function isStopWord(word: string, language: Language): boolean {
  return functionWordsOf(language).has(fold(word, language))
}

/**
 * Creates a test for stop words, which are not searched for. In a library with several languages, "war" is a stop word of German queries
 * only. The language of a query is the one with most of its function words. A single function word is not enough evidence: then it is the
 * language of most books.
 */
export function createStopWordTest(
  words: readonly string[],
  languages: readonly Language[],
): (word: string) => boolean {
  const counts = languages.map((language) => words.filter((word) => isStopWord(word, language)).length)
  const maxCount = Math.max(...counts)
  const queryLanguages = languages.filter((_, at) => counts[at] === maxCount && (maxCount > 1 || at === 0))
  return (word) => queryLanguages.some((language) => isStopWord(word, language))
}
