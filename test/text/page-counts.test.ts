import { describe, expect, test } from 'vitest'
import { countPage, countText, emptyPageCounts } from '../../src/text/page-counts.ts'

test.for([
  ['an empty text', '', 0, 0],
  ['white space of many kinds', ' \t\r\n\u00a0\u2003\u3000\ufeff\u200b', 0, 0],
  ['plain words', 'Two words, and more.', 17, 4],
  ['marks without words', '# Title\n\n- one\n- two\n\n---\n| a | b |', 22, 5],
  ['joined words', 'well-known e-mail don’t', 21, 3],
  ['letters with accents and other scripts', 'Ünïcödé мир العالم', 16, 3],
  ['Han and kana, one word per character', '你好世界 カタ', 6, 6],
  ['Hangul, separated by spaces', '안녕하세요 세계', 7, 2],
  ['only punctuation and arrows', '— … → «» 。 \ufffd', 7, 0],
  ['characters outside the basic plane, one each', '😀 𠀀', 2, 2],
  ['numbers', '1984 3.14', 8, 2],
] as const)('the characters and words of %s', ([, text, characters, words]) => {
  expect(countText(text)).toEqual({ characters, words })
})

describe('a page counts', () => {
  test.for([
    ['as plain text', { content: 'words' }, { words: 1 }],
    ['as blank without a word', { content: ' — ' }, { blankPages: 1 }],
    ['as a blank scan', { content: '', picture: true }, { blankPages: 1, scannedPages: 1 }],
    ['as a scan with a page number', { content: '12', picture: true }, { scannedPages: 1 }],
    ['as text beside a picture', { content: 'word '.repeat(20), picture: true }, { words: 20 }],
    ['as garbled over a fifth', { content: 'words', garbled: 0.21 }, { garbledPages: 1 }],
    ['as text up to a fifth', { content: 'words', garbled: 0.2 }, { garbledPages: 0 }],
    [
      'as garbled, not blank, when nothing else is left',
      { content: '\ufffd', garbled: 1 },
      { garbledPages: 1, blankPages: 0 },
    ],
  ] as const)('%s', ([, page, expected]) => {
    const counts = emptyPageCounts()
    countPage(counts, { picture: false, garbled: 0, ...page })
    const { blankPages, garbledPages, scannedPages, pages } = counts
    expect({ blankPages, garbledPages, scannedPages, pages, words: counts.words }).toEqual({
      blankPages: 0,
      garbledPages: 0,
      scannedPages: 0,
      words: counts.words,
      ...expected,
      pages: 1,
    })
  })
})
