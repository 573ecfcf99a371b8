import { expect, test } from 'vitest'
import { analyse } from '../../../src/text/words/analyse.ts'
import { foldDigits } from '../../../src/text/words/same-characters.ts'

const termsOf = (text: string, language: string) => {
  const terms = new Set<string>()
  analyse(text.normalize('NFC'), ({ term }) => terms.add(term), language)
  return [...terms].sort()
}

test.for([
  ['a Persian word with a non-joiner has its parts and the whole', 'می‌رقصند', 'fa', ['رقصند', 'مي', 'ميرقصند']],
  ['a non-joiner between other letters is invisible', 'Auf\u200clage', 'de', ['auflag']],
  ['a raised number after a word is a part', 'kingdom²', 'en', ['2', 'kingdom', 'kingdom2']],
  ['a fraction after a number is a part', '2½', 'en', ['12', '2', '212']],
  ['groups of digits are one number', '64,250', 'en', ['250', '64', '64250']],
] as const)('%s', ([, text, language, terms]) => {
  expect(termsOf(text, language)).toEqual([...terms].sort())
})

test('the digits of every script are 0 to 9', () => {
  const digits = Array.from({ length: 0x1ffff }, (_, point) => String.fromCodePoint(point)).filter((one) =>
    /^\p{Nd}$/u.test(one),
  )
  expect(foldDigits(digits.join(''))).toBe('0123456789'.repeat(digits.length / 10))
})
