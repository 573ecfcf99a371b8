import { createRequire } from 'node:module'
import { stem as stemEnglish } from './stem.ts'

type Stemmer = (word: string) => string

const require = createRequire(import.meta.url)

/** A stemmer of a library, loaded with the first word of its script. */
function fromLibrary(language: string): Stemmer {
  let stemmer: Stemmer | undefined
  return (word) => {
    stemmer ??= (require(`@orama/stemmers/${language}`) as { stemmer: Stemmer }).stemmer
    // Some take all of a short word away.
    return stemmer(word) || word
  }
}

/** The stemmers of scripts that nearly all readers use for one language, or for languages of one family. */
const stemmers: readonly [letters: RegExp, stemmer: Stemmer][] = [
  [/^[a-z]+$/, stemEnglish],
  [/^\p{sc=Cyrillic}+$/u, fromLibrary('russian')],
  [/^\p{sc=Greek}+$/u, fromLibrary('greek')],
  [/^\p{sc=Devanagari}+$/u, fromLibrary('indian')],
  [/^\p{sc=Arabic}+$/u, fromLibrary('arabic')],
  [/^\p{sc=Tamil}+$/u, fromLibrary('tamil')],
]

/** The stem of a folded word by its script: Latin letters without marks as English; words of other scripts as they are. */
export function stemByScript(folded: string): string {
  const found = stemmers.find(([letters]) => letters.test(folded))
  return found ? found[1](folded) : folded
}
