import { describe, expect, test } from 'vitest'
import { uniqueSlug, slugify } from '../../src/text/slugify.ts'

describe('slugify', () => {
  test.for([
    ['Science Fiction', 'science-fiction'],
    ['  C++ & Rust!  ', 'c-rust'],
    ['Ünïcode Çà', 'unicode-ca'],
    ['Straße Ærø Łódź', 'strasse-aero-lodz'],
    ['İstanbul ısı', 'istanbul-isi'],
    ['ﬁne ＡＢＣ ①', 'fine-abc-1'],
    ['Книги Йода', 'книги-йода'],
    ['日本語の本', '日本語の本'],
    ['한국어 책', '한국어-책'],
    ['किताब', 'कतब'],
    ['a_b--c', 'a-b-c'],
    ['2026', '2026'],
    ['!!! ???', ''],
    ['😀', ''],
    ['æ'.repeat(50), 'ae'.repeat(32)],
    [`${'x'.repeat(63)} y`, 'x'.repeat(63)],
  ] as const)('%s gives %s', ([name, slug]) => {
    expect(slugify(name)).toBe(slug)
  })

  test('composed and decomposed letters give the same slug', () => {
    for (const name of ['Žluťoučký kůň', 'Йод', '각', 'ガ']) {
      expect(slugify(name.normalize('NFD'))).toBe(slugify(name.normalize('NFC')))
    }
  })
})

describe('uniqueSlug', () => {
  test.for([
    ['Sea', [], 'sea'],
    ['Sea', ['sea'], 'sea-2'],
    ['Sea', ['sea', 'sea-2', 'sea-4'], 'sea-3'],
    ['x'.repeat(64), ['x'.repeat(64)], `${'x'.repeat(62)}-2`],
    [`${'x'.repeat(61)} yy`, [`${'x'.repeat(61)}-yy`], `${'x'.repeat(61)}-2`],
  ] as const)('of %s with %j taken is %s', ([name, taken, slug]) => {
    expect(uniqueSlug(name, new Set(taken))).toBe(slug)
  })
})
