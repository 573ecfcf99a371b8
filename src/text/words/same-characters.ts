/** Arabic and Persian letters that readers and files use interchangeably: kaf, yeh and heh. */
export const sameArabicLetters: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '\u06a9': '\u0643',
    '\u06aa': '\u0643',
    '\u0649': '\u064a',
    '\u06cc': '\u064a',
    '\u06c1': '\u0647',
    '\u06d5': '\u0647',
  }),
)

const digit = /^\p{Nd}$/u
const otherDigits = /(?![0-9])\p{Nd}/gu

/** Replaces the decimal digits of every script by 0 to 9. */
export function foldDigits(text: string): string {
  return text.replaceAll(otherDigits, digitOf)
}

/** Returns the value of a decimal digit. Unicode encodes the digits of each script one after the other, from zero. */
function digitOf(character: string): string {
  const point = character.codePointAt(0) as number
  let before = point
  while (digit.test(String.fromCodePoint(before - 1))) before--
  return String((point - before) % 10)
}
