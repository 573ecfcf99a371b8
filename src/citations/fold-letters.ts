import { foldDigits, sameArabicLetters } from '../text/words/same-characters.ts'

/** Characters that `foldLetter` replaces by another one of the same length. For use inside a character class. */
export const sameLengthFolds = String.raw`\u0649\u0660-\u0669\u06a9\u06aa\u06c1\u06cc\u06d5\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0a66-\u0a6f\u0ae6-\u0aef\u0b66-\u0b6f\u0be6-\u0bef\u0c66-\u0c6f\u0ce6-\u0cef\u0d66-\u0d6f\u0e50-\u0e59\u0ed0-\u0ed9\u0f20-\u0f29\u1040-\u1049\u17e0-\u17e9`
/** Arabic vowel signs and the tatweel, which most readers leave out. For use inside a character class. */
export const omittedMarks = String.raw`\u0640\u064b-\u0653\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed`
/** Compatibility characters: ligatures, presentation forms, full-width letters, radicals, letters of mathematics. */
export const compatibilityForms = String.raw`\u2e9f\u2ef3\u2f00-\u2fd5\ufb00-\ufb06\ufb13-\ufb17\ufb1d-\ufb4f\ufb50-\ufdfb\ufe70-\ufefc\uff01-\uff5e\u{1d400}-\u{1d7ff}`

const folded = new RegExp(`[${sameLengthFolds}]`, 'gu')
const omitted = new RegExp(`[${omittedMarks}]`, 'gu')

/** Returns the character that represents a character of `sameLengthFolds` and its variants. */
export function foldLetter(letter: string): string {
  return sameArabicLetters.get(letter) ?? foldDigits(letter)
}

/** Returns a letter with its marks, or a compatibility character, in the form in which it is compared. */
export function foldLetters(text: string, form: 'NFC' | 'NFKC'): string {
  const plain = text.normalize(form).replace(omitted, '').normalize('NFC').replace(folded, foldLetter)
  // NFKC turns a vowel sign without a letter into a space and the sign.
  return form === 'NFKC' ? plain.trim() : plain
}

const scriptDigits = '⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉'

/**
 * Superscript and subscript digits, and the marks of notes (`^1`, `[^1]`, `[^1](page:9)`, `[^1]:` before the note). For use inside a
 * pattern.
 */
export const superscripts = String.raw`[⁰¹²³⁴-⁹₀-₉]+|\^(?=\d)|\[\^[\p{L}\p{N}_.-]{1,20}\](?:(?<=(?:^|[\n\r])\[\^[\p{L}\p{N}_.-]{1,20}\]):)?(?:\(page:\d{1,9}\))?`

/**
 * Replaces superscripts by what a reader sees. After a word they become plain digits (the mark of a note). After a number or a single
 * letter they are an exponent, which must differ from another number or name (`10^3` from 103, `x^2` from x2).
 */
export function foldSuperscripts(found: string, before: string): string {
  const isExponent = /(?:\p{N}|(?<![\p{L}\p{M}])\p{L}|[)\]])$/u.test(before)
  if (found.startsWith('[')) return found.slice(2, found.indexOf(']'))
  const caret = isExponent && !/[₀-₉]/.test(found) ? '^' : ''
  return found === '^' ? caret : caret + [...found].map((digit) => String(scriptDigits.indexOf(digit) % 10)).join('')
}
