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

/** Languages whose terms may begin differently from their words, because prefixes and mutations are removed or a mark is added. */
const languagesWithChangedBeginnings = new Set(['ga', 'id', 'vi'])

/**
 * Returns how many leading letters (at most 2) a folded word has in common with all its terms; 0 if any letter may differ. Valid for words
 * whose only letters are Latin.
 */
export function commonPrefixLength(language: Language): number {
  if (languagesWithChangedBeginnings.has(language)) return 0
  // In English, "lying" and "sceptic" change their second letter.
  return language === defaultLanguage || latinStemmers[language] === undefined ? 1 : 2
}

/** Languages whose terms are in Latin letters even for words in other letters. */
const latinizedLanguages = new Set(['sr'])

/** True for a language in which a folded word without ASCII characters has no term with ASCII characters. */
export function hasNoAsciiTerms(language: Language): boolean {
  return !latinizedLanguages.has(language) && !languagesWithChangedBeginnings.has(language)
}

/** Returns the languages, omitting those that have the same terms as an earlier one for words of Latin letters and digits. */
export function groupByLatinTerms(languages: readonly Language[]): Language[] {
  const seen = new Set<string>()
  return languages.filter((language) => {
    // Languages in other scripts all use the English stemmer for words in Latin letters.
    const group = latinStemmers[language] === undefined ? '' : language
    if (seen.has(group)) return false
    seen.add(group)
    return true
  })
}

/** Shorter stems may be function words of other languages: the Finnish stem of "att" is "at". */
const minStemLength = 3

function stemLatin(word: string, folded: string, language: Language): readonly string[] {
  const stemmer = latinStemmers[language] ?? latinStemmers[defaultLanguage] ?? fold
  if (language === defaultLanguage) return [stemmer(folded)]
  const terms = (word === folded ? [folded] : [word, folded]).map((form) => {
    const stem = fold(stemmer(form))
    return stem.length < minStemLength ? folded : stem
  })
  return terms[0] === terms[1] ? terms.slice(0, 1) : terms
}
