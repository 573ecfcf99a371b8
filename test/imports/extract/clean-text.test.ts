import { describe, expect, test } from 'vitest'
import type { BookInfo } from '../../../src/imports/formats/format.ts'
import { cleanInfo, cleanLine, cleanPage, cleanText, cleanToc } from '../../../src/imports/extract/clean-text.ts'
import { scriptedExtractor } from '../../support/extraction.ts'

const nothing: BookInfo = { title: null, author: null, language: null, publisher: null, isbn: null, description: null }

describe('cleaning text of a file', () => {
  test.for([
    ['a NUL', 'a\u0000b', 'ab'],
    ['other controls', '\u0001a\b\u000b\u000c\u001f\u007f\u0085b', 'ab'],
    ['a lone high surrogate', 'a\ud83d', 'a\ufffd'],
    ['a lone low surrogate', '\ude00a', '\ufffda'],
    ['surrogates in the wrong order', '\ude00\ud83d', '\ufffd\ufffd'],
  ] as const)('removes %s', ([, dirty, clean]) => {
    expect(cleanText(dirty)).toBe(clean)
  })

  test.for([
    ['tab, newline and carriage return', 'a\tb\r\nc\n'],
    ['a decomposed letter', 'Cafe\u0301'],
    ['characters beyond the first plane', '😀𠀀'],
    ['direction marks and joiners', '\u202eabc\u202c می‌خواهم'],
  ] as const)('keeps %s', ([, text]) => {
    expect(cleanText(text)).toBe(text)
  })
})

describe('cleaning a line', () => {
  test.for([
    ['white space and line breaks', '  The\n\tTitle \u00a0 ', 'The Title'],
    ['invisible characters', '\ufeffPay\u00adload\u202e\u{e0041}', 'Payload'],
    ['nothing visible', ' \u0000\u200b\u202e\u200c ', null],
    ['a joiner that belongs to spelling', 'می‌خواهم', 'می‌خواهم'],
    ['a stack of marks', `Za${'\u0301'.repeat(40)}!`, `Za${'\u0301'.repeat(10)}!`],
    ['null', null, null],
  ] as const)('with %s', ([, dirty, clean]) => {
    expect(cleanLine(dirty, 500)).toBe(clean)
  })

  test('truncates it, never inside a surrogate pair', () => {
    expect(cleanLine('x'.repeat(501), 500)).toBe('x'.repeat(500))
    expect(cleanLine(`${'x'.repeat(499)}😀`, 500)).toBe('x'.repeat(499))
    expect(cleanLine(`${'x'.repeat(498)}😀`, 500)).toBe(`${'x'.repeat(498)}😀`)
  })
})

test('metadata is truncated to the lengths that the library stores', () => {
  const long = 'x'.repeat(30_000)
  const info = cleanInfo({ title: long, author: long, language: long, publisher: long, isbn: long, description: long })
  const lengths = Object.values(info).map((value: string | null) => value?.length ?? null)
  expect(lengths).toEqual([500, 500, null, 500, 32, 4_000])
  expect(cleanInfo({ ...nothing, title: ' \u0000 ', description: '\u0000\n' })).toEqual(nothing)
  expect(cleanInfo({ ...nothing, description: 'One.\n\nTwo.\u0007' }).description).toBe('One.\n\nTwo.')
})

test.for([
  ['Ada Lovelace <ada@example.org>', 'Ada Lovelace'],
  ['Ada Lovelace <ada at example.org>', 'Ada Lovelace'],
  ['Ada Lovelace (ada@example.org), Charles Babbage (Editor)', 'Ada Lovelace, Charles Babbage (Editor)'],
  ['Ada ada@example.org , Charles charles@example.org', 'Ada, Charles'],
  ['Ada, <ada@example.org>; Charles', 'Ada; Charles'],
  ['ada@example.org', 'ada@example.org'],
  ['Writers at Work <London>', 'Writers at Work <London>'],
  ['Lovelace, A., Jr.', 'Lovelace, A., Jr.'],
])('of the author %j, the name is kept: %j', ([author = '', name]) => {
  expect(cleanInfo({ ...nothing, author }).author).toBe(name)
})

test.for([
  ['en', 'en'],
  ['pt-BR', 'pt-BR'],
  ['zh-Hant-TW', 'zh-Hant-TW'],
  [' de_AT ', 'de_AT'],
  ['English (United States)', null],
  ['<script>', null],
  ['', null],
])('the language %j becomes %j', ([language = '', clean]) => {
  expect(cleanInfo({ ...nothing, language }).language).toBe(clean)
})

test('a page keeps its text and gets a clean label', () => {
  const page = { content: 'a\u0000b\r\n', label: ' i\u0000v ', picture: true, garbled: 0.5 }
  expect(cleanPage(page)).toEqual({ content: 'ab\r\n', label: 'iv', picture: true, garbled: 0.5 })
  expect(cleanPage({ ...page, label: ' ' }).label).toBeNull()
})

describe('cleaning a table of contents', () => {
  test.for([
    ['an ordinary entry', { title: 'A', page: 3, level: 2 }, { title: 'A', page: 3, level: 2 }],
    ['a page before the first', { title: 'A', page: -4, level: 1 }, { title: 'A', page: 1, level: 1 }],
    ['a broken page and level', { title: 'A', page: 2.9, level: 0.5 }, { title: 'A', page: 2, level: 1 }],
    ['a huge level', { title: 'A', page: 1, level: 1e9 }, { title: 'A', page: 1, level: 32 }],
    ['a dirty title', { title: ' A\u0000\n B ', page: 1, level: 1 }, { title: 'A B', page: 1, level: 1 }],
    ['a page beyond the last', { title: 'A', page: 11, level: 1 }, null],
    ['no title', { title: ' ', page: 1, level: 1 }, null],
  ] as const)('accepts %s', ([, entry, clean]) => {
    expect(cleanToc([entry], 10)).toEqual(clean === null ? [] : [clean])
  })

  test('keeps at most 20,000 entries, with titles of at most 500 characters', () => {
    const toc = cleanToc(
      Array.from({ length: 20_001 }, () => ({ title: 'x'.repeat(501), page: 1, level: 1 })),
      1,
    )
    expect(toc).toHaveLength(20_000)
    expect(toc[0]?.title).toHaveLength(500)
  })
})

test('the text of a hostile book is clean after extraction', async () => {
  const { read } = await scriptedExtractor()
  const toc = Array.from({ length: 25_000 }, (_, n) => ({ title: `Entry\u0000 ${n}`, page: n % 4, level: 0 }))
  const book = await read({
    info: { title: '\u0000T\ud800itle\u202e', description: 'x'.repeat(100_000) },
    steps: [{ do: 'pages', count: 2, content: 'a\u0000\ud800b', label: '\u0000' }],
    toc,
  })
  expect(book.info).toMatchObject({ title: 'T\ufffditle', description: 'x'.repeat(4_000) })
  expect(book.pages[1]).toMatchObject({ content: 'a\ufffdb', label: null })
  expect(book.toc).toHaveLength(15_000)
  expect(new Set(book.toc.map(({ page, level }) => `${page}/${level}`))).toEqual(new Set(['1/1', '2/1']))
})
