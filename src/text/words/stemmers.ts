import { createRequire } from 'node:module'
import type { Language } from './languages.ts'
import { americanSpelling } from './american-spelling.ts'
import { stem as stemEnglish } from './stem.ts'

export type Stemmer = (word: string) => string

const require = createRequire(import.meta.url)

/** Creates a stemmer that is loaded with the first word of its language. */
function loadLater(name: string): Stemmer {
  let stemmer: Stemmer | undefined
  return (word) => {
    stemmer ??= (require(`@orama/stemmers/${name}`) as { stemmer: Stemmer }).stemmer
    // Some stemmers remove all letters of a short word.
    return stemmer(word) || word
  }
}

/** Like `loadLater`, for a stemmer that throws for words whose last letters it would replace. These words stay as they are. */
function loadFailing(name: string): Stemmer {
  const stemmer = loadLater(name)
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
export const latinStemmers: Readonly<Record<Language, Stemmer>> = {
  en: (word) => stemEnglish(americanSpelling(word)),
  da: loadLater('danish'),
  de: loadLater('german'),
  es: loadLater('spanish'),
  fi: loadLater('finnish'),
  fr: loadLater('french'),
  ga: loadLater('irish'),
  hu: loadLater('hungarian'),
  id: loadLater('indonesian'),
  it: loadLater('italian'),
  lt: loadLater('lithuanian'),
  nl: loadLater('dutch'),
  no: loadLater('norwegian'),
  pt: loadLater('portuguese'),
  ro: loadLater('romanian'),
  sv: loadLater('swedish'),
  tr: loadLater('turkish'),
  cs: unstemmed,
  pl: unstemmed,
  vi: unstemmed,
}

interface ScriptStemmers {
  letters: RegExp
  /** True if the stemmers need the accents of words. */
  accented?: true
  /** The stemmer for words in books in another script, or in a language without a stemmer. */
  usual: Stemmer
  /** The stemmers of other languages in the same letters. */
  others: Readonly<Record<Language, Stemmer>>
}

/** The stemmers of other scripts. Nearly all readers use most of these scripts for one language. */
export const scriptStemmers: readonly ScriptStemmers[] = [
  {
    letters: /^\p{sc=Cyrillic}+$/u,
    accented: true,
    usual: loadLater('russian'),
    others: { bg: loadFailing('bulgarian'), sr: loadLater('serbian'), uk: loadLater('ukrainian') },
  },
  { letters: /^\p{sc=Greek}+$/u, usual: loadLater('greek'), others: {} },
  { letters: /^\p{sc=Devanagari}+$/u, usual: loadLater('indian'), others: { ne: loadLater('nepali') } },
  { letters: /^\p{sc=Arabic}+$/u, usual: loadLater('arabic'), others: { fa: unstemmed, ur: unstemmed } },
  { letters: /^\p{sc=Tamil}+$/u, usual: loadLater('tamil'), others: {} },
  { letters: /^\p{sc=Armenian}+$/u, usual: loadLater('armenian'), others: {} },
]
