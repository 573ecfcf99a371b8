import { describe, expect, test } from 'vitest'
import { showLines, showText } from '../../support/pdf.ts'
import { readPdfPage } from '../../support/read-pdf.ts'

const prose = [
  'The springs of the river that is named on the map rise in the',
  'hills in the north, where nobody lives but those who keep their',
  'sheep there, and go on through the meadows below the village to',
  'a lake which has no other water than that of the springs and is',
  'as deep as the church of the village is high, as people say who',
  'have lived there for long and ought to know what they speak of.',
]

/** Full-width text below the columns, so that the page has no gutter from top to bottom. */
const wide = Array.from(
  { length: 6 },
  (_, index) =>
    `Line ${index + 1} goes from one edge of the page to the other and over all the columns that are above it.`,
)
const below = showLines(wide, { x: 72, y: 560 })

function lettersAt(step: number): string {
  const lines = [
    'Institute of Rivers',
    'Department of Springs',
    'Dr. Rhine',
    'Water Street 5',
    '64289 Lake',
    'Tel. 49 6151 16',
  ]
  const more = ['Fax 49 6151 17', 'rhine at rivers', 'Date', '11 December', 'Our sign', 'Demo']
  return [...lines, ...more].map((line, index) => showText(line, { x: 440, y: 716 - index * step, size: 8 })).join('')
}

describe('columns whose lines do not share baselines', () => {
  test('an address beside a letter does not interrupt it', async () => {
    const letter = [...prose.slice(0, 5), ...prose.slice(1)]
    const page = await readPdfPage(showLines(letter, { x: 72, y: 720 }) + lettersAt(10.3) + below)
    expect(page).toContain(letter.join(' '))
    expect(page.indexOf('Institute of Rivers')).toBeGreaterThan(page.indexOf('ought to know'))
    expect(page.indexOf('Demo')).toBeLessThan(page.indexOf('Line 1 goes'))
  })

  test('the labels of a drawing do not interrupt the text beside it', async () => {
    const labels = [
      ['A', 90, 716],
      ['B', 230, 709],
      ['C', 160, 697],
      ['D', 130, 691],
      ['E', 210, 679],
      ['F', 105, 666],
    ] as const
    const drawing = labels.map(([text, x, y]) => showText(text, { x, y })).join('')
    const page = await readPdfPage(showLines(prose, { x: 270, y: 720 }) + drawing + below)
    expect(page).toContain(prose.join(' '))
  })

  test('two captions side by side are read one after the other', async () => {
    const left = ['Figure 1. The springs', 'of the river on a map']
    const right = ['Figure 2. The lake below the village', 'which has no other water than that of', 'the springs.']
    const page = await readPdfPage(
      showLines(left, { x: 90, y: 714 }) + showLines(right, { x: 320, y: 720 }) + showLines(wide, { x: 72, y: 640 }),
    )
    expect(page).toContain(left.join(' '))
    expect(page).toContain(right.join(' '))
  })

  test('terms that are vertically centred beside their explanations stay in their rows', async () => {
    const rows = [0, 1, 2, 3].map((row) => {
      const y = 720 - row * 34
      return showText(`Term ${row + 1}`, { x: 72, y: y - 6 }) + showLines(prose.slice(0, 2), { x: 270, y })
    })
    const page = await readPdfPage(rows.join('') + below)
    expect(page.indexOf('Term 2')).toBeGreaterThan(page.indexOf('The springs'))
  })

  test('command names on the left stay beside their descriptions', async () => {
    const names = [0, 1, 2, 3, 4].map((row) => showText(`\\name${row}`, { x: 72, y: 714 - row * 12, font: 'F3' }))
    const page = await readPdfPage(showLines(prose, { x: 270, y: 720 }) + names.join('') + below)
    expect(page.indexOf('\\name4')).toBeLessThan(page.indexOf('ought to know'))
  })

  test('formula numbers stay beside their formulas', async () => {
    const formulas = [
      ['x + 1 = y', 672],
      ['x + 2 = z', 636],
      ['x + 3 = w', 600],
    ] as const
    const shown = formulas.map(
      ([text, y], index) => showText(text, { x: 200, y }) + showText(`(${index + 1})`, { x: 480, y: y - 2 }),
    )
    const between = showText('and then', { x: 72, y: 654 }) + showText('where it goes', { x: 72, y: 618 })
    const page = await readPdfPage(showLines(prose.slice(0, 3), { x: 72, y: 720 }) + shown.join('') + between + below)
    expect(page.indexOf('(1)')).toBeLessThan(page.indexOf('x + 2'))
  })
})

test('a sentence continues in the next column, but a new sentence starts a new paragraph', async () => {
  const column = Array.from({ length: 12 }, (_, index) => `word ${index} of a line that fills its column well`)
  const page = (end: string, start: string): Promise<string> =>
    readPdfPage(showLines([...column, end], { x: 60, y: 740 }) + showLines([start, ...column], { x: 335, y: 740 }))
  expect(await page('and here its author has put the imple-', 'mentation of all of the rivers in the country')).toMatch(
    /put the implementation of all of/,
  )
  expect(
    await page('and here its author has ended the text.', 'The rivers of all of the lands in the country'),
  ).toMatch(/ended the text\.\n\nThe rivers/)
})

test('the right of two columns begins with all of its close lines above the left one', async () => {
  const left = ['A caption of the first one', 'First figure of the springs of the river']
  const right = [
    'Another caption, of the',
    'lake',
    'Second figure of the lake below the',
    'village and all of its',
    'hills.',
  ]
  const page = await readPdfPage(
    showLines(left, { x: 72, y: 699 }) + showLines(right, { x: 320, y: 720 }) + showLines(wide, { x: 72, y: 620 }),
  )
  expect(page.indexOf('Another caption')).toBeGreaterThan(page.indexOf('First figure'))
})

test('a sentence continues in the next column over the notes below it', async () => {
  const column = Array.from({ length: 12 }, (_, index) => `word ${index} of a line that fills its column well`)
  const notes = ['This text was revised in March, and', 'again in May.']
  const page = await readPdfPage(
    showLines([...column, 'and here its author has put the imple-'], { x: 60, y: 740 }) +
      showLines(notes, { x: 60, y: 570 }) +
      showLines(['mentation of all of the rivers in the country', ...column], { x: 335, y: 740 }),
  )
  expect(page).toContain('put the implementation of all of')
  expect(page.indexOf('This text was revised')).toBeGreaterThan(page.lastIndexOf('word 11'))
})

test('a large symbol beside two lines does not join them', async () => {
  const first = 'Be careful with the rivers of the north, because the'
  const second = 'springs of them are as deep as they are cold, and go on.'
  const page = await readPdfPage(
    showText('!!', { x: 60, y: 702, size: 24 }) +
      showText(first, { x: 150, y: 712 }) +
      showText(second, { x: 140, y: 700 }) +
      showLines(wide, { x: 72, y: 600 }),
  )
  expect(page.indexOf(first)).toBeLessThan(page.indexOf(second))
})

test('lines of different lengths do not move the gutter', async () => {
  const left = Array.from({ length: 40 }, (_, index) =>
    index % 5 === 0
      ? `Line ${index + 1} fills the column in which it stands, up to its edge`
      : `item ${index + 1} of the list`,
  )
  const right = Array.from(
    { length: 40 },
    (_, index) => `Row ${index + 1} has as many words as the others of the column`,
  )
  const page = await readPdfPage(showLines(left, { x: 60, y: 740 }) + showLines(right, { x: 335, y: 737 }))
  expect(page.indexOf('Row 1 ')).toBeGreaterThan(page.indexOf('item 40'))
})

describe('the left of two columns', () => {
  const left = [...prose, ...prose.slice(1), ...prose.slice(1)]
  const right = left.map((line, index) => `Right ${index} ${line.slice(0, 44)}`)
  const narrow = left.map((line) => line.slice(0, 46))

  test('keeps a line that is too long for it', async () => {
    const long = narrow.with(7, `${narrow[7]} of the-name-of-it`)
    const page = await readPdfPage(
      showLines(long, { x: 50, y: 720 }) + showLines(right.toSpliced(7, 1, ''), { x: 310, y: 716 }),
    )
    expect(page).toContain(long.slice(6, 9).join(' '))
    expect(page.indexOf('Right 0')).toBeGreaterThan(page.indexOf('the-name'))
  })

  test('ends before a line across both columns that has space around it', async () => {
    const across = 'A heading of both columns that is as long as one and a half'
    const page = await readPdfPage(
      showLines(narrow, { x: 50, y: 720 }) +
        showLines(right, { x: 310, y: 720 }) +
        showText(across, { x: 50, y: 500 }) +
        showLines(narrow, { x: 50, y: 470 }) +
        showLines(right, { x: 310, y: 470 }),
    )
    expect(page.indexOf('Right 0')).toBeLessThan(page.indexOf(across))
  })

  test('does not include short lines at the start of the text below both columns', async () => {
    const page = await readPdfPage(
      showLines(narrow, { x: 50, y: 720 }) +
        showLines(right, { x: 310, y: 720 }) +
        showText('Exercises', { x: 50, y: 490 }) +
        showText('All points together are 32.', { x: 50, y: 472 }) +
        showLines(wide.slice(0, 2), { x: 50, y: 456 }),
    )
    expect(page.indexOf('Right 15')).toBeLessThan(page.indexOf('Exercises'))
    expect(page.indexOf('All points')).toBeLessThan(page.indexOf('Line 1 goes'))
  })

  test('includes its last lines if it is longer than the right one', async () => {
    const page = await readPdfPage(
      showLines(narrow, { x: 50, y: 720 }) +
        showText('The last words of the left column.', { x: 50, y: 514 }) +
        showLines(right.slice(0, 12), { x: 310, y: 720 }) +
        showLines(wide.slice(0, 2), { x: 50, y: 456 }),
    )
    expect(page.indexOf('The last words')).toBeLessThan(page.indexOf('Right 0'))
  })
})

test('the columns of an index are read one after the other, with each entry on its own', async () => {
  const entries = ['Anchor, 31', 'Bay, 43', 'Beacon, 5, 32', 'Bridge, 9', 'Canal, 10', 'Coast, 11-13', 'Dam, 71']
  const others = ['Ebb, 12', 'Ferry, 39', 'Flood, 40', 'Fog, 8', 'Harbour, 43', 'Island, 2, 5', 'Jetty, 69', 'Lake, 9']
  const left = [...entries, ...others.map((entry) => `East ${entry}`)]
  const right = [...others, ...entries.map((entry) => `West ${entry}`)]
  // The columns begin at 0 and 60 % of the width.
  const content = showLines(left, { x: 72, y: 700 }) + showLines(right, { x: 230, y: 700 })
  expect((await readPdfPage(content)).split('\n\n')).toEqual([...left, ...right])
})

test('the entries of an index are on their own, also where few begin with the same letter', async () => {
  const groups = [
    ['Anchor of a ship, 31', 'at sea, 2'],
    ['Bay of a river, 43', 'Beacon, 5, 32'],
    ['Canal of a town, 10', 'Coast, 11-13'],
    ['Dam of a lake, 71', 'Delta, 7'],
  ]
  const content = groups.map((group, at) => showLines(group, { x: 72, y: 700 - at * 48 })).join('')
  expect((await readPdfPage(content)).split('\n\n')).toEqual(groups.flat())
})

describe('columns of text on part of a page', () => {
  const [left, middle, right] = [72, 230, 388]
  /** Lines of one column. A title is larger, and has space above it. */
  const column = (x: number, y: number, ...parts: string[][]): string => {
    let shown = ''
    let at = y
    for (const [title = '', ...lines] of parts) {
      if (title !== '') shown += showText(title, { x, y: at, size: 13, font: 'F2' })
      shown += showLines(lines, { x, y: at - (title === '' ? 0 : 24) })
      at -= lines.length * 12 + (title === '' ? 10 : 38)
    }
    return shown
  }

  test('the first line of a paragraph stays with the lines that continue it in the next column', async () => {
    const first = [
      'The springs of the river rise in',
      'the hills in the north, where all',
      'those live who keep sheep there.',
    ]
    const divided = ['It goes through meadows below', 'the village to a lake that has no', 'other water than its own.']
    const last = [
      'The lake is as deep as the church',
      'is high, as people say who ought',
      'to know what they speak of.',
    ]
    const columns =
      column(left, 720, ['', ...first], ['', ...divided.slice(0, 1)]) +
      column(right, 720, ['', ...divided.slice(1)], ['', ...last])
    const page = await readPdfPage(columns + below)
    expect(page).toMatch(new RegExp(`^${[first, divided, last].map((lines) => lines.join(' ')).join('\n\n')}`))
  })

  test('the titles inside three columns stay in their place', async () => {
    const [a, b, c] = [
      ['Roses need cover in the cold,', 'which they get from leaves of', 'oak, as these do not rot.'],
      ['Straw is no good for it, since', 'mice live in it, and sheets of', 'plastic keep the water in.'],
      ['Prune them when the spring', 'begins, in mild years as early', 'as in the second month.'],
    ] as const
    const [d, e] = [
      ['Cut above the third bud, so', 'that it points outward, and', 'burn what you cut.'],
      ['Whoever wants to see them', 'may come on each first', 'Sunday of the month.'],
    ] as const
    const page = await readPdfPage(
      showText('How a small garden in the north keeps its flowers through all the frost, and what we may learn.', {
        x: left,
        y: 750,
      }) +
        column(left, 720, ['', ...a], ['Cover', ...b]) +
        column(middle, 720, ['', ...c], ['Cutting', ...d]) +
        column(right, 720, ['', ...e]),
    )
    const places = [a, ['Cover'], b, c, ['Cutting'], d, e].map((lines) => page.indexOf(lines.join(' ')))
    expect(places).toEqual(places.toSorted((x, y) => x - y))
    expect(places[0]).toBeGreaterThan(0)
  })
})

test('the two columns of a table of contents between full-width text are read one after the other', async () => {
  const entry = (number: number, x: number): string => {
    const y = 720 - ((number - 1) % 8) * 12
    const title = showText(`${number} Springs of river`, { x, y })
    return title + showText('. . . . . .', { x: x + 100, y }) + showText(String(20 + (number >> 1)), { x: x + 203, y })
  }
  const entries = Array.from({ length: 16 }, (_, index) => entry(index + 1, index < 8 ? 72 : 298))
  const text = showLines([...wide, ...wide], { x: 72, y: 600 })
  const page = await readPdfPage(showText('Contents', { x: 72, y: 744, font: 'F2' }) + entries.join('') + text)
  const numbers = [...page.matchAll(/(\d+) Springs/g)].map(([, number]) => Number(number))
  expect(numbers).toEqual(Array.from({ length: 16 }, (_, index) => index + 1))
})

test('an entry that runs over the right edge does not join the columns of an index', async () => {
  const names = ['brook', 'ditch', 'lake']
  const column = (name: string, x: number): string =>
    Array.from({ length: 20 }, (_, row) => {
      const y = 720 - row * 12
      const isLong = name === 'lake' && row === 7
      const term = isLong ? 'lake of the northern hills and the meadows 7' : `${name} ${row}`
      return showText(term, { x, y }) + (isLong ? '' : showText(`. . ${20 + row}`, { x: x + 91, y }))
    }).join('')
  const page = await readPdfPage(names.map((name, at) => column(name, 130 + at * 121)).join(''))
  const order = [...page.matchAll(/(?:brook|ditch|lake) (?=\d)/g)].map(([word]) => word.trim())
  expect(order).toEqual([...order].sort())
  expect(order.length).toBeGreaterThan(55)
})

describe('a table whose columns leave a gutter in the middle of the page', () => {
  const days = Array.from({ length: 14 }, (_, index) => `${String(index + 10)}/07`)
  const yOf = (index: number) => 720 - (index + Math.floor(index / 5)) * 12
  const rowAt = (cells: readonly [x: number, text: string][], index: number) =>
    cells.map(([x, text]) => showText(text, { x, y: yOf(index) })).join('')

  test.for<[name: string, cells: (day: string, index: number) => [x: number, text: string][]]>([
    [
      'has more cells on one side',
      (day, index) => [
        [72, day],
        [150, 'Delightful Breakfast'],
        [320, 'Singapore'],
        [420, 'SG'],
        [500, `${index + 3}.20`],
      ],
    ],
    [
      'has as many cells on both sides, at other distances',
      (day, index) => [
        [72, 'Ramirez Gonzalez'],
        [180, 'Juan Martin'],
        [290, `20-2708346${index}-5`],
        [480, day],
      ],
    ],
  ])('is one table if it %s', async ([, cells]) => {
    const accounts = [4, 9].map((index) => showText('Account', { x: 72, y: yOf(index) - 12 }))
    const page = await readPdfPage(
      accounts.join('') + days.map((day, index) => rowAt(cells(day, index), index)).join(''),
    )
    const rows = days.map(
      (day, index) =>
        `| ${cells(day, index)
          .map(([, text]) => text)
          .join(' | ')} |`,
    )
    for (const row of rows) expect(page).toContain(row)
  })

  test('is two lists if they are alike', async () => {
    const page = await readPdfPage(
      days
        .map((day, index) =>
          rowAt(
            [
              [72, day],
              [110, 'Northern springs'],
              [310, `${day} b`],
              [348, 'Southern springs'],
            ],
            index,
          ),
        )
        .join(''),
    )
    expect(page.indexOf('23/07')).toBeLessThan(page.indexOf('10/07 b'))
  })
})
