import { numberInScript, romanNumeral, systemOfNumbers } from './number-systems.ts'

/**
 * Formats a number in a Word number format (ECMA-376, part 1, 17.18.59): `lowerLetter`, `upperRoman` and so on. Formats
 * of words and of some scripts use digits.
 */
export function formatNumber(number: number, format: string): string {
  if (number < 1 || number > 4000) return `${number}`
  if (format === 'lowerRoman') return romanNumeral(number)
  if (format === 'upperRoman') return romanNumeral(number).toUpperCase()
  if (format === 'lowerLetter') return letters(number)
  if (format === 'upperLetter') return letters(number).toUpperCase()
  if (format === 'decimalZero') return `${number}`.padStart(2, '0')
  return numberInScript(number, format) ?? `${number}`
}

/** Returns a to z, then aa, bb and so on. */
function letters(number: number): string {
  return String.fromCharCode(97 + ((number - 1) % 26)).repeat(Math.ceil(number / 26))
}

const types: ReadonlyMap<string, string> = new Map([
  ['a', 'lowerLetter'],
  ['A', 'upperLetter'],
  ['i', 'lowerRoman'],
  ['I', 'upperRoman'],
])
const styleTypes: readonly [name: RegExp, type: string][] = [
  [/lower-(?:alpha|latin)/, 'a'],
  [/upper-(?:alpha|latin)/, 'A'],
  [/lower-roman/, 'i'],
  [/upper-roman/, 'I'],
  [/lower-greek/, 'lowerGreek'],
  [/chinese-informal|cjk-ideographic/, 'chineseCounting'],
  [/simp-chinese-formal/, 'chineseLegalSimplified'],
  [/trad-chinese-formal/, 'ideographLegalTraditional'],
  [/japanese-informal/, 'japaneseCounting'],
  [/cjk-decimal/, 'ideographDigital'],
  [/cjk-heavenly-stem/, 'ideographTraditional'],
  [/cjk-earthly-branch/, 'ideographZodiac'],
  [/katakana-iroha/, 'iroha'],
  [/katakana/, 'aiueo'],
  [/korean-hangul/, 'koreanCounting'],
  [/hebrew/, 'hebrew1'],
]
const listStyle = /list-style(?:-type)?\s*:([^;{}]{0,100})/i

/**
 * The type of an ordered list for CSS declarations: `a`, `A`, `i`, `I` as in HTML, or the name of a number system of
 * another script; null for digits and bullets.
 */
export function listTypeOf(declarations: string): string | null {
  const found = listStyle.exec(declarations)?.[1]?.toLowerCase()
  return found === undefined ? null : (styleTypes.find(([name]) => name.test(found))?.[1] ?? null)
}

/**
 * The label of an item in a list with letters, Roman numerals or numbers of another script, such as `(b)`; null for other
 * types. `%` in `pattern` is the placeholder for the number.
 */
export function letteredNumber(number: number, type: string, pattern = '%.'): string | null {
  const label = formatNumber(number, types.get(type) ?? type)
  return label === `${number}` ? null : pattern.replace('%', label)
}

/** The type of an ordered list, as `listTypeOf`, for a Word number format; null for digits. */
export function listTypeOfFormat(format: string): string | null {
  const type = [...types].find(([, each]) => each === format)?.[0]
  return type ?? (numberInScript(1, format) === null ? null : format)
}

/**
 * The type of an ordered list, as `listTypeOf`, for the number format of an OpenDocument text, such as `a` or
 * `甲, 乙, 丙, ...`; null for digits.
 */
export function listTypeOfNumbers(format: string): string | null {
  if (/^[aAiI]$/.test(format)) return format
  const signs = format.split(', ').slice(0, 3)
  return signs.length < 3 ? null : (systemOfNumbers(signs) ?? null)
}
