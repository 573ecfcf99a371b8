import { describe, expect, test } from 'vitest'
import { showText } from '../../support/pdf.ts'
import { readPdfPage } from '../../support/read-pdf.ts'

const columns = [72, 200, 330]

function across(y: number, thickness = 0.5): string {
  return `72 ${y} 360 ${thickness} re f\n`
}

function row(y: number, ...cells: string[]): string {
  return cells.map((cell, at) => (cell === '' ? '' : showText(cell, { x: columns[at] ?? 0, y, size: 10 }))).join('')
}

const caption = showText('Table 1: Rivers of the north', { x: 160, y: 720, size: 10 })
const after = showText('A paragraph that follows the table and is no part of it, of course.', {
  x: 72,
  y: 560,
  size: 10,
})

describe('a table with a caption between two rules of the same length', () => {
  test('has one head, which may have several lines, and rows with one cell', async () => {
    const page = await readPdfPage(
      caption +
        across(706, 2.5) +
        row(694, 'River', 'Length', 'Width at') +
        row(682, '', 'in km', 'the mouth') +
        across(676) +
        row(664, 'To the west') +
        row(652, 'Tyne', '118', '400') +
        row(640, 'To the east') +
        row(628, 'Eden', '145', '900') +
        across(622, 2.5) +
        after,
    )
    expect(page).toContain(
      [
        'Table 1: Rivers of the north',
        '',
        '| River | Length in km | Width at the mouth |',
        '| --- | --- | --- |',
        '| To the west |  |  |',
        '| Tyne | 118 | 400 |',
        '| To the east |  |  |',
        '| Eden | 145 | 900 |',
        '',
        'A paragraph that follows the table',
      ].join('\n'),
    )
  })

  test('may be above its caption, and does not contain the notes below the last rule', async () => {
    const page = await readPdfPage(
      across(706) +
        row(694, 'River', 'Length', 'Width') +
        across(688) +
        row(676, 'Tyne', '118', '400') +
        row(664, 'Eden', '145', '900') +
        across(658) +
        showText('Note. The width is that at the mouth.', { x: 72, y: 646, size: 10 }) +
        showText('The length is that of the survey.', { x: 262, y: 646, size: 10 }) +
        showText('Table 1: Rivers of the north', { x: 160, y: 628, size: 10 }) +
        after,
    )
    expect(page).toContain('| Eden | 145 | 900 |\n\nNote. The width')
  })

  test('ends before text that is further away, even if another rule follows', async () => {
    const page = await readPdfPage(
      caption +
        across(706) +
        row(694, 'River', 'Length', 'Width') +
        across(688) +
        row(676, 'Tyne', '118', '400') +
        row(664, 'Eden', '145', '900') +
        across(658) +
        showText('2 The rivers of the south', { x: 72, y: 622, size: 10, font: 'F2' }) +
        showText('They are shorter.', { x: 72, y: 604, size: 10 }) +
        across(596) +
        after,
    )
    expect(page).toMatch(/\| Eden \| 145 \| 900 \|\n\n.*2 The rivers of the south/)
    expect(page).not.toMatch(/\|.*They are shorter/)
  })

  test('has a row for each pair of rules if rules separate all rows', async () => {
    const page = await readPdfPage(
      caption +
        across(706) +
        row(694, 'River', 'Length', 'Remark') +
        across(688) +
        row(676, 'Tyne of the', '118', 'Flows') +
        row(664, 'North', '', 'east') +
        across(658) +
        row(646, 'Eden', '145', 'Flows') +
        row(634, '', '', 'north') +
        across(628) +
        after,
    )
    expect(page).toContain('| Tyne of the North | 118 | Flows east |\n| Eden | 145 | Flows north |\n\nA paragraph')
  })

  test('keeps the rows of groups that rules separate', async () => {
    const page = await readPdfPage(
      caption +
        across(706) +
        row(694, 'River', 'Length', 'Width') +
        across(688) +
        row(676, 'Tyne', '118', '400') +
        row(664, 'Eden', '145', '900') +
        across(658) +
        row(646, 'Tees', '137', '300') +
        row(634, 'Wear', '96', '200') +
        across(628) +
        after,
    )
    expect(page).toContain(
      '| Tyne | 118 | 400 |\n| Eden | 145 | 900 |\n| Tees | 137 | 300 |\n| Wear | 96 | 200 |\n\nA paragraph',
    )
  })

  test('keeps a head over several columns in a row of its own', async () => {
    const fourth = (text: string, y: number): string => showText(text, { x: 400, y, size: 10 })
    const page = await readPdfPage(
      caption +
        across(706) +
        row(694, 'River', '', 'Measured') +
        row(682, '', 'Length', 'Width') +
        fourth('Depth', 682) +
        across(676) +
        row(664, 'Tyne', '118', '400') +
        fourth('9', 664) +
        row(652, 'Eden', '145', '900') +
        fourth('7', 652) +
        across(646) +
        after,
    )
    expect(page).toContain(
      '| River |  | Measured |  |\n| --- | --- | --- | --- |\n|  | Length | Width | Depth |\n| Tyne | 118 | 400 | 9 |',
    )
  })
})

describe('the text between two rules beside a caption', () => {
  test('is a table even if it has one row', async () => {
    const page = await readPdfPage(caption + across(706) + row(692, 'Tyne', '118') + across(686) + after)
    expect(page).toContain('| Tyne | 118 |\n| --- | --- |\n\nA paragraph')
  })

  test('is no table if it extends beyond the rules', async () => {
    const words = showText('All of the rivers', { x: 40, y: 692, size: 10 }) + row(692, '', 'are cold')
    expect(await readPdfPage(caption + across(706) + words + across(686) + after)).not.toContain('|')
  })
})

describe('lines that overlap', () => {
  test('are one row if one cell has two lines and the others are centred beside it', async () => {
    const page = await readPdfPage(
      caption +
        row(694, 'Code', 'Name', 'Length') +
        row(680, 'A1', 'The river of all', '118') +
        row(668, '', 'The long river that') +
        row(662, 'A2', '', '145') +
        row(656, '', 'flows to the north') +
        row(642, 'A3', 'Wear', '96'),
    )
    expect(page).toContain('| A1 | The river of all | 118 |\n| A2 | The long river that flows to the north | 145 |')
    expect(page).toContain('| A3 | Wear | 96 |')
  })

  test('are separate rows if a cell is centred beside two keys', async () => {
    const page = await readPdfPage(
      caption +
        row(694, 'River', 'Length', 'Flows') +
        row(680, 'Tyne', '118') +
        row(674, '', '', 'east') +
        row(668, 'Tees', '137') +
        row(654, 'Eden', '145', 'north') +
        row(640, 'Ouse') +
        row(634, '', '208', 'south') +
        row(628, 'Nene') +
        row(614, 'Wear', '96', 'east'),
    )
    expect(page).toContain('| Tyne | 118 | east |\n| Tees | 137 |  |\n| Eden | 145 | north |')
    expect(page).toContain('| Ouse | 208 | south |\n| Nene |  |  |\n| Wear | 96 | east |')
  })
})

describe('the cells of a table with a caption', () => {
  const lines = columns.map((x) => `${x - 6} 622 0.5 84 re f\n`).join('')

  test('are what is between two vertical lines, whatever the spaces', async () => {
    const page = await readPdfPage(
      caption +
        [706, 688, 664, 640, 622].map((y) => across(y)).join('') +
        lines +
        row(694, 'River', 'About', 'Length') +
        row(676, 'Tyne', 'Flows', '118') +
        showText('east', { x: 285, y: 676, size: 10 }) +
        row(652, 'Eden, a river of the northwes', '', '145') +
        showText('Flows', { x: 205, y: 652, size: 10, font: 'F2' }) +
        showText('north', { x: 285, y: 652, size: 10 }) +
        row(628, 'Tees', 'Flows east', '137') +
        after,
    )
    expect(page).toContain('| Tyne | Flows east | 118 |\n| Eden, a river of the northwes | Flows north | 145 |')
  })

  test('are separated by a narrow gap where the next column begins', async () => {
    const page = await readPdfPage(
      caption +
        row(694, 'River', 'Length', 'Flows') +
        row(682, 'Tyne', '118', 'east') +
        row(670, 'Eden', '145', 'north') +
        row(658, 'Tees', '137', 'east') +
        showText('Further rivers', { x: 176, y: 646, size: 10 }) +
        showText('The river Little Ouse of all', { x: 72, y: 634, size: 10.6, font: 'F2' }) +
        row(634, '', '60', 'west'),
    )
    expect(page).toContain('| The river Little Ouse of all | 60 | west |')
  })
})

describe('a table', () => {
  const prose = (x: number, from: number): string =>
    Array.from({ length: 12 }, (_, at) =>
      showText('the water of the rivers runs to the north sea', { x, y: from - at * 12, size: 10 }),
    ).join('')

  test('over both columns of a page is whole, although its caption is in one', async () => {
    const rule = (y: number): string => `60 ${y} 490 0.5 re f\n`
    const line = (y: number, ...cells: string[]): string =>
      cells.map((cell, at) => showText(cell, { x: [64, 210, 400][at] ?? 0, y, size: 10 })).join('')
    const names = ['Tyne', 'Tees', 'Wear', 'Aire', 'Don', 'Ouse', 'Trent']
    const page = await readPdfPage(
      showText('Table 1: Rivers', { x: 60, y: 720, size: 10 }) +
        rule(706) +
        line(694, 'River', 'Where it flows', 'Note') +
        rule(688) +
        names.map((name, at) => line(676 - at * 12, name, 'To the sea')).join('') +
        line(592, 'Eden', 'Between two ranges of hills, north', 'Not measured') +
        rule(586) +
        prose(60, 550) +
        prose(320, 550),
    )
    expect(page).toContain('| River | Where it flows | Note |')
    expect(page).toContain('| Trent | To the sea |  |\n| Eden | Between two ranges of hills, north | Not measured |')
  })

  test('with one row belongs to the caption below it, and not to the table that follows', async () => {
    const page = await readPdfPage(
      across(706) +
        row(694, 'Tyne', '118', 'east') +
        across(688) +
        showText('Table 1: A river', { x: 160, y: 672, size: 10 }) +
        row(630, 'Eden', '145', 'north') +
        row(618, 'Tees', '137', 'east') +
        row(606, 'Wear', '96', 'east') +
        showText('Table 2: Further rivers', { x: 160, y: 586, size: 10 }) +
        after,
    )
    expect(page).toContain('| Tyne | 118 | east |')
    expect(page).toMatch(/Table 1: A river\n\n\| Eden \| 145 \| north \|/)
  })

  test('keeps the parts of a symbol that are one above the other in one row', async () => {
    const symbols = (y: number, above: string, below: string): string =>
      showText(above, { x: 205, y, size: 10 }) + showText(below, { x: 205, y: y - 5, size: 10 })
    const page = await readPdfPage(
      caption +
        across(706) +
        row(694, 'Name', 'Sign', 'Meaning') +
        across(688) +
        row(676, 'le', '', 'less or equal') +
        symbols(678, '<', '=') +
        row(662, 'ge', '', 'greater or equal') +
        symbols(664, '>', '=') +
        across(652) +
        after,
    )
    expect(page).toContain('| le | < = | less or equal |\n| ge | > = | greater or equal |')
  })

  test('continues a list that ends with a comma on the next line of its cell', async () => {
    const page = await readPdfPage(
      caption +
        across(706) +
        row(694, 'Rivers', 'Flow') +
        across(688) +
        row(676, 'Tyne, Tees,', 'east') +
        row(664, 'Wear') +
        row(652, 'Eden', 'north') +
        across(646) +
        after,
    )
    expect(page).toContain('| Tyne, Tees, Wear | east |\n| Eden | north |')
  })
})
