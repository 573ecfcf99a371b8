import { createRequire } from 'node:module'
import type { Language } from './languages.ts'
import { americanSpelling } from './american-spelling.ts'
import { stem as stemEnglish } from './stem.ts'

export type Stemmer = (word: string) => string

const require = createRequire(import.meta.url)

/** A stemmer that is loaded with the first word of its language. */
function loadLater(name: string): Stemmer {
  let stemmer: Stemmer | undefined
  return (word) => {
    stemmer ??= (require(`@orama/stemmers/${name}`) as { stemmer: Stemmer }).stemmer
    // Some take all of a short word away.
    return stemmer(word) || word
  }
}

/** The same for one that fails on words whose last letters it would exchange: these stay as they are. */
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

/** The stemmers of languages in Latin letters; those without one keep their words as they are. */
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
  /** Whether the stemmers take words with their accents. */
  accented?: true
  /** For words in books of another script, and of languages that have no stemmer. */
  usual: Stemmer
  /** Those of other languages in the same letters. */
  others: Readonly<Record<Language, Stemmer>>
}

/** The stemmers of other scripts, most of which nearly all readers use for one language. */
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
