import { ownCopy } from './own-copy.ts'
import { foldDigits, sameArabicLetters } from './same-characters.ts'

/**
 * Marks that people omit when they type: accents, Hebrew points, Arabic vowels and tatweel, the Devanagari nukta, variation selectors,
 * apostrophes that count as letters (Hawaiʻi, сімʼя), and the bar of `½`.
 */
const marks = new RegExp(
  '[\\u02b9-\\u02bf\\u0300-\\u036f\\u0483-\\u0487\\u0591-\\u05c7\\u0610-\\u061a\\u0640\\u064b-\\u065f\\u0670\\u093c' +
    '\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u2044\\u20d0-\\u20ff\\ufe00-\\ufe0f\\ufe20-\\ufe2f]',
  'g',
)
/** Soft hyphens, joiners and direction marks inside a word. */
const invisible = /\p{Cf}/gu
const letterFolds: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ß: 'ss',
    æ: 'ae',
    œ: 'oe',
    ø: 'o',
    đ: 'd',
    ð: 'd',
    ł: 'l',
    ı: 'i',
    þ: 'th',
    ħ: 'h',
    ŋ: 'n',
    ɓ: 'b',
    ɗ: 'd',
    ƙ: 'k',
    ƴ: 'y',
    ɛ: 'e',
    ɔ: 'o',
    ə: 'e',
    ς: 'σ',
    ґ: 'г',
    // Hindi texts use either sign for a nasal vowel.
    '\u0901': '\u0902',
    ...Object.fromEntries(sameArabicLetters),
    // The alef with wasla, in the Koran.
    ٱ: 'ا',
  }),
)
const foldedLetter = new RegExp(`[${[...letterFolds.keys()].join('')}]`, 'g')
const ascii = /^[\0-\x7f]*$/
const maxTermLength = 64

/** Languages in which accents distinguish words. Folding keeps them. */
const accented = new Set(['vi'])

/**
 * Folds a word: removes differences of case, diacritics, width, ligatures and digits, and between letters that Arabic and Persian write
 * differently; in Vietnamese only of case, width and digits. The result has at most 64 UTF-16 units.
 */
export function fold(word: string, language?: string): string {
  const lower = word.length > maxTermLength * 2 ? word.slice(0, maxTermLength * 2).toLowerCase() : word.toLowerCase()
  if (ascii.test(lower)) return lower.length > maxTermLength ? lower.slice(0, maxTermLength) : lower
  if (language !== undefined && accented.has(language)) {
    return foldDigits(placeTones(lower.replaceAll(invisible, '')))
      .slice(0, maxTermLength)
      .toWellFormed()
  }
  const known = foldedWords.get(lower)
  if (known !== undefined) return known
  const folded = foldLetters(lower)
  if (foldedWords.size >= maxFoldedWords) foldedWords.clear()
  if (lower.length <= maxKeptLength) foldedWords.set(ownCopy(lower), folded)
  return folded
}

const tones = /[\u0300\u0301\u0303\u0309\u0323]/g

/** Moves tones to the end of a word, because texts differ in the vowel that has them: `hoà` and `hòa`. */
function placeTones(word: string): string {
  const decomposed = word.normalize('NFKD')
  return decomposed.replaceAll(tones, '').normalize('NFKC') + (decomposed.match(tones)?.join('') ?? '')
}

/** A cache of folded words that are not ASCII, because most texts repeat them. */
const foldedWords = new Map<string, string>()
const maxFoldedWords = 20_000
const maxKeptLength = 32

function foldLetters(lower: string): string {
  const stripped = lower.replaceAll(invisible, '').normalize('NFKD').replaceAll(marks, '')
  return foldDigits(stripped)
    .replaceAll(foldedLetter, (letter) => letterFolds.get(letter) as string)
    .normalize('NFKC')
    .slice(0, maxTermLength)
    .toWellFormed()
}
