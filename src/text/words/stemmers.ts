import { createRequire } from 'node:module'
import type { Language } from './languages.ts'
import { americanSpelling } from './american-spelling.ts'
import { stemArabic } from './arabic-stemmer.ts'
import { stem as stemEnglish } from './stem.ts'
import { stemCzech, stemPolish } from './west-slavic-stemmers.ts'

export type Stemmer = (word: string) => string

const require = createRequire(import.meta.url)

/** Creates a stemmer that is loaded with the first word of its language. */
function loadLazily(name: string): Stemmer {
  let stemmer: Stemmer | undefined
  return (word) => {
    stemmer ??= (require(`@orama/stemmers/${name}`) as { stemmer: Stemmer }).stemmer
    // Some stemmers remove all letters of a short word.
    return stemmer(word) || word
  }
}

/** Like `loadLazily`, for a stemmer that throws for words whose last letters it would replace. These words stay as they are. */
function loadFailing(name: string): Stemmer {
  const stemmer = loadLazily(name)
  return (word) => {
    try {
      return stemmer(word)
    } catch {
      return word
    }
  }
}

const unstemmed: Stemmer = (word) => word

/** The stemmers of languages in Latin letters. Languages without one keep their words as they are. */
export const latinStemmers: ReadonlyMap<Language, Stemmer> = new Map(
  Object.entries({
    en: (word) => stemEnglish(americanSpelling(word)),
    da: loadLazily('danish'),
    de: loadLazily('german'),
    es: loadLazily('spanish'),
    fi: loadLazily('finnish'),
    fr: loadLazily('french'),
    ga: loadLazily('irish'),
    hu: loadLazily('hungarian'),
    id: loadLazily('indonesian'),
    it: loadLazily('italian'),
    lt: loadLazily('lithuanian'),
    nl: loadLazily('dutch'),
    no: loadLazily('norwegian'),
    pt: loadLazily('portuguese'),
    ro: loadLazily('romanian'),
    sv: loadLazily('swedish'),
    tr: loadLazily('turkish'),
    cs: stemCzech,
    pl: stemPolish,
    vi: unstemmed,
  }),
)

interface ScriptStemmers {
  letters: RegExp
  /** True if the stemmers need the accents of words. */
  accented?: true
  /** The stemmer for words in books in another script, or in a language without a stemmer. */
  defaultStemmer: Stemmer
  /** The stemmers of other languages in the same letters. */
  others: Readonly<Record<Language, Stemmer>>
}

/** The stemmers of other scripts. Nearly all readers use most of these scripts for one language. */
export const scriptStemmers: readonly ScriptStemmers[] = [
  {
    letters: /^\p{sc=Cyrillic}+$/u,
    accented: true,
    defaultStemmer: loadLazily('russian'),
    others: { bg: loadFailing('bulgarian'), sr: loadLazily('serbian'), uk: loadLazily('ukrainian') },
  },
  { letters: /^\p{sc=Greek}+$/u, defaultStemmer: loadLazily('greek'), others: {} },
  { letters: /^\p{sc=Devanagari}+$/u, defaultStemmer: loadLazily('indian'), others: { ne: loadLazily('nepali') } },
  { letters: /^\p{sc=Arabic}+$/u, defaultStemmer: stemArabic, others: { fa: unstemmed, ur: unstemmed } },
  { letters: /^\p{sc=Tamil}+$/u, defaultStemmer: loadLazily('tamil'), others: {} },
  { letters: /^\p{sc=Armenian}+$/u, defaultStemmer: loadLazily('armenian'), others: {} },
]
