import { expect, test } from 'vitest'
import { isChapterLabel } from '../../../src/imports/formats/pdf/headings/chapter-labels.ts'
import { paragraph, showLines, showText } from '../../support/pdf.ts'
import { headingsOf, readPdf } from '../../support/read-pdf.ts'

interface Style {
  size?: number
  font?: 'F1' | 'F2' | 'F3'
  x?: number
}

/** A page on which each title is above a paragraph. */
function sections(titles: readonly string[], { size = 10, font = 'F1', x = 72 }: Style = {}): string {
  return titles
    .map((title, index) => {
      const y = 720 - index * 90
      return showText(title, { x, y, size, font }) + showLines(paragraph, { x: 72, y: y - 24 })
    })
    .join('')
}

const readHeadings = async (content: string) => headingsOf((await readPdf({ pages: [{ content }] }))[0])

test('numbered titles that are hardly larger than the text are headings of the level of their number', async () => {
  const titles = ['1.1 Springs', '1.2 Brooks', '1.2.1 Stones', '2.1 Rivers']
  expect(await readHeadings(sections(titles, { size: 11 }))).toEqual([
    '## 1.1 Springs',
    '## 1.2 Brooks',
    '### 1.2.1 Stones',
    '## 2.1 Rivers',
  ])
})

test('numbered titles in the size of the text are headings if they stand alone and continue the numbers', async () => {
  expect(await readHeadings(sections(['1.1 Springs', '1.2 Brooks', 'A.1 Meadows']))).toEqual([
    '## 1.1 Springs',
    '## 1.2 Brooks',
    '## A.1 Meadows',
  ])
  expect(await readHeadings(sections(['1.1 Springs', '7.4 metres at the weir', '1.2 Brooks']))).toEqual([
    '## 1.1 Springs',
    '## 1.2 Brooks',
  ])
})

test('a title with one number in the size of the text is a heading only if it is centred', async () => {
  expect(await readHeadings(sections(['1. Springs', '2. Brooks']))).toEqual([])
  expect(await readHeadings(sections(['1. Springs', '2. Brooks'], { x: 190 }))).toEqual(['# 1. Springs', '# 2. Brooks'])
})

test('numbered clauses of several lines are not headings', async () => {
  const clause = (number: string, y: number) => showLines([`${number} The brook`, ...paragraph], { x: 72, y })
  expect(await readHeadings(clause('1.1', 720) + clause('1.2', 640) + clause('1.3', 560))).toEqual([])
})

test('a numbered title in a typewriter font is a heading', async () => {
  const titles = ['1.1 spring_of(brook)', '1.2 flow_of(brook)']
  expect(await readHeadings(sections(titles, { size: 13, font: 'F3' }))).toEqual([
    '## 1.1 spring_of(brook)',
    '## 1.2 flow_of(brook)',
  ])
})

test('a numbered title may end with a full stop if it is larger than the text or bold', async () => {
  expect(await readHeadings(sections(['1.1 Springs.', '1.2 Brooks.'], { font: 'F2' }))).toEqual([
    '## 1.1 Springs.',
    '## 1.2 Brooks.',
  ])
})

test.for(['Chapter 1', 'APPENDIX B', 'Capitolo 2', '1', 'III'])(
  'the label "%s" and the title below it are one heading',
  async (label) => {
    const content =
      showText(label, { x: 72, y: 720, size: 16, font: 'F2' }) +
      showText('Springs', { x: 72, y: 680, size: 22, font: 'F2' }) +
      showLines(paragraph, { x: 72, y: 640 })
    expect(await readHeadings(content)).toEqual([`# ${label} Springs`])
  },
)

test('labels are recognised in many languages, without other words', () => {
  expect(
    ['Глава 1', '第 1 章', '제2부', 'PARTE III', 'CHAPTER', 'ONE', 'Kapitel 12'].filter(
      (text) => !isChapterLabel(text),
    ),
  ).toEqual([])
  expect(['Chapter 1 Springs', 'Window 1', '1 Springs', 'Mild'].filter(isChapterLabel)).toEqual([])
})

test('the title of a chapter is a heading even if none of the sampled pages has one', async () => {
  const text = { content: showLines(paragraph, { x: 72, y: 700 }) }
  const chapter = showText('Springs', { x: 72, y: 720, size: 20 }) + showLines(paragraph, { x: 72, y: 640 })
  const pages = Array.from({ length: 40 }, (_, index) => (index === 9 ? { content: chapter } : text))
  expect((await readPdf({ pages })).flatMap(headingsOf)).toEqual(['# Springs'])
})

test('bold labels that repeat are not headings', async () => {
  const titles = ['Springs', 'Returns', 'Returns', 'Brooks', 'Returns', 'Rivers', 'Lakes']
  expect(await readHeadings(sections(titles, { font: 'F2' }))).toEqual(['# Springs', '# Brooks', '# Rivers', '# Lakes'])
})

test('a page number in Roman numerals is not a heading', async () => {
  const pages = ['ii', 'iii', 'iv'].map((number) => ({
    content: sections(['Springs', 'Brooks'], { size: 14 }) + showText(number, { x: 300, y: 200, size: 14 }),
  }))
  expect((await readPdf({ pages })).flatMap(headingsOf).filter((line) => !/Springs|Brooks/.test(line))).toEqual([])
})

test('paragraphs that are larger than most of the text are not headings', async () => {
  const notes = showLines(
    Array.from(
      { length: 30 },
      (_, index) => `Note ${index} is longer than all of the other lines are on this page here`,
    ),
    { x: 72, y: 400, size: 8 },
  )
  const prose = (y: number) =>
    showLines(['The brook flows', 'from its spring', 'to the river', 'and the lake'], { x: 72, y, size: 12 })
  expect(await readHeadings(prose(740) + prose(660) + prose(580) + notes)).toEqual([])
})

test('a numbered title on the first page is a heading if only the section below it has text', async () => {
  const title = showText('1 Springs', { x: 72, y: 745, size: 14 })
  const content = showText('Rivers', { x: 72, y: 775, size: 20 }) + title + sections(['1.1 Stones'], { size: 12 })
  expect(await readHeadings(content)).toEqual(['# Rivers', '## 1 Springs', '### 1.1 Stones'])
})

test('of the lines of a title page, the title is a heading, and authors and a date are not', async () => {
  const line = (text: string, y: number, size: number) => showText(text, { x: 150, y, size })
  const title = line('The Rivers of Europe', 700, 24) + line('Ada Marsh', 640, 14) + line('12 March 2022', 600, 14)
  const later = sections(['Springs', 'Brooks'], { size: 14 }) + showText('1.1 Stones', { x: 72, y: 440, size: 11 })
  const pages = [{ content: title }, { content: later + showLines(paragraph, { x: 72, y: 410 }) }]
  const [first, second] = await readPdf({ pages })
  expect(headingsOf(first)).toEqual(['# The Rivers of Europe'])
  expect(first).toContain('Ada Marsh')
  expect(headingsOf(second)).toEqual(['## Springs', '## Brooks', '### 1.1 Stones'])
})
