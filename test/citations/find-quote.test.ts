import { describe, expect, test } from 'vitest'
import { findQuote, prepareQuote } from '../../src/citations/find-quote.ts'
import { nearestPassage, indexWords, type WordIndex } from '../../src/citations/nearest-passage.ts'
import { normalizeText } from '../../src/citations/normalize-text.ts'
import { prepareText } from '../../src/citations/searchable-text.ts'
import { finishSteps } from '../../src/runtime/turns.ts'

const searched = prepareText
const find = (raw: string, quote: string) => findQuote(searched(raw), prepareQuote(quote))

describe('a quotation', () => {
  test.for<[what: string, page: string, quote: string, match: string, found: string]>([
    ['character for character', 'The “sea” is big.', '“sea” is', 'exact', '“sea” is'],
    ['with other quotation marks', 'The “sea” is big.', '"sea" is', 'normalized', '“sea” is'],
    ['with its Markdown marks', 'The **sea** is big.', '**sea** is', 'exact', '**sea** is'],
    ['without its Markdown marks', 'The **sea** is big.', 'sea is', 'normalized', 'sea** is'],
    ['as an exact match further on rather than a normalized one before it', 'a\nb. And a b.', 'a b', 'exact', 'a b'],
    ['as a part of a word with a hyphen', 'a well-known fact', 'a well', 'exact', 'a well'],
    ['in Chinese, at any character', '我们去图书馆看书', '图书', 'exact', '图书'],
    ['in Korean, without the particle', '책을 읽는다', '책', 'exact', '책'],
    ['in Korean, with other spaces', '책을 읽을 수 있 습니다', '읽을 수 있습니다', 'normalized', '읽을 수 있 습니다'],
    ['in Latin letters beside Chinese ones', '使用GPS导航', 'GPS', 'exact', 'GPS'],
    [
      'with characters that are special in regular expressions',
      'f(x) = [a-z]+.*$^{2}|\\d?',
      '[a-z]+.*$^{2}|\\d?',
      'exact',
      '[a-z]+.*$^{2}|\\d?',
    ],
    ['with spaces around it', 'The sea is big.', '  sea \n', 'exact', 'sea'],
    ['up to the end of a number', 'It costs 5.2, or 10,000.', '5.2', 'exact', '5.2'],
    ['of a number at the end of a sentence', 'It costs 5. More', 'costs 5', 'exact', 'costs 5'],
  ])('is found %s', ([, page, quote, match, found]) => {
    const result = find(page, quote)
    expect(result?.match).toBe(match)
    expect(page.slice(result?.start, result?.end)).toBe(found)
  })

  test.for<[what: string, page: string, quote: string]>([
    ['that ends inside a word', 'He cannot swim.', 'He can'],
    ['that ends before the vowel sign of its last letter', 'ภาษานี้ยาก', 'ภาษาน'],
    ['that begins inside a word', 'It is unlikely to rain.', 'likely to rain'],
    ['that omits the negation', "He can't swim. He don’t.", 'He can'],
    ['that cuts a word hyphenated across lines', 'He can-\nnot swim.', 'He can'],
    ['that cuts a number at its point', 'It grew by 5.2 percent.', 'It grew by 5'],
    ['that cuts a number at its beginning', 'It grew by 5.2 percent.', '2 percent'],
    ['that cuts a number at its thousands separator', 'There were 10,000 of them.', 'There were 10'],
    ['that omits an accent', 'the cafe\u0301s', 'the cafe'],
    ['with another case', 'The sea', 'the sea'],
    ['with another number', 'x² grows', 'x2 grows'],
    ['of which the page contains only the beginning', 'The sea', 'The sea is'],
  ])('is not found %s', ([, page, quote]) => {
    expect(find(page, quote)).toBeNull()
  })

  test.for<[string, string]>([
    ['all but the last', `${'a'.repeat(1999)}b`],
    ['all but the first', `b${'a'.repeat(1999)}`],
    ['all but the middle', `${'a'.repeat(999)}b${'a'.repeat(1000)}`],
    ['periods', `${'ab'.repeat(500)}b${'ab'.repeat(499)}`],
    ['regular expression', '(a+)+$'.repeat(333)],
  ])('of 2,000 characters against a page of 1 MB that repeats it (%s) takes linear time', ([, quote]) => {
    const prepared = prepareQuote(quote)
    for (const raw of ['a'.repeat(1_000_000), 'ab'.repeat(500_000)])
      expect(findQuote(searched(raw), prepared)).toBeNull()
  })
})

const nearest = (raw: string, quote: string) => {
  const page = searched(raw)
  const [pageWords, quoteWords] = [page.normal.text, normalizeText(quote).text].map((text) =>
    finishSteps(indexWords(text)),
  ) as [WordIndex, WordIndex]
  const found = finishSteps(nearestPassage(page, pageWords, quoteWords))
  return found && { ...found, passage: raw.slice(found.start, found.end) }
}

describe('the nearest passage', () => {
  const page =
    '# Whales\n\nA boat sailed. The *narwhal* has a long tusk of ivory, and lives in the north. Nobody knows why.'

  test('is the one that shares the most words and pairs of words, ignoring case', () => {
    const found = nearest(page, 'the narwhal has a short tusk of ivory')
    expect(found?.passage).toBe('The *narwhal* has a long tusk of ivory')
    expect(found?.similarity).toBe(0.8)
  })

  test('never has a similarity of 1', () => {
    expect(nearest(page, 'the NARWHAL has a long tusk')?.similarity).toBe(0.99)
  })

  test('depends on the order of words', () => {
    const straight = nearest('dog bites man', 'dog bites men')?.similarity ?? 0
    const turned = nearest('dog bites man', 'man bites dog')?.similarity ?? 1
    expect(turned).toBeLessThan(0.7)
    expect(straight).toBeGreaterThan(0)
  })

  test('is trimmed of outer words that the quotation does not have', () => {
    expect(nearest('one two three four five', 'zero three four zero zero')?.passage).toBe('three four')
  })

  test('compares characters in scripts without spaces', () => {
    expect(nearest('私は東京都に住んでいます。', '東京都で住んで')?.passage).toBe('東京都に住んで')
  })

  test.for(['elephant', '!?', '5'])('is null for %s, of which the page has no word', (quote) => {
    expect(nearest(page, quote)).toBeNull()
  })

  test('is found in a page of 1 MB that repeats its words', () => {
    const found = nearest('of the '.repeat(140_000), 'the of '.repeat(280))
    expect(found?.similarity).toBe(0.99)
  })
})
