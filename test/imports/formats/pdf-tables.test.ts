import { describe, expect, test } from 'vitest'
import { showLines, showText } from '../../support/pdf.ts'
import { readPdfPage } from '../../support/read-pdf.ts'

const column = (side: string, y: number): string =>
  showLines(
    Array.from({ length: 12 }, (_, index) => `${side} column line ${index + 1} with some words`),
    { x: side === 'left' ? 72 : 320, y },
  )

function rows(cells: readonly (readonly string[])[], at: { x: readonly number[]; y: number }): string {
  return cells
    .map((row, line) =>
      row
        .map((cell, index) => (cell === '' ? '' : showText(cell, { x: at.x[index] ?? 0, y: at.y - line * 14 })))
        .join(''),
    )
    .join('')
}

const measurements = [
  ['River', 'Length', 'Basin', 'Mouth'],
  ['Danube', '2850', '817', 'Black Sea'],
  ['Rhine', '1233', '185', 'North Sea'],
  ['Elbe', '1094', '148', 'North Sea'],
]
const markdown = [
  '| River | Length | Basin | Mouth |',
  '| --- | --- | --- | --- |',
  '| Danube | 2850 | 817 | Black Sea |',
  '| Rhine | 1233 | 185 | North Sea |',
  '| Elbe | 1094 | 148 | North Sea |',
].join('\n')

test('a caption in small capitals, whose first letter is larger, makes a table of lines of code', async () => {
  const commands = [
    ['bold', 'bfseries'],
    ['italic', 'itshape'],
    ['sloped', 'slshape'],
  ]
  const page = await readPdfPage(
    showLines(['The whole document tells of commands, and of what they mean to it.'], { x: 72, y: 740 }) +
      showText('T', { x: 72, y: 600, size: 10 }) +
      showText('ABLE 1. Commands of today', { x: 78.1, y: 600, size: 8 }) +
      commands
        .flatMap((row, at) =>
          row.map((cell, index) => showText(cell, { x: 72 + index * 90, y: 570 - at * 14, font: 'F3' })),
        )
        .join(''),
  )
  expect(page).toContain('| bold | bfseries |\n| --- | --- |\n| italic | itshape |\n| sloped | slshape |')
})

describe('cells of several lines', () => {
  test('words that are hyphenated at line ends are rejoined; compounds keep their hyphen', async () => {
    const page = await readPdfPage(
      showLines(['The whole document and a well-known fact are told in the first part of it.'], { x: 72, y: 740 }) +
        showText('Table 1: Options', { x: 72, y: 600 }) +
        rows(
          [
            ['Name', 'Meaning'],
            ['draft', 'Spaces the whole docu-'],
            ['', 'ment, by a well-'],
            ['', 'known rule'],
            ['final', 'Leaves it all alone'],
          ],
          { x: [72, 200], y: 570 },
        ),
    )
    expect(page).toContain(
      '| draft | Spaces the whole document, by a well-known rule |\n| final | Leaves it all alone |',
    )
  })

  const wrapped = [
    ['Name', 'Meaning', 'Since'],
    ['The length of all', 'In kilometres', '1900'],
    ['rivers together', '', ''],
    ['The height above', 'In metres above', '1950'],
    ['the sea', 'that of Amsterdam', ''],
    ['Depth', 'In metres', '1960'],
  ]

  test.for([
    ['with a caption', showText('Table 1: Measures', { x: 72, y: 600 }), 570],
    ['without a caption', '', 570],
  ] as const)('the first cell of a row wraps to the next line, in a table %s', async ([, caption, y]) => {
    const page = await readPdfPage(
      showText('A page of rivers, which has a body of words before its table.', { x: 72, y: 740 }) +
        caption +
        rows(caption === '' ? wrapped.filter((row) => row[0] !== 'the sea') : wrapped, { x: [72, 200, 330], y }),
    )
    expect(page).toContain('| The length of all rivers together | In kilometres | 1900 |')
    if (caption !== '')
      expect(page).toContain('| The height above the sea | In metres above that of Amsterdam | 1950 |')
    expect(page).toContain('| Depth | In metres | 1960 |')
  })

  test('the last row is complete, and a line of a cell that is as wide as the page is not a paragraph', async () => {
    const long = 'all of the words that fill the rest of the line to the end, which'
    const page = await readPdfPage(
      showText('Table 1: Options', { x: 72, y: 600 }) +
        rows(
          [
            ['draft', 'Leaves the pictures out'],
            ['wide', 'Sets the pages in full, with'],
            ['', long],
            ['', 'go on in the next'],
            ['final', 'Sets the whole docu-'],
            ['', 'ment as it is'],
          ],
          { x: [72, 120], y: 570 },
        ) +
        showText('What follows the table is no part of it.', { x: 72, y: 470 }),
    )
    expect(page).toContain(`| wide | Sets the pages in full, with ${long} go on in the next |`)
    expect(page).toContain('| final | Sets the whole document as it is |\n\nWhat follows')
  })

  test('a lower-case name below another name is a separate row', async () => {
    const names = [
      ['Option', 'Value', 'Meaning'],
      ['and-type-of-names', 'e', 'Writes an e'],
      ['cite-all-names', '', 'says who is named'],
      ['cite-no-names', '0', 'Names none'],
    ]
    const page = await readPdfPage(
      showText('Table 1: Options', { x: 72, y: 600 }) + rows(names, { x: [72, 200, 330], y: 570 }),
    )
    expect(page).toContain('| cite-all-names |  | says who is named |')
  })

  test('a first cell that begins with a capital letter starts a new row', async () => {
    const groups = wrapped.map((row) => row.map((cell) => cell.replace('rivers together', 'Rivers of the north')))
    const page = await readPdfPage(
      showText('Table 1: Measures', { x: 72, y: 600 }) + rows(groups, { x: [72, 200, 330], y: 570 }),
    )
    expect(page).toContain('| Rivers of the north |  |  |')
  })
})

describe('tables with a caption', () => {
  test('across both columns of a page stay whole, between the columns above and below', async () => {
    const page = await readPdfPage(
      column('left', 740) +
        column('right', 740) +
        showText('Table 1: Rivers of Europe and their lengths in kilometres, by the last survey of all', {
          x: 110,
          y: 580,
        }) +
        rows(measurements, { x: [72, 200, 340, 460], y: 560 }) +
        column('left', 470) +
        column('right', 470),
    )
    expect(page).toContain(`\n\n${markdown}\n\n`)
    const order = ['right column line 12', 'Table 1: Rivers', '| River', 'left column line 1 ']
    const places = order.map((words, index) => (index === 3 ? page.lastIndexOf(words) : page.indexOf(words)))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  test('in one of two columns do not include text of the other', async () => {
    const page = await readPdfPage(
      column('left', 740) +
        column('right', 740) +
        column('right', 596) +
        showText('Table 2. Rivers', { x: 72, y: 580 }) +
        rows(measurements, { x: [72, 120, 170, 210], y: 560 }) +
        column('left', 470) +
        column('right', 452),
    )
    expect(page).toContain(`\n\n${markdown}\n\n`)
    expect(page).not.toMatch(/\|[^\n]*right column/)
  })

  test('keep narrow gaps between columns, empty cells, headings over several columns and wrapped cells', async () => {
    const cells = [
      ['', 'Measured', '', ''],
      ['River', 'Length', 'Basin', 'Remark'],
      ['Danube', '2850', '', 'rises in the Black'],
      ['', '', '', 'Forest of Germany'],
      ['Rhine', '1233', '185', 'rises in the Alps'],
    ]
    const page = await readPdfPage(
      showText('Table 3: Rivers', { x: 72, y: 700 }) + rows(cells, { x: [72, 116, 158, 195], y: 680 }),
    )
    expect(page).toContain('| River | Length | Basin | Remark |')
    expect(page).toContain('| Danube | 2850 |  | rises in the Black Forest of Germany |')
    expect(page).toContain('| Rhine | 1233 | 185 | rises in the Alps |')
  })

  test('are found below their captions as well as above them', async () => {
    const page = await readPdfPage(
      rows(measurements, { x: [72, 200, 340, 460], y: 700 }) +
        showText('Table 4: Rivers of Europe', { x: 72, y: 640 }) +
        showLines(
          [
            'A paragraph of several lines follows the table and is no part of it, of course,',
            'because its lines fill the page from the margin on the left to that on the right.',
          ],
          { x: 72, y: 610 },
        ),
    )
    expect(page).toMatch(/^\| River \| Length \| Basin \| Mouth \|\n/)
    expect(page).toMatch(/Elbe \| 1094 \| 148 \| North Sea \|\n\nTable 4: Rivers of Europe\n\nA paragraph/)
  })

  test('are found above their captions even if the last cell has several lines and the headings are apart', async () => {
    const page = await readPdfPage(
      showText('The packages that are loaded with this class stand in the table below.', { x: 72, y: 760 }) +
        rows([['Package', 'Class', 'Options']], { x: [72, 200, 410], y: 702 }) +
        rows(
          [
            ['maps', 'yes', 'scale'],
            ['rivers', 'no', 'names={all},'],
            ['', '', 'lengths={none}'],
          ],
          { x: [72, 200, 340], y: 688 },
        ) +
        showText('Table 4: Packages with their options', { x: 72, y: 624 }) +
        showText('A paragraph that follows the table and is no part of it, of course.', { x: 72, y: 600 }),
    )
    expect(page).toContain('| maps | yes | scale |\n| rivers | no | names={all}, lengths={none} |\n\nTable 4: Packages')
  })

  test('side by side have separate captions', async () => {
    const short = measurements.map((row) => row.slice(0, 2))
    const page = await readPdfPage(
      showText('Table 1: Lengths', { x: 72, y: 740 }) +
        showText('Table 2: Lengths again', { x: 320, y: 740 }) +
        rows(short, { x: [72, 160], y: 720 }) +
        rows(short, { x: [320, 420], y: 720 }) +
        column('left', 640) +
        column('right', 640),
    )
    const table = markdown.replaceAll(/^((?:\|[^|]+){2}).*$/gm, '$1|')
    expect(page).toContain(`Table 1: Lengths\n\n${table}`)
    expect(page).toContain(`Table 2: Lengths again\n\n${table}`)
  })

  test('may have few cells in the first or last column', async () => {
    const names = ['springs', 'lakes', 'hills', 'woods', 'meadows', 'bridges', 'villages', 'churches']
    const lines = names.map((name, index) => {
      const y = 686 - index * 14
      const sides = index % 4 === 0 ? showText('Maps', { x: 72, y }) + showText('and so on', { x: 380, y }) : ''
      return (
        sides + showText(`rivers/${name}.map`, { x: 140, y, font: 'F3' }) + showText(`What ${name} are`, { x: 270, y })
      )
    })
    const page = await readPdfPage(
      showText('Table 8: Files of the rivers of the whole north', { x: 72, y: 720 }) +
        rows([['Kind', 'File', 'Meaning', 'More']], { x: [72, 140, 270, 380], y: 700 }) +
        lines.join(''),
    )
    expect(page).toContain(
      [
        '| Maps | rivers/springs.map | What springs are | and so on |',
        '|  | rivers/lakes.map | What lakes are |  |',
        '|  | rivers/hills.map | What hills are |  |',
      ].join('\n'),
    )
    expect(page).toContain('| Maps | rivers/meadows.map | What meadows are | and so on |')
  })

  test('do not begin with a line of their caption that contains a wide space', async () => {
    const caption = ['Table 7: The rivers of the north', 'which are long and wide and deep', 'as a lake.']
    const page = await readPdfPage(
      caption.map((line, index) => showText(line, { x: 72, y: 700 - index * 10, size: 9, font: 'F3' })).join('') +
        showText('Basins in km', { x: 136, y: 680, size: 9, font: 'F3' }) +
        rows(measurements, { x: [72, 120, 160, 200], y: 660 }) +
        showText('A paragraph that follows the table and is no part of it, of course.', { x: 72, y: 580 }),
    )
    expect(page).toContain(`\n\n${markdown}\n\nA paragraph`)
  })

  test.for([
    ['a heading', showText('3.4', { x: 72, y: 722, font: 'F2' }) + showText('Paper', { x: 100, y: 722, font: 'F2' })],
    ['a running head', showText('1.1 SPRINGS', { x: 30, y: 722 }) + showText('CHAPTER 1', { x: 500, y: 722 })],
  ] as const)('do not begin with %s above them', async ([, above]) => {
    const page = await readPdfPage(
      above + rows(measurements, { x: [72, 160, 240, 320], y: 690 }) + showText('Table 6: Rivers', { x: 72, y: 620 }),
    )
    expect(page).toContain(`\n\n${markdown}\n\nTable 6: Rivers`)
  })

  test('do not consist of the text after a sentence that begins with "Table"', async () => {
    const lines = ['Table 5 shows what the rivers carry', 'and what they  leave', 'where they  end']
    expect(await readPdfPage(showLines(lines, { x: 72, y: 700 }))).not.toContain('|')
  })
})

describe('headings', () => {
  const caption = showText('Table 1: Trials', { x: 72, y: 720 })

  test('that are hyphenated at a line end are rejoined', async () => {
    const page = await readPdfPage(
      caption +
        rows(
          [
            ['Kind of inves-', 'Lead part-', 'Means'],
            ['tigation', 'ner', ''],
            ['Springs', 'Rhine', 'Boats'],
            ['Lakes', 'Elbe', 'Nets'],
          ],
          { x: [72, 200, 320], y: 690 },
        ),
    )
    expect(page).toContain('| Kind of investigation | Lead partner | Means |\n| --- | --- | --- |\n| Springs |')
  })

  test('over several columns do not join the columns below them', async () => {
    const page = await readPdfPage(
      caption +
        showText('Kind', { x: 72, y: 690 }) +
        showText('Percentage of', { x: 160, y: 690 }) +
        showText('All', { x: 320, y: 690 }) +
        showText('targets in a segment', { x: 160, y: 678 }) +
        showText('trials', { x: 320, y: 678 }) +
        showText('of one of both kinds', { x: 160, y: 666 }) +
        showText('made', { x: 320, y: 666 }) +
        rows(
          [
            ['', 'First', 'Second', ''],
            ['Springs', '100', '0', '196'],
            ['Lakes', '80', '20', '200'],
            ['Rivers', '0', '100', '196'],
          ],
          { x: [72, 170, 220, 320], y: 654 },
        ),
    )
    expect(page).toContain('|  | First | Second |  |\n| Springs | 100 | 0 | 196 |\n| Lakes | 80 | 20 | 200 |')
  })
})

test('a long cell of the first row continues in the second row', async () => {
  const page = await readPdfPage(
    showText('Table 1: Options', { x: 72, y: 720 }) +
      rows(
        [
          ['draft', 'Spaces the lines of the whole document as widely'],
          ['', 'as possible'],
          ['final', 'Leaves it all alone'],
          ['small', 'Makes it all smaller'],
        ],
        { x: [72, 200], y: 690 },
      ),
  )
  expect(page).toContain(
    '| draft | Spaces the lines of the whole document as widely as possible |\n| --- | --- |\n| final',
  )
})

test('short lines of cells that continue in lower case do not make rows', async () => {
  const page = await readPdfPage(
    showText('Table 1: Styles', { x: 72, y: 720 }) +
      rows(
        [
          ['Style', 'Title', 'Text', 'Used for'],
          ['plain', 'bold', 'italic', 'theorems'],
          ['proof', 'not bold,', 'roman,', 'proofs'],
          ['', 'italic', 'with end', ''],
        ],
        { x: [72, 160, 240, 320], y: 690 },
      ),
  )
  expect(page).toContain('| proof | not bold, italic | roman, with end | proofs |')
})

test('the paragraph below a table is not its last cell, even if it is centred on the last column', async () => {
  const paragraph = 'Both go to the sea, the one in the west and the other in the east.'
  const page = await readPdfPage(
    rows(
      [
        ['Danube', 'to the Black Sea'],
        ['Rhine', 'to the North Sea'],
        ['Elbe', 'to the North Sea'],
      ],
      { x: [72, 160], y: 690 },
    ) + showText(paragraph, { x: 60, y: 648 }),
  )
  expect(page).toContain(`| Elbe | to the North Sea |\n\n${paragraph}`)
})

test('a table of three columns, whose last begins in the middle of the page, is not divided into columns of text', async () => {
  const options = Array.from({ length: 16 }, (_, index) => [
    `--option-${index}`,
    `name${index}`,
    `what is done by option ${index} of all`,
  ])
  const page = await readPdfPage(
    options
      .map((row, line) =>
        row.map((cell, at) => showText(cell, { x: [72, 180, 240][at] as number, y: 700 - line * 20 })).join(''),
      )
      .join(''),
  )
  for (const row of options) expect(page).toContain(`| ${row.join(' | ')} |`)
})

test('lower-case cells of a column are not a paragraph', async () => {
  const cells = [
    ['linkbordercolourofpage', 'tide', 'colour of the border around links of the tide'],
    ['linkcolour', 'red', 'colour of links'],
    ['linktoc', 'section', 'make text be link in contents'],
    ['linktocpage', 'false', 'make the number of the page a link in it'],
    ['pagebackreference', 'none', 'back reference by page'],
    ['permissions', 'all', 'what one may do'],
    ['views', 'one', 'which views of the page are seen'],
  ]
  const page = await readPdfPage(rows(cells, { x: [72, 185, 260], y: 690 }))
  for (const row of cells.slice(1)) expect(page).toContain(`| ${row.join(' | ')} |`)
})

describe('a ruled table', () => {
  const across = (y: number): string => `72 ${y} 300 0.75 re f\n`
  const down = (x: number, from: number, to: number): string => `${x} ${to} 0.75 ${from - to} re f\n`
  const grid = (top: number, bottom: number): string => [72, 160, 300, 372].map((x) => down(x, top, bottom)).join('')
  const row = (y: number, ...cells: string[]): string =>
    cells.map((cell, at) => (cell === '' ? '' : showText(cell, { x: [78, 166, 306][at] as number, y }))).join('')
  const before = showText('The tides of three harbours:', { x: 72, y: 740 })
  const behind = showText('They were measured with care.', { x: 80, y: 620 })

  test('is whole below a running head on one side of the page', async () => {
    const edges = [72, 96, 240, 330, 384, 440]
    const cells = ['M1', 'Report of the tides', 'Harbour 3', 'PU', '12 m']
    const tops = Array.from({ length: 10 }, (_, at) => 720 - at * 20)
    const text = tops
      .slice(0, -1)
      .map((top) => cells.map((cell, at) => showText(cell, { x: (edges[at] ?? 0) + 6, y: top - 14 })).join(''))
    const page = await readPdfPage(
      showText('3.3. The whole consortium', { x: 336, y: 750 }) +
        tops.map((y) => `72 ${y} 368 0.75 re f\n`).join('') +
        edges.map((x) => down(x, 720, 540)).join('') +
        text.join(''),
    )
    expect(page).toContain('| M1 | Report of the tides | Harbour 3 | PU | 12 m |')
  })

  test('may have cells close to each other, and rows whose cells wrap', async () => {
    const lines = [720, 700, 668, 648].map(across).join('') + grid(720, 648)
    const text =
      row(706, 'Harbour', 'What is known', 'm') +
      row(688, 'Burntcoat Head', 'The largest range that', '16.3') +
      row(676, 'in Nova Scotia', 'was ever measured') +
      row(654, 'Avonmouth', '', '14.6')
    expect(await readPdfPage(before + lines + text + behind)).toBe(
      [
        'The tides of three harbours:',
        '',
        '| Harbour | What is known | m |',
        '| --- | --- | --- |',
        '| Burntcoat Head in Nova Scotia | The largest range that was ever measured | 16.3 |',
        '| Avonmouth |  | 14.6 |',
        '',
        'They were measured with care.',
      ].join('\n'),
    )
  })

  test('may have wide spaces inside cells', async () => {
    const lines = [720, 700, 668, 648].map(across).join('') + grid(720, 648)
    const text =
      row(706, 'Harbour', 'What is known', 'm') +
      row(688, 'Burntcoat Head', 'The', '16.3') +
      showText('largest range', { x: 220, y: 688 }) +
      row(676, '', 'of all') +
      row(654, 'Avonmouth', 'Less', '14.6')
    expect(await readPdfPage(before + lines + text + behind)).toContain(
      '| Burntcoat Head | The largest range of all | 16.3 |\n| Avonmouth | Less | 14.6 |',
    )
  })

  test('without rules between its rows has a row for each line of text', async () => {
    const lines = [720, 700, 660].map(across).join('') + grid(720, 660)
    const text =
      row(706, 'Harbour', 'Country', 'm') + row(688, 'Avonmouth', 'England', '14.6') + row(676, 'Calais', 'France', '7')
    const expected =
      '| Harbour | Country | m |\n| --- | --- | --- |\n| Avonmouth | England | 14.6 |\n| Calais | France | 7'
    expect(await readPdfPage(before + lines + text + behind)).toContain(expected)
    const superscript = showText('2', { x: 312, y: 681, size: 5 })
    expect(await readPdfPage(before + lines + text + superscript + behind)).toContain(`${expected}^2 |`)
  })

  test('without rules between its rows may have superscripts, empty cells and cells of several lines', async () => {
    const lines = [720, 700, 636].map(across).join('') + grid(720, 636)
    const small = (text: string, x: number, y: number): string => showText(text, { x, y, size: 5 })
    const text =
      row(706, 'Harbour', 'What is known', 'm') +
      row(688, 'Avonmouth', 'In England', '14') +
      small('2', 326, 692) +
      row(676, 'Digby', '', '9') +
      row(664, 'Burntcoat Head', 'The largest range', '16') +
      row(653, '', 'of all harbours') +
      row(641, 'Calais', 'In France', '7')
    const page = await readPdfPage(before + lines + text + behind)
    expect(page).toContain('| Digby |  | 9 |\n| Burntcoat Head | The largest range of all harbours | 16 |\n| Calais |')
  })

  test('keeps a wrapped cell beside a longer one whole', async () => {
    const lines = [720, 700, 636].map(across).join('') + grid(720, 636)
    const text =
      row(706, 'Harbour', 'What is known', 'm') +
      row(688, 'The harbour of', 'The largest range', '16') +
      row(677, 'Burntcoat Head', 'of all harbours in') +
      row(666, 'in the province', 'the world, and of') +
      row(655, 'of Nova Scotia', 'all that have been') +
      row(644, '', 'measured') +
      `72 616 368 0.75 re f\n${[72, 160, 300, 372].map((x) => down(x, 636, 616)).join('')}` +
      row(622, 'Calais', 'In France', '7')
    const page = await readPdfPage(before + lines + text)
    expect(page).toContain('| The harbour of Burntcoat Head in the province of Nova Scotia | The largest range of all')
  })

  test('has cells over several rows, whose text is between the rows', async () => {
    const part = (y: number): string => `160 ${y} 212 0.75 re f\n`
    const lines = [720, 700, 640].map(across).join('') + [680, 660].map(part).join('') + grid(720, 640)
    const text =
      row(706, 'Coast', 'Harbour', 'm') +
      row(687, '', 'Burntcoat', '16') +
      row(676, 'Nova Scotia') +
      row(667, '', 'Digby', '9') +
      row(662, '(east)') +
      row(647, '', 'Saint John', '8')
    expect(await readPdfPage(before + lines + text + behind)).toContain(
      [
        '| Coast | Harbour | m |',
        '| --- | --- | --- |',
        '| Nova Scotia (east) | Burntcoat | 16 |',
        '|  | Digby | 9 |',
        '|  | Saint John | 8 |',
      ].join('\n'),
    )
  })

  test('may be open at the bottom, as at the end of a page', async () => {
    const lines = [720, 700, 680].map(across).join('') + grid(720, 664)
    const text =
      row(706, 'Harbour', 'Country', 'm') +
      row(688, 'Saint John', 'Canada', '16') +
      showText('in the south', { x: 78, y: 683, size: 4 }) +
      row(668, 'Calais', 'France', '7')
    expect(await readPdfPage(lines + text)).toMatch(/\| Calais \| France \| 7 \|$/)
  })

  test('without a rule below its head is not one row', async () => {
    const lines = [720, 680, 640].map(across).join('') + grid(720, 640)
    const bold = (y: number, ...cells: string[]) =>
      cells.map((cell, at) => showText(cell, { x: [78, 166, 306][at] as number, y, font: 'F2' })).join('')
    const head = (y: number) => bold(y, 'Harbour', 'What is known', 'm')
    const text =
      head(706) +
      row(695, 'Calais', 'The widest of', '7') +
      row(684, '', 'all of them') +
      head(666) +
      row(655, 'Dover', 'The deepest of', '6') +
      row(644, '', 'all of them')
    const page = await readPdfPage(before + lines + text + behind)
    expect(page).toContain('| Harbour | What is known | m |\n')
    expect(page).toContain('| Dover | The deepest of all of them | 6 |')
  })

  test('may be open above its head', async () => {
    const lines = [700, 660, 640].map(across).join('') + grid(716, 640)
    const text =
      row(704, 'Harbour', 'Country', 'm') +
      row(686, 'Saint', 'Canada', '16') +
      row(674, 'John') +
      row(646, 'Calais', 'France', '7')
    expect(await readPdfPage(before + lines + text + behind)).toContain(
      '| Harbour | Country | m |\n| --- | --- | --- |\n| Saint John | Canada | 16 |\n| Calais | France | 7 |',
    )
  })

  test('keeps the texts of its cells apart if they run into the next one', async () => {
    const lines = [720, 700, 680, 660].map(across).join('') + grid(720, 660)
    const long = 'harbour_of_Burntcoat_Head'
    const text =
      row(706, 'Harbour', 'Country', 'm') + row(686, long, 'Canada', '16') + row(666, 'Calais', 'France', '7')
    expect(await readPdfPage(before + lines + text + behind)).toContain(`| ${long} | Canada | 16 |`)
  })

  test('is not a frame around a word', async () => {
    const words =
      showText('Springs', { x: 72, y: 700 }) +
      showText('cold', { x: 112, y: 700 }) +
      showText('are', { x: 136, y: 700 })
    expect(await readPdfPage(down(109, 710, 696) + down(133, 710, 696) + words)).toMatch(/^Springs\s+cold\s+are$/)
  })

  test('with a caption may have close cells, wide spaces in cells and rows of several lines', async () => {
    const caption = showText('Table 2: Tides', { x: 72, y: 740 })
    const lines = [720, 700, 668, 648].map(across).join('') + grid(720, 648)
    const text =
      row(706, 'Harbour', 'What is known', 'm') +
      row(688, 'Burntcoat Head', 'The', '16.3') +
      showText('largest range', { x: 220, y: 688 }) +
      row(676, 'Nova Scotia', 'Of all') +
      row(654, 'Avonmouth Port', 'Less', '14.6')
    expect(await readPdfPage(caption + lines + text + behind)).toContain(
      [
        '| Harbour | What is known | m |',
        '| --- | --- | --- |',
        '| Burntcoat Head Nova Scotia | The largest range Of all | 16.3 |',
        '| Avonmouth Port | Less | 14.6 |',
      ].join('\n'),
    )
  })

  test('does not include the text beside a framed word', async () => {
    const frame = [715, 697].map((y) => `72 ${y} 42 0.75 re f\n`).join('') + down(72, 715, 697) + down(114, 715, 697)
    const text = showText('S(0,0)', { x: 80, y: 702 }) + showText('Nothing is given.', { x: 120, y: 702 })
    expect(await readPdfPage(frame + text)).toBe('S(0,0) Nothing is given.')
  })
})
