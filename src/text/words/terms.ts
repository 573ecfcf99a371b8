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
