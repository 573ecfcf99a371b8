import { expect, test } from 'vitest'
import { termsOf } from '../../../src/text/words/terms.ts'
import { analyseWord } from '../../../src/text/words/word-cache.ts'

test('words of any mixture of case and digits are divided exactly where their case changes', () => {
  const units = ['a', 'b', 'A', 'B', '1']
  let words = ['']
  for (let length = 1; length <= 5; length++) {
    words = words.flatMap((word) => units.map((unit) => word + unit))
    for (const raw of words) {
      const { word, terms, parts } = analyseWord(raw, 'en')
      const lower = raw.toLowerCase()
      expect([raw, word, terms, parts.length > 0]).toEqual([
        raw,
        lower,
        termsOf(lower, 'en'),
        /[a-z][A-Z]|[A-Z][A-Z][a-z]/.test(raw),
      ])
      if (parts.length > 0) expect(parts.map((part) => part.word).join('')).toBe(lower)
    }
  }
})
