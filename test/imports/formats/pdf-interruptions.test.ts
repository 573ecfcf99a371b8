import { describe, expect, test } from 'vitest'
import { showLines, showText } from '../../support/pdf.ts'
import { readPdfPage } from '../../support/read-pdf.ts'

const lines = [
  'The first of the lines of a paragraph that has a note beside it goes',
  'on in the second line, and in a third one, which is as long as those',
  'above it, and ends in the fourth.',
]
const others = [
  'Another paragraph follows it on the same page, with lines as long as',
  'those of the first one, so that the column has an edge on both sides,',
  'as columns of books do, and ends.',
]
const paragraphs = showLines(lines, { x: 72, y: 700 }) + showLines(others, { x: 72, y: 650 })

describe('a sentence is not interrupted', () => {
  test('by a note to the right of the first line of its paragraph', async () => {
    const page = await readPdfPage(paragraphs + showText('springs', { x: 430, y: 700 }))
    expect(page).toContain(lines.join(' '))
    expect(page.indexOf('springs')).toBeLessThan(page.indexOf('The first'))
  })

  test('by words whose baseline is between those of its lines', async () => {
    const short = ['A seal of the river', 'Signed at the lake']
    const text = ['The lines of this letter are few and short,', 'so that nothing else tells of a column here.']
    const page = await readPdfPage(
      showLines(text, { x: 72, y: 700 }) +
        showText(short[0] ?? '', { x: 440, y: 705, size: 8 }) +
        showText(short[1] ?? '', { x: 400, y: 694, size: 8 }),
    )
    expect(page).toContain(text.join(' '))
    for (const one of short) expect(page).toContain(one)
  })

  test('by a framed page number and words between its lines inside a larger frame', async () => {
    const box = (x: number, y: number, width: number, height: number): string =>
      `${x} ${y} m ${x + width} ${y} l S ${x} ${y + height} m ${x + width} ${y + height} l S ` +
      `${x} ${y} m ${x} ${y + height} l S ${x + width} ${y} m ${x + width} ${y + height} l S\n`
    const text = ['All rights reserved. Reports on springs that are dry', 'and on lakes are welcome at the desk.']
    const page = await readPdfPage(
      box(20, 40, 570, 50) +
        showLines(text, { x: 30, y: 70 }) +
        box(336, 58, 20, 14) +
        showText('7', { x: 342, y: 62 }) +
        showText('Date: November', { x: 440, y: 65 }) +
        showText('Contact: the desk', { x: 440, y: 55 }),
    )
    expect(page).toContain(text.join(' '))
  })

  test('by a line number or page number there', async () => {
    const text = ['The springs of the river rise in the hills,', 'in the north of the country, where nobody lives.']
    const page = await readPdfPage(showLines(text, { x: 72, y: 700 }) + showText('7', { x: 440, y: 694, size: 8 }))
    expect(page).toMatch(/hills,\s+7\s+in the north/)
  })
})

describe('captions side by side', () => {
  const width = (text: string): number => text.length * 4.6
  const centred = (text: string, at: { x: number; y: number }): string =>
    showText(text, { x: at.x - width(text) / 2, y: at.y })

  test('are read one after the other if their lines are centred', async () => {
    const page = await readPdfPage(
      centred('Figure 1. Springs', { x: 160, y: 600 }) +
        centred('Figure 2. The Lake of the North and', { x: 420, y: 602 }) +
        centred('Hills in its South', { x: 420, y: 590 }) +
        centred('Figure 2. Der See', { x: 420, y: 578 }) +
        centred('Figure 1. Quellen', { x: 160, y: 588 }),
    )
    expect(page.replaceAll(/\s+/g, ' ')).toBe(
      'Figure 1. Springs Figure 1. Quellen Figure 2. The Lake of the North and Hills in its South Figure 2. Der See',
    )
  })

  test('of one line each stay on one line', async () => {
    const page = await readPdfPage(
      showText('(a) Springs', { x: 72, y: 600 }) + showText('(b) Lakes', { x: 300, y: 600 }),
    )
    expect(page).toMatch(/^\(a\) Springs +\(b\) Lakes$/)
  })
})

test('entries of several lines side by side are read one after the other, even with hanging indents', async () => {
  const entry = (x: number, [first = '', ...rest]: string[], y: number): string =>
    showText(first, { x, y }) + showLines(rest, { x: x + 14, y: y - 12 })
  const left = ['[1] A work of somebody on springs and', 'their waters in the hills of the north']
  const right = ['[2] A work of somebody else on lakes', 'without other water than that of springs']
  const page = await readPdfPage(entry(72, left, 700) + entry(320, right, 700))
  expect(page).toContain(left.join(' '))
  expect(page).toContain(right.join(' '))
})
