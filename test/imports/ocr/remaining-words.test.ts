import { describe, expect, test } from 'vitest'
import { addRemainingWords } from '../../../src/imports/ocr/add-remaining-words.ts'
import { composePage } from '../../../src/imports/ocr/compose-page.ts'
import { dropLeaders } from '../../../src/imports/ocr/drop-leaders.ts'
import { isSideways, type RecognisedParagraph, type RecognisedWord } from '../../../src/imports/ocr/parse-words.ts'

/** Makes a word whose letters are 10 wide and 30 high, unless given otherwise. */
function word(
  text: string,
  [left, top]: readonly [number, number],
  change: { height?: number; confidence?: number } = {},
) {
  const { height = 30, confidence = 95 } = change
  return { text, confidence, box: { left, top, right: left + 10 * text.length, bottom: top + height } }
}

const textOf = (paragraphs: readonly RecognisedParagraph[]) => composePage(paragraphs).content

describe('rows of dots', () => {
  const line = (...words: RecognisedWord[]): RecognisedParagraph[] => [[words]]

  test('between a heading and its page are removed, whatever letters were recognised', () => {
    const words = [
      word('Introduction', [100, 100]),
      word('ee', [240, 124], { height: 5, confidence: 42 }),
      word('0000', [300, 124], { height: 5, confidence: 80 }),
      word('.......', [400, 124], { height: 5 }),
      word('02.000', [500, 100], { confidence: 37 }),
      word('7', [900, 100]),
    ]
    expect(textOf(dropLeaders(line(...words)))).toBe('Introduction 7')
  })

  test.for(['–', '…', '_', 'a.', '-1'])('are not %s, and a word that is only uncertain stays', (text) => {
    const height = /[\p{L}\p{N}]/u.test(text) ? 20 : 4
    const words = [
      word('before', [100, 100]),
      word(text, [200, 110], { height }),
      word('unsure', [240, 100], { confidence: 35 }),
    ]
    expect(dropLeaders(line(...words)).flat(2)).toEqual(words)
  })

  test('alone in a line leave no line and no paragraph', () => {
    const paragraphs = [[[word('Text', [0, 0])]], [[word('eeee', [0, 50], { height: 4 })]]]
    expect(dropLeaders(paragraphs)).toHaveLength(1)
    expect(dropLeaders([])).toEqual([])
  })
})

describe('words that the first pass missed', () => {
  const page: RecognisedParagraph[] = [
    [[word('first', [200, 100]), word('line', [270, 100])], [word('second', [200, 140])]],
    [[word('below', [200, 300])]],
  ]

  test('are placed at the line that they number', () => {
    const remaining = [[[word('11', [150, 104], { height: 20 })]], [[word('12', [150, 144], { height: 20 })]]]
    expect(textOf(addRemainingWords(page, remaining))).toBe('11 first line 12 second\n\nbelow')
  })

  test('are appended to the line that they end', () => {
    expect(textOf(addRemainingWords(page, [[[word('(1)', [320, 100])]]]))).toBe('first line (1) second\n\nbelow')
  })

  test('are appended to a distant line if they are numbers at the right margin', () => {
    const pages = [[[word('7', [990, 104])]], [[word('(8)', [970, 144])]], [[word('9', [995, 220])]]]
    expect(textOf(addRemainingWords(page, pages))).toBe('first line 7 second (8)\n\n9\n\nbelow')
    const labels = [[[word('7', [600, 104])]], [[word('word', [960, 144])]]]
    expect(textOf(addRemainingWords(page, labels))).toBe('first line second\n\n7\n\nword\n\nbelow')
  })

  test.for([
    ['note', [20, 220], 'first line second\n\nnote\n\nbelow'],
    ['heading', [200, 10], 'heading\n\nfirst line second\n\nbelow'],
    ['17', [200, 900], 'first line second\n\nbelow\n\n17'],
    // Further from its line than twice its height.
    ['margin', [20, 300], 'first line second\n\nbelow\n\nmargin'],
  ] as const)('become separate paragraphs elsewhere: %s', ([text, place, content]) => {
    expect(textOf(addRemainingWords(page, [[[word(text, place)]]]))).toBe(content)
  })

  test.for([
    ['x', 99],
    ['|', 99],
    ['word', 50],
  ] as const)('are ignored if they may be parts of drawings: %s, %s', ([text, confidence]) => {
    expect(addRemainingWords(page, [[[word(text, [20, 220], { confidence })]]])).toEqual(page)
  })

  test('leave the existing paragraphs unchanged', () => {
    const before = structuredClone(page)
    addRemainingWords(page, [[[word('11', [150, 104])]]])
    expect(page).toEqual(before)
  })
})

test('a page lies on its side if its long words are higher than wide', () => {
  const vertical = { text: 'lighthouse', confidence: 95, box: { left: 0, top: 0, right: 30, bottom: 200 } }
  expect(isSideways([[[vertical, vertical, word('level', [0, 0])]]])).toBe(true)
  expect(isSideways([[[vertical, word('level', [0, 0]), word('level', [0, 0])]]])).toBe(false)
  expect(isSideways([])).toBe(false)
})
