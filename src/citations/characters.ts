/** Scripts without spaces between words, and their full stops and commas. For use inside a character class. */
export const unspacedScripts = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}\u3001\u3002\u30fc`
/** The same and Hangul, whose particles follow a word without a space. */
export const unboundedScripts = String.raw`${unspacedScripts}\p{sc=Hangul}`
const unspacedPattern = new RegExp(`[${unspacedScripts}]`, 'u')
const unboundedWordPattern = new RegExp(`[${unboundedScripts}]`, 'u')
const wordCharacter = /[\p{L}\p{N}\p{M}]/u
const mark = /^\p{M}/u
const digit = /\p{Nd}/u

/** The lowest code unit of a script without spaces. */
const firstUnspacedUnit = 0x0e00

/** True if the character that ends at `at` belongs to a script without spaces between words. */
export function endsUnspaced(text: string, at = text.length): boolean {
  return text.charCodeAt(at - 1) >= firstUnspacedUnit && unspacedPattern.test(characterBefore(text, at))
}

/** True if the character at `at` belongs to a script without spaces between words. */
export function startsUnspaced(text: string, at: number): boolean {
  return text.charCodeAt(at) >= firstUnspacedUnit && unspacedPattern.test(characterAt(text, at))
}

const letter = /\p{L}/u
const letterAndMarks = /\p{L}\p{M}*$/u

/** True if the text ends with a letter, with or without combining marks. */
export function endsWithLetter(text: string): boolean {
  const unit = text.charCodeAt(text.length - 1)
  return unit < 0x80 ? isAsciiLetter(unit) : letterAndMarks.test(text)
}

/** True if the character at `at` is a letter. */
export function isLetterAt(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit < 0x80 ? isAsciiLetter(unit) : letter.test(characterAt(text, at))
}

function isAsciiLetter(unit: number): boolean {
  const lower = unit | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

/** True if cutting a text in normal form at `at` would split a word, a number or a character. */
export function isInsideWord(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false
  const before = characterBefore(text, at)
  const after = characterAt(text, at)
  if (/[\udc00-\udfff]/.test(text.charAt(at)) || mark.test(after)) return true
  if (wordCharacter.test(before) && wordCharacter.test(after))
    return !unboundedWordPattern.test(before) && !unboundedWordPattern.test(after)
  return isInsideNumber(text, at) || isBeforeNegation(text, at)
}

function characterBefore(text: string, at: number): string {
  const unit = text.charAt(at - 1)
  return /[\udc00-\udfff]/.test(unit) ? text.slice(at - 2, at) : unit
}

function characterAt(text: string, at: number): string {
  const point = text.codePointAt(at)
  return point === undefined ? '' : String.fromCodePoint(point)
}

/** True inside `5.2` or `10,000`: a match of `5` alone would misquote the number. */
function isInsideNumber(text: string, at: number): boolean {
  const around = text.slice(Math.max(0, at - 2), at + 2)
  const middle = Math.min(2, at)
  const [twoBefore, before, after, twoAfter] = [
    around[middle - 2],
    around[middle - 1],
    around[middle],
    around[middle + 1],
  ]
  if (isDigit(before) && (after === '.' || after === ',')) return isDigit(twoAfter)
  return isDigit(after) && (before === '.' || before === ',') && isDigit(twoBefore)
}

/** True for a decimal digit of any script. */
export function isDigit(unit: string | undefined): boolean {
  return unit !== undefined && digit.test(unit)
}

/** True between `can` and `'t`: without its end the word has the opposite meaning. */
function isBeforeNegation(text: string, at: number): boolean {
  return /^'t(?![\p{L}\p{N}])/u.test(text.slice(at, at + 3)) && wordCharacter.test(text.charAt(at - 1))
}
