import { describe, expect, test } from 'vitest'
import { showLines, showText } from '../../support/pdf.ts'
import { readPdfPage } from '../../support/read-pdf.ts'

/** A cell at its left edge, in the size of the text. */
type Cell = [text: string, x: number]

function rows(all: readonly (readonly Cell[])[], y: number, size = 10): string {
  return all
    .map((row, index) => row.map(([text, x]) => showText(text, { x, y: y - index * 14, size })).join(''))
    .join('')
}

const prose = [
  'The log of the harbour master has a line for each ship that came in, with its',
  'length, its cargo and its home port, and all of them were counted at the end of',
  'the year by two people who did not know of each other, so that no ship was left',
  'out of it; what they found is below, in the order in which they had counted it.',
]
const text = showLines(prose, { x: 72, y: 740 })

function table(...lines: string[][]): string {
  const [head = [], ...others] = lines.map((cells) => `| ${cells.join(' | ')} |`)
  return [head, `|${' --- |'.repeat(lines[0]?.length ?? 0)}`, ...others].join('\n')
}

describe('cells that are close to each other', () => {
  test('at the same left edges, below a head as close to them', async () => {
    const people: Cell[][] = [
      [
        ['Name', 72],
        ['Role', 124],
        ['Since', 202],
      ],
      [
        ['Ada Holm', 72],
        ['Harbour master', 124],
        ['2011', 202],
      ],
      [
        ['Ben Ray', 72],
        ['Pilot', 124],
        ['2015', 202],
      ],
      [
        ['Cy Dunn', 72],
        ['Crane operator', 124],
        ['2020', 202],
      ],
    ]
    expect(await readPdfPage(text + rows(people, 660))).toContain(
      table(...people.map((row) => row.map(([cell]) => cell))),
    )
  })

  // In Helvetica with 10 points, a digit is 5.56 points wide and a comma 2.78.
  test('at the same right edges, as numbers, with text close to them', async () => {
    const traffic: Cell[][] = [
      [
        ['Month', 72],
        ['Ships', 131.7],
        ['Tons', 176.1],
        ['Remarks', 210],
      ],
      [
        ['January', 72],
        ['112', 139.42],
        ['14,200', 169.42],
        ['Ice in the basin', 210],
      ],
      [
        ['September', 72],
        ['98', 144.98],
        ['12,950', 169.42],
        ['Storm', 210],
      ],
      [
        ['March', 72],
        ['131', 139.42],
        ['16,040', 169.42],
        ['New crane', 210],
      ],
    ]
    expect(await readPdfPage(text + rows(traffic, 660))).toContain(
      table(...traffic.map((row) => row.map(([cell]) => cell))),
    )
  })

  test('in rows with a cell of several lines', async () => {
    const bill: Cell[][] = [
      [
        ['Pos.', 72],
        ['Description', 102],
        ['Qty', 250],
      ],
      [
        ['1', 72],
        ['Repair of the crane with all', 102],
        ['3', 250],
      ],
      [['parts that were needed', 102]],
      [
        ['2', 72],
        ['Paint', 102],
        ['40', 250],
      ],
    ]
    expect(await readPdfPage(text + rows(bill, 660))).toContain(
      table(
        ['Pos.', 'Description', 'Qty'],
        ['1', 'Repair of the crane with all parts that were needed', '3'],
        ['2', 'Paint', '40'],
      ),
    )
  })

  test('in rows that are larger than the text, which are no headings', async () => {
    const people: Cell[][] = ['Ada Holm', 'Ben Ray', 'Cy Dunn', 'Di Lund'].map((name, index) => [
      [name, 72],
      ['Pilot', 136],
      [`201${index}`, 174],
    ])
    const page = await readPdfPage(text + rows(people, 660, 12))
    expect(page).not.toContain('#')
    expect(page).toContain('| Cy Dunn | Pilot | 2012 |')
  })

  test('words of stretched lines are no cells', async () => {
    const stretched: Cell[][] = [
      [
        ['the river rises', 72],
        ['in the hills', 148],
        ['above the', 210],
      ],
      [
        ['town and goes', 72],
        ['through valleys', 143],
        ['that widen', 221],
      ],
      [
        ['until it comes', 72],
        ['to the flat land', 140],
        ['at the sea', 217],
      ],
    ]
    expect(await readPdfPage(text + rows(stretched, 660))).not.toContain('|')
  })
})
