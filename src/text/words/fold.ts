import { stem } from './stem.ts'

/** Marks that readers leave out when they type: accents, Hebrew points, Arabic vowels and the Arabic stretcher; variants of signs. */
const marks = new RegExp(
  '[\\u0300-\\u036f\\u0483-\\u0487\\u0591-\\u05c7\\u0610-\\u061a\\u0640\\u064b-\\u065f\\u0670' +
    '\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe00-\\ufe0f\\ufe20-\\ufe2f]',
  'g',
)
/** Soft hyphens, joiners and marks of direction inside a word. */
const invisible = /\p{Cf}/gu
const letterFolds: Record<string, string> = {
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
  ς: 'σ',
}
const ascii = /^[\0-\x7f]*$/
const maxTermLength = 64

/** A word without what readers do not distinguish: case, diacritics, width and ligatures. At most 64 characters. */
export function fold(word: string): string {
  const lower = word.slice(0, maxTermLength * 2).toLowerCase()
  if (ascii.test(lower)) return lower.slice(0, maxTermLength)
  const stripped = lower.replaceAll(invisible, '').normalize('NFKD').replaceAll(marks, '')
  return stripped
    .replaceAll(/[ßæœøđðłıþħς]/g, (letter) => letterFolds[letter] as string)
    .normalize('NFKC')
    .slice(0, maxTermLength)
    .toWellFormed()
}

const english = /^[a-z]+$/

/** What a folded word is indexed as: its English stem when it is written in the letters a to z, else the word itself. */
export function termOf(folded: string): string {
  return english.test(folded) ? stem(folded) : folded
}
