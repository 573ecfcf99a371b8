import { describe, expect, test } from 'vitest'
import { showText } from '../../support/pdf.ts'
import { readPdfPage } from '../../support/read-pdf.ts'

const columns = [72, 220, 250, 280, 310]
const heads = ['January rain', 'Sun', 'March snow', 'Wind']

/** A heading that is read from bottom to top (`up`) or from top to bottom. */
function rotated(text: string, { x, y, up = true }: { x: number; y: number; up?: boolean }): string {
  const matrix = up ? `0 1 -1 0 ${x + 7} ${y}` : `0 -1 1 0 ${x} ${y}`
  return `BT /F1 10 Tf ${matrix} Tm (${text}) Tj ET\n`
}

function row(y: number, ...cells: string[]): string {
  return cells.map((cell, at) => showText(cell, { x: columns[at] ?? 0, y, size: 10 })).join('')
}

function across(y: number): string {
  return `72 ${y} 260 0.5 re f\n`
}

const caption = showText('Table 1: Weather of the north', { x: 160, y: 720, size: 10 })
const rows =
  row(620, 'Durham', '31', '42', '53', '64') +
  row(608, 'Carlisle', '35', '46', '57', '68') +
  row(596, 'Berwick', '39', '40', '51', '62')
const after = showText('A paragraph that follows the table and is no part of it, of course.', {
  x: 72,
  y: 540,
  size: 10,
})
const table = [
  '| Town | January rain | Sun | March snow | Wind |',
  '| --- | --- | --- | --- | --- |',
  '| Durham | 31 | 42 | 53 | 64 |',
  '| Carlisle | 35 | 46 | 57 | 68 |',
  '| Berwick | 39 | 40 | 51 | 62 |',
  '',
  'A paragraph that follows',
].join('\n')

describe('rotated headings of columns', () => {
  test('are the head of a table between rules, with the upright headings of their row', async () => {
    const page = await readPdfPage(
      caption +
        across(706) +
        row(636, 'Town') +
        heads.map((text, at) => rotated(text, { x: columns[at + 1] ?? 0, y: 636 })).join('') +
        across(630) +
        rows +
        across(590) +
        after,
    )
    expect(page).toContain(table)
  })

  test('may be read downwards, in a table without rules', async () => {
    const page = await readPdfPage(
      caption +
        row(700, 'Town') +
        heads.map((text, at) => rotated(text, { x: columns[at + 1] ?? 0, y: 708, up: false })).join('') +
        rows +
        after,
    )
    expect(page).toContain(table)
  })

  test('may have two lines', async () => {
    const page = await readPdfPage(
      caption +
        across(706) +
        row(636, 'Town') +
        heads.map((text, at) => rotated(text, { x: (columns[at + 1] ?? 0) - 4, y: 636 })).join('') +
        heads.map((_, at) => rotated('(mean)', { x: (columns[at + 1] ?? 0) + 7, y: 636 })).join('') +
        across(630) +
        rows +
        across(590) +
        after,
    )
    expect(page).toContain('| Town | January rain (mean) | Sun (mean) | March snow (mean) | Wind (mean) |')
    expect(page).toContain('| Durham | 31 | 42 | 53 | 64 |')
  })

  test('are not the labels of figures, which have no cells below them', async () => {
    const axes = [100, 260].map((x) => rotated('Height above the sea', { x, y: 620 })).join('')
    const page = await readPdfPage(axes + showText('Figure 1: Two profiles', { x: 160, y: 590, size: 10 }) + after)
    expect(page).toMatch(/Figure 1: Two profiles[^]*Height above the sea\n\nHeight above the sea$/)
  })
})

describe('a table whose columns are printed in parts below one caption', () => {
  const part = (y: number, width: number, lines: readonly string[][]): string =>
    `72 ${y} ${width} 0.5 re f\n` +
    lines.map((cells, at) => row(y - 14 - at * 12, ...cells)).join('') +
    `72 ${y - 18} ${width} 0.5 re f\n72 ${y - 18 - (lines.length - 1) * 12} ${width} 0.5 re f\n`
  const first = [
    ['Town', 'Rain', 'Sun'],
    ['Durham', '31', '42'],
    ['Berwick', '39', '40'],
  ]
  const second = [
    ['Snow', 'Wind'],
    ['53', '64'],
    ['51', '62'],
  ]

  test('is read part by part', async () => {
    const page = await readPdfPage(caption + part(706, 260, first) + part(630, 200, second) + after)
    expect(page).toContain(
      [
        '| Town | Rain | Sun |',
        '| --- | --- | --- |',
        '| Durham | 31 | 42 |',
        '| Berwick | 39 | 40 |',
        '',
        '| Snow | Wind |',
        '| --- | --- |',
        '| 53 | 64 |',
        '| 51 | 62 |',
        '',
        'A paragraph that follows',
      ].join('\n'),
    )
  })
})
