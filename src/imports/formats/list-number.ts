const romanSigns: readonly [value: number, sign: string][] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
]

/**
 * Formats a number in a Word number format (ECMA-376, part 1, 17.18.59): `lowerLetter`, `upperRoman` and so on. Formats
 * of other scripts use digits.
 */
export function formatNumber(number: number, format: string): string {
  if (number < 1 || number > 4000) return `${number}`
  if (format === 'lowerRoman') return roman(number)
  if (format === 'upperRoman') return roman(number).toUpperCase()
  if (format === 'lowerLetter') return letters(number)
  if (format === 'upperLetter') return letters(number).toUpperCase()
  return format === 'decimalZero' ? `${number}`.padStart(2, '0') : `${number}`
}

function roman(number: number): string {
  let [rest, written] = [number, '']
  for (const [value, sign] of romanSigns) for (; rest >= value; rest -= value) written += sign
  return written
}

/** Returns a to z, then aa, bb and so on. */
function letters(number: number): string {
  return String.fromCharCode(97 + ((number - 1) % 26)).repeat(Math.ceil(number / 26))
}

const types: Readonly<Record<string, string>> = { a: 'lowerLetter', A: 'upperLetter', i: 'lowerRoman', I: 'upperRoman' }
const styleTypes: readonly [name: RegExp, type: string][] = [
  [/lower-(?:alpha|latin)/, 'a'],
  [/upper-(?:alpha|latin)/, 'A'],
  [/lower-roman/, 'i'],
  [/upper-roman/, 'I'],
]
const listStyle = /list-style(?:-type)?\s*:([^;{}]{0,100})/i

/** The type of an ordered list (`a`, `A`, `i`, `I` as in HTML) for CSS declarations; null for digits and bullets. */
export function listTypeOf(declarations: string): string | null {
  const found = listStyle.exec(declarations)?.[1]?.toLowerCase()
  return found === undefined ? null : (styleTypes.find(([name]) => name.test(found))?.[1] ?? null)
}

/**
 * The label of an item in a list with letters or Roman numerals, such as `(b)`; null for other types. `%` in `pattern`
 * is the placeholder for the number.
 */
export function letteredNumber(number: number, type: string, pattern = '%.'): string | null {
  const format = types[type]
  return format === undefined || number < 1 ? null : pattern.replace('%', formatNumber(number, format))
}

/** The HTML ordered list type for a Word number format; null for other formats. */
export function listTypeOfFormat(format: string): string | null {
  return Object.keys(types).find((type) => types[type] === format) ?? null
}
