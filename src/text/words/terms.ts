import { fold } from './fold.ts'
import { defaultLanguage, type Language } from './languages.ts'
import { latinStemmers, scriptStemmers } from './stemmers.ts'

const latinLetters = /^[a-z]+$/

/** The indexed term of a folded word in a text whose language is not known: English in Latin letters. */
export function termOf(folded: string): string {
  return termsOf(folded, defaultLanguage)[0] as string
}

/** Before a Vietnamese word without its tones. */
const toneless = '~'

/**
 * The terms by which a text has a word (in lower case, in NFC), the usual one first. A second one stands for the word as people
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
  const stemmer = script.others[language] ?? script.usual
  // The endings of Russian have letters that folding would change (й); the Greek stemmer wants no accents.
  return [script.accented ? fold(stemmer(word)) : stemmer(folded)]
}

/** The terms to look for when a question has a word: as `termsOf`, and by spellings that mean the same. */
export function queryTermsOf(word: string, language: Language): readonly string[] {
  const terms = termsOf(word, language)
  if (language === 'vi' && terms.length === 1) return [...terms, toneless + (terms[0] as string)]
  if (language === 'vi') return terms.slice(0, 1)
  return terms
}

/** Languages whose terms begin otherwise than their words: prefixes and mutations are taken away, or a mark is added. */
const changesBeginnings = new Set(['ga', 'id', 'vi'])

/**
 * How many letters, 2 at most, all terms of a word of a language have in common with the word, folded: 0 when any may differ. It holds
 * for words without letters of other scripts than Latin.
 */
export function keptLetters(language: Language): number {
  if (changesBeginnings.has(language)) return 0
  // "lying" and "sceptic" change their second letter in English.
  return language === defaultLanguage || latinStemmers[language] === undefined ? 1 : 2
}

/** Languages whose terms are in Latin letters for words in others. */
const changesScripts = new Set(['sr'])

/** True for a language in which a word without characters of ASCII, folded, has no term with such. */
export function keepsScript(language: Language): boolean {
  return !changesScripts.has(language) && !changesBeginnings.has(language)
}

/** The languages without those that have the same terms as one before for words of Latin letters and digits. */
export function groupByLatinTerms(languages: readonly Language[]): Language[] {
  const seen = new Set<string>()
  return languages.filter((language) => {
    // Languages of other scripts take the stems of English, all in the same way.
    const group = latinStemmers[language] === undefined ? '' : language
    if (seen.has(group)) return false
    seen.add(group)
    return true
  })
}

/** Shorter ones are function words of other languages: the Finnish stem of "att" is "at". */
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
