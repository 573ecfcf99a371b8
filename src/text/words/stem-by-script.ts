import { createRequire } from 'node:module'
import { stem as stemEnglish } from './stem.ts'

type Stemmer = (word: string) => string

const require = createRequire(import.meta.url)

/** A stemmer that is loaded with the first word of its script. */
function loadLater(load: () => unknown): Stemmer {
  let stemmer: Stemmer | undefined
  return (word) => {
    stemmer ??= (load() as { stemmer: Stemmer }).stemmer
    // Some take all of a short word away.
    return stemmer(word) || word
  }
}

/** The stemmers of scripts that nearly all readers use for one language, or for languages of one family. */
const stemmers: readonly [letters: RegExp, stemmer: Stemmer][] = [
  [/^[a-z]+$/, stemEnglish],
  [/^\p{sc=Cyrillic}+$/u, loadLater(() => require('@orama/stemmers/russian'))],
  [/^\p{sc=Greek}+$/u, loadLater(() => require('@orama/stemmers/greek'))],
  [/^\p{sc=Devanagari}+$/u, loadLater(() => require('@orama/stemmers/indian'))],
  [/^\p{sc=Arabic}+$/u, loadLater(() => require('@orama/stemmers/arabic'))],
  [/^\p{sc=Tamil}+$/u, loadLater(() => require('@orama/stemmers/tamil'))],
]

/** The indexed term of a folded word, its stem by its script: Latin letters without marks as English; words of other scripts as they are. */
export function termOf(folded: string): string {
  const found = stemmers.find(([letters]) => letters.test(folded))
  return found ? found[1](folded) : folded
}
