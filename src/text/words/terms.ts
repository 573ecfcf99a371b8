import { fold } from './fold.ts'
import { defaultLanguage, type Language } from './languages.ts'
import { latinStemmers, scriptStemmers } from './stemmers.ts'

const latinLetters = /^[a-z]+$/

/** Returns the indexed term of a folded word in a text of unknown language. Latin letters are taken as English. */
export function termOf(folded: string): string {
  return termsOf(folded, defaultLanguage)[0] as string
}

/** The prefix of the term of a Vietnamese word without its tones. */
const toneless = '~'

/**
 * Returns the terms under which a word (in lower case, in NFC) is indexed, the usual one first. A second term represents the word as people
 * type it: without the accents that its stem depends on, or without tones.
 */
export function termsOf(word: string, language: Language): readonly string[] {
  const folded = fold(word)
  if (language === 'vi') {
    const toned = fold(word, 'vi')
    return toned === folded ? [folded] : [toned, toneless + folded]
  }
  if (latinLetters.test(folded)) return stemLatin(word, folded, language)
  const script = scriptStemmers.find(({ letters }) => letters.test(folded))
  if (!script) return [folded]
  const stemmer = script.others[language] ?? script.defaultStemmer
  // Russian endings contain letters that folding would change (й). The Greek stemmer expects no accents.
  return [script.accented ? fold(stemmer(word)) : stemmer(folded)]
}

/**
 * Returns the terms to search for when a query contains a word with these terms (`termsOf`): the same ones. A Vietnamese word without tones
 * also matches words with tones; a word with tones matches only itself.
 */
export function queryTermsOf(terms: readonly string[], language: Language): readonly string[] {
  if (language === 'vi' && terms.length === 1) return [...terms, toneless + (terms[0] as string)]
  if (language === 'vi') return terms.slice(0, 1)
  return terms
}

/**
 * The first two letters of words whose stems may begin with other letters, by language: prefixes that Indonesian
 * stemming removes, and mutations of Irish.
 */
const changedBeginnings: ReadonlyMap<Language, readonly string[]> = new Map(
  Object.entries({
    ga: ['bh', 'bp', 'ch', 'dh', 'dt', 'fh', 'gc', 'gh', 'mb', 'mh', 'nd', 'ng', 'ph', 'sh', 'th', 'ts'],
    id: ['be', 'di', 'ke', 'me', 'pe', 'te'],
  }),
)

/**
 * Returns the first two letters of folded words of Latin letters whose stems in some of the languages may begin with
 * other letters.
 */
export function changedBeginningsOf(languages: readonly Language[]): string[] {
  return languages.flatMap((language) => changedBeginnings.get(language) ?? [])
}

/** True for the second term of a Vietnamese word with tones, which represents it without them. */
export function isToneless(term: string): boolean {
  return term.startsWith(toneless)
}

/** Returns the beginning of the folded words of a term: the term without the mark of toneless terms, and without tones. */
export function beginningOf(term: string): string {
  return fold(isToneless(term) ? term.slice(toneless.length) : term)
}

/**
 * Returns how many leading letters (1 or 2) a folded word has in common with the beginnings of all its terms, unless it begins like one of
 * `changedBeginningsOf`. Valid for words whose only letters are Latin.
 */
export function commonPrefixLength(language: Language): number {
  // In English, "lying" and "sceptic" change their second letter.
  return language === defaultLanguage || latinStemmers.get(language) === undefined ? 1 : 2
}

/** Languages whose terms are in Latin letters even for words in other letters. */
const latinizedLanguages = new Set(['sr'])

/** True for a language in which a folded word without ASCII characters has no term of ASCII characters only. */
export function hasNoAsciiTerms(language: Language): boolean {
  return !latinizedLanguages.has(language)
}

/** Returns the languages, omitting those that have the same terms as an earlier one for words of Latin letters and digits. */
export function groupByLatinTerms(languages: readonly Language[]): Language[] {
  const seen = new Set<string>()
  return languages.filter((language) => {
    // Languages in other scripts all use the English stemmer for words in Latin letters.
    const group = latinStemmers.get(language) === undefined ? '' : language
    if (seen.has(group)) return false
    seen.add(group)
    return true
  })
}

/** Shorter stems may be function words of other languages: the Finnish stem of "att" is "at". */
const minStemLength = 3

function stemLatin(word: string, folded: string, language: Language): readonly string[] {
  const stemmer = latinStemmers.get(language) ?? latinStemmers.get(defaultLanguage) ?? fold
  if (language === defaultLanguage) return [stemmer(folded)]
  const terms = (word === folded ? [folded] : [word, folded]).map((form) => {
    const stem = fold(stemmer(form))
    return stem.length < minStemLength ? folded : stem
  })
  return terms[0] === terms[1] ? terms.slice(0, 1) : terms
}
