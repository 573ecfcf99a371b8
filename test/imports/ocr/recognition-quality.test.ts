import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRecogniser, type Recogniser } from '../../../src/imports/ocr/recogniser.ts'
import { showText, writePdf } from '../../support/pdf.ts'
import { damages, otherDamages, scanPdf, type Damage } from '../../support/scans.ts'
import { describeWith, tesseractNeed } from '../../support/system-needs.ts'

const contents = [
  ['1', 'The keeper of the lighthouse', '3'],
  ['2', 'Notebooks and weather', '17'],
  ['3', 'The lamp is carried up the stairs', '28'],
  ['4', 'Wedding on the island', '41'],
] as const
const prose = [
  'The keeper of the lighthouse wrote down the weather every morning before',
  'the first ship passed. In forty years he missed two days: the day of his',
  'wedding, and the day on which the lamp was carried up the winding stairs.',
  'His notebooks are kept in the town museum, where visitors may read them on',
  'request. The harbour was built of granite blocks, each as heavy as a cart',
  'with two horses. Fishermen sold herring on the quay before sunrise, and the',
  'women of the village repaired the nets in long wooden sheds beside the road.',
  'Every spring the storms took some of the roofs, and every summer the people',
  'of the island put them back. Nobody remembered a year without a new roof.',
]

/**
 * A page with the usual parts of a book: a table of contents with dotted lines, text with numbered lines, and a page
 * number.
 */
function bookPage(): Uint8Array {
  const headings = contents.map(([number, title, page], at) => {
    const y = 350 - at * 16
    const dots = showText(' .'.repeat(Math.round((420 - title.length * 4.6) / 6)), { x: 110 + title.length * 4.9, y })
    return showText(number, { x: 90, y }) + showText(title, { x: 106, y }) + dots + showText(page, { x: 520, y })
  })
  const lines = prose.map((line, at) => {
    const y = 260 - at * 14
    return showText(String(at + 101), { x: 72, y, size: 6 }) + showText(line, { x: 106, y, size: 10, font: 'F1' })
  })
  const head = showText('Page 212', { x: 290, y: 380, size: 9 })
  const foot = showText('9', { x: 300, y: 60, size: 10, font: 'F1' })
  return writePdf({ pages: [{ content: [head, ...headings, ...lines, foot].join('\n'), height: 420 }] })
}

const numbered = prose.flatMap((line, at) => [String(at + 101), line])
const expected = ['Page 212', ...contents.flat(), ...numbered, '9'].join(' ')

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** Returns the words that `others` contains more often than `words`. */
function missing(words: readonly string[], others: readonly string[]): string[] {
  const left = [...words]
  return others.filter((word) => {
    const at = left.indexOf(word)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

/** Recognition runs at the lowest priority, which is slow on a busy machine; ms. */
const timeout = 240_000

describeWith(tesseractNeed)('a typical book page', { timeout }, () => {
  let recogniser: Recogniser
  beforeAll(async () => {
    const opened = await openRecogniser({ program: 'tesseract' })
    if (typeof opened === 'string') throw new Error(opened)
    recogniser = opened
  })
  afterAll(() => recogniser.close())

  const read = (bytes: Uint8Array, name: string) => {
    const file = {
      name,
      bytes: bytes.length,
      async *read() {
        yield bytes
      },
    }
    return recogniser.read({ file, accountId: 'reader', page: 1, language: null, named: 'en' })
  }

  test.for([...damages, ...otherDamages])('is read when it is %s', async (damage: Damage) => {
    const scan = await scanPdf(bookPage(), [{ page: 1, damage, seed: 2, isTrueSize: true }])
    const { content, confidence } = await read(scan, damage)
    const words = { read: wordsOf(content), expected: wordsOf(expected) }
    // The page has 170 words.
    const lost = missing(words.read, words.expected)
    const wrong = missing(words.expected, words.read)
    expect(lost.length, `lost: ${lost.join(' ')}`).toBeLessThanOrEqual(10)
    expect(wrong.length, `wrong: ${wrong.join(' ')}`).toBeLessThanOrEqual(4)
    expect(content).toContain('105')
    // In strong grain, the first pass takes the page number for letters.
    if (damage !== 'noisy') expect(content).toMatch(/(?:^|\n)9$/)
    expect(confidence).toBeGreaterThan(80)
  })

  test.for([
    ['blank', '1 g 0 0 612 792 re f'],
    ['all black', '0 g 0 0 612 792 re f'],
    ['full of lines', Array.from({ length: 200 }, (_, at) => `0 ${at * 4} m 612 ${at * 4 + 3} l S`).join('\n')],
  ] as const)('is empty when it is %s', async ([name, content]) => {
    const { words } = await read(writePdf({ pages: [{ content }] }), name)
    expect(words).toBeLessThan(3)
  })

  test.for([
    ['high and narrow', [10, 14000]],
    ['low and wide', [14000, 10]],
    ['smaller than a letter', [1, 1]],
  ] as const)('may be %s', async ([name, [width, height]]) => {
    const page = { content: '0 g 0 0 5 5 re f', width, height }
    expect((await read(writePdf({ pages: [page] }), name)).words).toBeLessThan(3)
  })
})
