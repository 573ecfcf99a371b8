import { fold } from './fold.ts'

/*
 * Light stemmers for Czech and Polish: they remove the endings of declension, and undo the changes of consonants before these. They keep
 * most derivations and the forms of verbs, so that few unrelated words share a stem. They fold words first, because people type these
 * languages without accents too.
 */

interface Endings {
  /** Endings without accents. */
  endings: readonly string[]
  /** The last letters that a stem has before some endings, and those that replace them. */
  alternations: readonly (readonly [changed: string, original: string])[]
}

/** Frequent words whose last letters look like an ending, with any ending. */
const inherentEm = /^.*(?:system|problem|modem)(?=[a-z]{0,4}$)/
/** The least number of letters before an ending. */
const minStemLength = 3
/** The least number of letters before a changed consonant. `commonPrefixLength` relies on it. */
const minUnchanged = 2

/** Creates a stemmer that removes the longest ending, then replaces the last consonants. */
function createStemmer({ endings, alternations }: Endings): (word: string) => string {
  const known = new Set(endings)
  const maxLength = Math.max(...endings.map(({ length }) => length))
  const removeEnding = (word: string) => {
    for (let at = Math.max(minStemLength, word.length - maxLength); at < word.length; at++)
      if (known.has(word.slice(at))) return word.slice(0, at)
    return word
  }
  return (word) => {
    const folded = fold(word)
    const whole = folded.includes('em') ? inherentEm.exec(folded) : null
    if (whole) return whole[0]
    const stem = removeEnding(folded)
    const alternation = alternations.find(
      ([changed]) => stem.endsWith(changed) && stem.length - changed.length >= minUnchanged,
    )
    return alternation === undefined ? stem : stem.slice(0, -alternation[0].length) + alternation[1]
  }
}

/** Returns the stem of a Czech word without accents: `soubor` for `souborů` and `souborech`. */
export const stemCzech = createStemmer({
  endings: (
    'a e i o u y ou em um am im ym ej ich ych iho eho emu imu imi ymi ami emi mi ach ech ata aty at atum atech ' +
    'uv ova ovi ovou ove ovy ovem ovym ovych ovymi oveho ovemu ete eti'
  ).split(' '),
  alternations: [
    ['ct', 'ck'],
    ['st', 'sk'],
    ['c', 'k'],
    ['z', 'h'],
  ],
})

/** Returns the stem of a Polish word without accents: `uzytkownik` for `użytkowników` and `użytkownicy`. */
export const stemPolish = createStemmer({
  endings: (
    'a e i o u y ie ia iu io em iem om iom ow ej iej ym im ymi imi ych ich ego iego emu iemu ami iami ach iach ' +
    'owi iowi owie'
  ).split(' '),
  alternations: [
    ['dz', 'g'],
    ['rz', 'r'],
    ['c', 'k'],
  ],
})
