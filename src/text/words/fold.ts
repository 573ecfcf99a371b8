/** Marks that people omit when they type: accents, Hebrew points, Arabic vowels and tatweel, variation selectors. */
const marks = new RegExp(
  '[\\u0300-\\u036f\\u0483-\\u0487\\u0591-\\u05c7\\u0610-\\u061a\\u0640\\u064b-\\u065f\\u0670' +
    '\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe00-\\ufe0f\\ufe20-\\ufe2f]',
  'g',
)
/** Soft hyphens, joiners and direction marks inside a word. */
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

/** Languages in which accents distinguish words. Folding keeps them. */
const accented = new Set(['vi'])

/**
 * Folds a word: removes differences of case, diacritics, width and ligatures; in Vietnamese only of case and width. The result has at most
 * 64 UTF-16 units.
 */
export function fold(word: string, language?: string): string {
  const lower = word.length > maxTermLength * 2 ? word.slice(0, maxTermLength * 2).toLowerCase() : word.toLowerCase()
  if (ascii.test(lower)) return lower.length > maxTermLength ? lower.slice(0, maxTermLength) : lower
  if (language !== undefined && accented.has(language)) {
    return lower.replaceAll(invisible, '').normalize('NFKC').slice(0, maxTermLength).toWellFormed()
  }
  const known = foldedWords.get(lower)
  if (known !== undefined) return known
  const folded = foldLetters(lower)
  if (foldedWords.size >= maxFoldedWords) foldedWords.clear()
  if (lower.length <= maxKeptLength) foldedWords.set(ownCopy(lower), folded)
  return folded
}

/** A cache of folded words that are not ASCII, because most texts repeat them. */
const foldedWords = new Map<string, string>()
const maxFoldedWords = 20_000
const maxKeptLength = 32

/** Copies a substring, which would otherwise keep the whole text in memory. */
function ownCopy(part: string): string {
  return part.length < 13 ? part : Buffer.from(part, 'utf16le').toString('utf16le')
}

function foldLetters(lower: string): string {
  const stripped = lower.replaceAll(invisible, '').normalize('NFKD').replaceAll(marks, '')
  return stripped
    .replaceAll(/[ßæœøđðłıþħς]/g, (letter) => letterFolds[letter] as string)
    .normalize('NFKC')
    .slice(0, maxTermLength)
    .toWellFormed()
}
