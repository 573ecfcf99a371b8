/** Text that needs no folding of accents or forms, as nearly all lines of English books. */
const ascii = /^[\t-\r -~]*$/

/**
 * The letters and digits of a title in lower case, without accents, ligatures, presentation forms and punctuation.
 * Titles compare equal in this form, however a font or an outline encodes them.
 */
export function foldTitle(text: string): string {
  if (ascii.test(text)) return text.toLowerCase().replace(/[^a-z\d]+/g, '')
  return text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Lm}\p{Sk}]/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .replace(/[ıȷيىكھہ]/g, (letter) => variants.get(letter) ?? letter)
}

/** Letters for which one file may use two code points: dotless i and j, Arabic and Persian yeh, kaf and heh. */
const variants: ReadonlyMap<string, string> = new Map(
  Object.entries({ ı: 'i', ȷ: 'j', ي: 'ی', ى: 'ی', ك: 'ک', ھ: 'ه', ہ: 'ه' }),
)

const numberBefore = /^(?:\p{Lu}|\p{N}{1,3}|[IVXLC]{1,6})(?:\.\p{N}{1,3}){0,5}[.):]?\s+(?=\p{L})/u

/** A folded title without its number; the whole folded title if nothing else remains. */
export function foldWithoutNumber(title: string): string {
  return foldTitle(title.replace(numberBefore, '')) || foldTitle(title)
}

const foldedNumber = /^(?:\p{L}{4,10})?(?:\p{N}{1,5}\p{L}?|\p{L}\p{N}{1,5})$/u
const foldedNumberBefore = /^(?:\p{L}{4,10})?\p{N}{1,5}(?!\p{N})/u
/** A folded date before a title, such as "march52022" or "15june1998". It is not a number of the title. */
const foldedDateBefore = /^\p{N}{0,2}\p{L}{3,10}\p{N}{0,2}(?:19|20)\p{N}{2}(?!\p{N})/u
const foldedLetter =
  /^(?:chapter|appendix|part|section|kapitel|anhang|teil|chapitre|annexe|partie|capitulo|apendice|anexo|parte)?(?:[ivxlc]{1,6}|\p{L})?$/u
const eastAsianNumber = /^[第제]?[\p{N}〇一二三四五六七八九十百]{1,6}[章节節部篇編回卷장절편부]?[\p{N}]{0,4}$/u

/** Whether folded text before a title is the number of the title: "chapter4", "41", "iv", "b2", "第三章". */
export function isFoldedNumber(text: string): boolean {
  if (foldedDateBefore.test(text)) return false
  return text === '' || foldedNumber.test(text) || foldedLetter.test(text) || eastAsianNumber.test(text)
}

/** Folded text without a leading number and the word before that number. */
export function withoutFoldedNumber(text: string): string {
  return foldedDateBefore.test(text) ? text : text.replace(foldedNumberBefore, '')
}

/** The similarity of two folded titles: the Dice coefficient (0 to 1) of their letter pairs. */
export function titleSimilarity(a: string, b: string): number {
  if (a === b) return 1
  const pairs = new Map<string, number>()
  for (let index = 1; index < a.length; index += 1) {
    const pair = a.slice(index - 1, index + 1)
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  }
  let common = 0
  for (let index = 1; index < b.length; index += 1) {
    const pair = b.slice(index - 1, index + 1)
    const left = pairs.get(pair) ?? 0
    if (left > 0) common += 1
    pairs.set(pair, left - 1)
  }
  return (2 * common) / Math.max(1, a.length + b.length - 2)
}
