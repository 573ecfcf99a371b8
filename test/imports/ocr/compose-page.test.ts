import { describe, expect, test } from 'vitest'
import { composePage } from '../../../src/imports/ocr/compose-page.ts'
import { parseOrientation, parseWords } from '../../../src/imports/ocr/parse-words.ts'

const header = 'level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext'

/** Makes a table in Tesseract's format from paragraphs of lines of words, each `text` or `text/confidence`. */
function table(paragraphs: readonly (readonly string[])[]): string {
  const rows = paragraphs.flatMap((lines, paragraph) => [
    `3\t1\t1\t${paragraph}\t0\t0\t0\t0\t100\t20\t-1\t`,
    ...lines.flatMap((line, at) =>
      line.split(' ').map((word, place) => {
        const [text, confidence = '96.5'] = word.split('/')
        return `5\t1\t1\t${paragraph}\t${at + 1}\t${place + 1}\t0\t0\t10\t20\t${confidence}\t${text}`
      }),
    ),
  ])
  return [header, ...rows, ''].join('\n')
}

const textOf = (paragraphs: readonly (readonly string[])[]) => composePage(parseWords(table(paragraphs)))

describe('the text of a recognised page', () => {
  test('has a paragraph for each paragraph, and its lines are one', () => {
    expect(textOf([['The first', 'paragraph.'], ['The second.']]).content).toBe('The first paragraph.\n\nThe second.')
  })

  test('joins words that are broken at line ends, and keeps real hyphens', () => {
    expect(textOf([['It is a para-', 'graph of a well-', 'known book.']]).content).toBe(
      'It is a paragraph of a well-known book.',
    )
  })

  test.for([
    ['# not a heading', '\\# not a heading'],
    ['- not a list', '\\- not a list'],
    ['1. not a list', '1\\. not a list'],
    ['a *star* and <script>', 'a \\*star\\* and \\<script>'],
  ])('is plain text instead of Markdown: %s', ([line, content]) => {
    expect(textOf([[line ?? '']]).content).toBe(content)
  })

  test('leaves out lines without a confident word, which are dust', () => {
    expect(textOf([['Good words'], ['~ ./12 |/96'], ['ae/8 oo/12'], ['More words']]).content).toBe(
      'Good words\n\nMore words',
    )
  })

  test('keeps long uncertain words, and uncertain lines with many letters', () => {
    expect(textOf([['sure ha/12 lighthouse/12 end'], ['\\expandafter\\relax%/20']]).content).toBe(
      'sure lighthouse end\n\n\\expandafter\\relax%',
    )
  })

  test('joins Chinese without spaces', () => {
    expect(textOf([['第一 行', '第二 行']]).content).toBe('第一行第二行')
  })

  test('has the mean confidence of its letters', () => {
    expect(textOf([['abcdefgh/90 ij/40']]).confidence).toBe(80)
    expect(textOf([])).toEqual({ content: '', confidence: 0, words: 0, evidence: 0 })
  })

  test.for([
    ['nothing', ''],
    ['no table', 'Tesseract crashed'],
    ['a word without a text', '5\t1\t1\t1\t1\t1\t0\t0\t10\t20\t96'],
    ['a word with an invalid confidence', '5\t1\t1\t1\t1\t1\t0\t0\t10\t20\t1e9\tword'],
  ])('is empty if the program returns %s', ([, output]) => {
    expect(parseWords(output ?? '')).toEqual([])
  })
})

test("the orientation of a page is parsed from Tesseract's output, and from nothing else", () => {
  const said =
    'Page number: 0\nOrientation in degrees: 90\nRotate: 270\nOrientation confidence: 15.12\nScript: Cyrillic\nScript confidence: 1.83\n'
  expect(parseOrientation(said)).toEqual({ turn: 270, confidence: 15.12, script: 'Cyrillic' })
  expect(parseOrientation(said.replace('270', '45'))).toBeNull()
  expect(parseOrientation('Too few characters. Skipping this page')).toBeNull()
})
