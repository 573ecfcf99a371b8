import { describe, expect, test } from 'vitest'
import { showLines, showText } from '../../support/pdf.ts'
import { readPdf } from '../../support/read-pdf.ts'
import { asArtifact, element, taggedPdf, type TestElement } from '../../support/tagged-pdf.ts'

const prose = [
  'The river rises in the hills above the town and runs through four',
  'valleys, each wider than the one before, until it comes to the sea.',
]

function text(line: string, y: number, x = 72): string {
  return showText(line, { x, y })
}

async function readTagged(elements: TestElement[], unmarked?: string[]): Promise<string[]> {
  return readPdf(taggedPdf([element('Document', ...elements)], unmarked))
}

describe('the structure of a tagged page', () => {
  test('names its headings, whatever they look like', async () => {
    const [page] = await readTagged([
      element('Titel', text('Rivers of the north', 740)),
      element('P', showLines(prose, { x: 72, y: 720 })),
      element('H3', text('Springs', 680)),
      element('P', showText('Large words that are no heading', { x: 72, y: 640, size: 20 })),
    ])
    expect(page).toBe(`# Rivers of the north\n\n${prose.join(' ')}\n\n### Springs\n\nLarge words that are no heading`)
  })

  test('has headings that are items of a list if they are titles of the outline, but no other items', async () => {
    const item = (words: string, y: number) => element('LI', element('LBody', text(words, y)))
    const pdf = taggedPdf([
      element('L', item('1 Rivers of the north', 740)),
      element('P', showLines(prose, { x: 72, y: 720 })),
      element('L', item('2 boats on each of them', 680)),
    ])
    const [page] = await readPdf({ ...pdf, outline: [{ title: 'Rivers of the north', page: 0 }] })
    expect(page).toBe(`# 1 Rivers of the north\n\n${prose.join(' ')}\n\n2 boats on each of them`)
  })

  test('puts its parts in order', async () => {
    const [page] = await readTagged([
      element('P', text('Read this first, although it stands below.', 600)),
      element('P', text('Read this next, although it stands above.', 700)),
    ])
    expect(page).toBe('Read this first, although it stands below.\n\nRead this next, although it stands above.')
  })

  test('shows where paragraphs end that the layout does not separate', async () => {
    const [page] = await readTagged([
      element('P', text('This paragraph is as wide as the column of the page is, and it ends here.', 700)),
      element('P', text('Another one begins without any space between them, and it is as wide too.', 688)),
    ])
    expect(page?.split('\n\n')).toHaveLength(2)
  })

  test('joins a paragraph over two columns', async () => {
    const [page] = await readTagged([
      element(
        'P',
        showLines(['The river rises', 'in the hills and', 'runs to'], { x: 72, y: 200 }),
        text('the sea.', 700, 320),
      ),
    ])
    expect(page).toBe('The river rises in the hills and runs to the sea.')
  })

  test('keeps the lines of columns together that begin where wider text does', async () => {
    const left = ['The springs of the river', 'lie high in the hills and', 'give water all the year to', 'the mill.']
    const short = ['Only in the summer does', 'it fall.']
    const right = [
      'Below the mill it passes',
      'two weirs that were built',
      'to keep back high water,',
      'as in the spring.',
    ]
    const [page] = await readTagged([
      element('P', showLines(prose, { x: 72, y: 720 })),
      element('P', showLines(left, { x: 72, y: 680 })),
      element('P', showLines(short, { x: 72, y: 620 })),
      element('P', showLines(right, { x: 240, y: 680 })),
    ])
    expect(page).toBe([prose, left, short, right].map((lines) => lines.join(' ')).join('\n\n'))
  })

  test('keeps the lines of a listing together, whether they are elements or not', async () => {
    const line = (words: string, y: number) => element('P', `BT /F3 9 Tf 1 0 0 1 72 ${y} Tm (${words}) Tj ET\n`)
    const [page] = await readTagged([
      element('P', showLines(prose, { x: 72, y: 740 })),
      element(
        'Code',
        line('def rise\\(river\\):', 700),
        line('    water = river.level', 688),
        line('    return water', 664),
      ),
    ])
    expect(page).toContain('```\ndef rise(river):\n    water = river.level\n\n    return water\n```')
  })

  test('keeps entries of contents whose leaders are part of the page layout', async () => {
    const entry = (words: string, y: number, number: string) =>
      element('TOCI', text(words, y), asArtifactOf(y), text(number, y, 500))
    const dots = '. '.repeat(60)
    const asArtifactOf = (y: number) => asArtifact(text(dots, y, 200))
    const [page] = await readTagged([
      element('H1', text('Contents', 740)),
      element('TOC', entry('Springs', 700, '3'), entry('Rivers', 688, '7'), entry('Lakes', 676, '12')),
      element('H2', text('Springs', 640)),
      element('P', showLines(prose, { x: 72, y: 600 })),
    ])
    expect(page).toContain('# Contents\n\n- Springs … 3\n- Rivers … 7\n- Lakes … 12\n\n## Springs\n\n')
  })

  test('nests lists and keeps their numbers', async () => {
    const item = (label: string, words: string, y: number, ...more: TestElement[]) =>
      element('LI', element('Lbl', text(label, y, 80)), element('LBody', element('P', text(words, y, 100)), ...more))
    const [page] = await readTagged([
      element(
        'L',
        item('7.', 'Rivers', 700, element('L', item('-', 'in the north', 688), item('o', 'in the south', 676))),
        item('8.', 'Hills', 664),
      ),
    ])
    expect(page).toBe('7. Rivers\n  - in the north\n  - in the south\n8. Hills')
  })

  test('shows the rows and cells of a table without lines', async () => {
    const cell = (type: string, x: number, y: number, lines: string[], entries = '') => ({
      ...element(type, showLines(lines, { x, y })),
      entries,
    })
    const [page] = await readTagged([
      element(
        'Table',
        element(
          'THead',
          element(
            'TR',
            cell('TH', 72, 700, ['River']),
            cell('TH', 200, 700, ['Length'], '/A << /O /Table /ColSpan 2 >>'),
          ),
        ),
        element(
          'TBody',
          element(
            'TR',
            cell('TD', 72, 680, ['Aller', 'and Oker']),
            cell('TD', 200, 680, ['215']),
            cell('TD', 260, 680, ['km']),
          ),
        ),
      ),
    ])
    expect(page).toBe('| River | Length |  |\n| --- | --- | --- |\n| Aller and Oker | 215 | km |')
  })

  test('keeps the columns of a row that began on the page before', async () => {
    const cells = (index: number, y: number) => [
      element('TD', { page: 1, operators: text(`river ${index}`, y, 72) }),
      element('TD', { page: 1, operators: text(`hill ${index}`, y, 300) }),
    ]
    const [, second] = await readTagged(
      [
        element('P', text('The table begins here.', 740)),
        element(
          'Table',
          element(
            'TR',
            element('TD', { page: 0, operators: text('a river', 700) }),
            element(
              'TD',
              { page: 0, operators: text('a long', 700, 300) },
              { page: 1, operators: text('hill', 740, 300) },
            ),
          ),
          element('TR', ...cells(1, 700)),
          element('TR', ...cells(2, 680)),
        ),
      ],
      ['', ''],
    )
    expect(second).toBe('|  | hill |\n| --- | --- |\n| river 1 | hill 1 |\n| river 2 | hill 2 |')
  })

  test('does not count as a cell what else a row began with on the page before', async () => {
    const row = (index: number) =>
      element(
        'TR',
        element('TD', { page: 1, operators: text(`river ${index}`, 720 - index * 20) }),
        element('TD', { page: 1, operators: text(`hill ${index}`, 720 - index * 20, 300) }),
        element('TD'),
      )
    const [, second] = await readTagged(
      [
        element(
          'Table',
          element(
            'TR',
            { page: 0, operators: text('+', 712, 60) },
            element('TD', { page: 0, operators: text('a river', 712) }),
            element(
              'TD',
              { page: 0, operators: text('a long', 712, 300) },
              { page: 1, operators: text('hill', 740, 300) },
            ),
          ),
          row(1),
          row(2),
          row(3),
        ),
      ],
      ['', ''],
    )
    expect(second).toBe('|  | hill |\n| --- | --- |\n| river 1 | hill 1 |\n| river 2 | hill 2 |\n| river 3 | hill 3 |')
  })

  test('leaves out what is part of the page and not of the text', async () => {
    const watermark = asArtifact(showText('DRAFT', { x: 300, y: 706 }))
    const [page] = await readTagged([element('P', showLines(prose, { x: 72, y: 712 }))], [watermark])
    expect(page).toBe(prose.join(' '))
  })

  test('keeps an inscription above the text, such as the address of the sender', async () => {
    const sender = asArtifact(text('River Company, 1 Hill Street', 770))
    const [page] = await readTagged([element('P', showLines([...prose, ...prose], { x: 72, y: 700 }))], [sender])
    expect(page).toMatch(/^River Company, 1 Hill Street\n\nThe river/)
  })

  test('leaves out running heads that the structure contains', async () => {
    const pages = Array.from({ length: 8 }, (_, page) => [
      element('P', { page, operators: text('The Book of Rivers', 770) }),
      element('P', { page, operators: showLines([...prose, ...prose, `Page number ${page}.`], { x: 72, y: 700 }) }),
    ])
    const read = await readTagged(
      pages.flat(),
      pages.map(() => ''),
    )
    expect(read).toHaveLength(8)
    for (const page of read) expect(page).toMatch(/^The river rises/)
  })

  test('keeps a label without a text', async () => {
    const [page] = await readTagged([
      element('P', showLines(prose, { x: 72, y: 740 })),
      element('L', element('LI', element('Lbl', text('27.', 690)))),
    ])
    expect(page).toMatch(/\n\n27\\\.$/)
  })

  test('separates a listing from the paragraph that contains it', async () => {
    const code = showLines(['let river = 1', 'let hill = 2'], { x: 90, y: 676, font: 'F3' })
    const [page] = await readTagged([
      element(
        'P',
        showLines(prose, { x: 72, y: 712 }),
        text('It is set as follows:', 688),
        code,
        text('The rest follows.', 652),
      ),
    ])
    expect(page).toContain('It is set as follows:\n\n```\nlet river = 1\nlet hill = 2\n```\n\nThe rest follows.')
  })

  test('makes one listing of lines that are paragraphs', async () => {
    const lines = ['let river = 1', 'let hill = 2', 'let sea = 3']
    const [page] = await readTagged([
      element('P', showLines(prose, { x: 72, y: 740 })),
      ...lines.map((line, index) => element('P', showText(line, { x: 72, y: 700 - index * 12, font: 'F3' }))),
    ])
    expect(page).toBe(`${prose.join(' ')}\n\n\`\`\`\n${lines.join('\n')}\n\`\`\``)
  })

  test('leaves the lines of an address as they are', async () => {
    const [page] = await readTagged([
      element('P', showLines(prose, { x: 72, y: 740 })),
      element('P', showLines(['River Company', '1 Hill Street', 'Seaside'], { x: 72, y: 690 })),
    ])
    expect(page).toBe(`${prose.join(' ')}\n\nRiver Company  \n1 Hill Street  \nSeaside`)
  })
})

describe('the structure of a page is not used', () => {
  const paragraph = element('P', showLines(prose, { x: 72, y: 740 }))

  test('if text between its parts belongs to none', async () => {
    const [page] = await readTagged(
      [element('H1', text('Springs', 600)), paragraph],
      [showLines(['These words are in no element of the structure.'], { x: 72, y: 680 })],
    )
    expect(page).toBe(`${prose.join(' ')}\n\nThese words are in no element of the structure.\n\nSprings`)
  })

  test('if most of the page counts as its layout', async () => {
    const [page] = await readTagged(
      [element('P', text('One line.', 500))],
      [asArtifact(showLines([...prose, ...prose], { x: 72, y: 740 }))],
    )
    expect(page).toContain('valleys, each wider')
  })

  test('if the names of the fields of a form count as its layout', async () => {
    const names = ['Name of the owner', 'Street, number, and room', 'City, state, and country', 'Number of the account']
    const rows = [...names, ...names].map((name, index) => text(name, 660 - index * 20))
    const [page] = await readTagged(
      [740, 480].map((y) => element('P', showLines([...prose, ...prose, ...prose], { x: 72, y }))),
      [asArtifact(rows.join(''))],
    )
    for (const name of names) expect(page?.split(name)).toHaveLength(3)
  })

  test('if each line is a paragraph', async () => {
    const lines = [...prose, ...prose, ...prose, ...prose].map((line) => line.toLowerCase().replace(/\.$/, ''))
    const [page] = await readTagged(
      lines.map((line, index) => element('P', showText(line, { x: 72, y: 740 - index * 12 }))),
    )
    expect(page).toBe(lines.join(' '))
  })

  test('if there is too much of it', async () => {
    const [page] = await readTagged([
      element('H1', text('Springs', 700)),
      paragraph,
      ...Array.from({ length: 21_000 }, () => element('P')),
    ])
    expect(page).toBe(`${prose.join(' ')}\n\nSprings`)
  })

  test('if its elements contain one another in a circle', async () => {
    const pdf = taggedPdf([element('Document', element('Sect', element('H1', text('Springs', 700)), paragraph))])
    const circular = new Map(pdf.objects)
    for (const [number, object] of circular)
      if (object.includes('/S /Sect')) circular.set(number, object.replace('/K [', '/K [1002 0 R '))
    const [page] = await readPdf({ ...pdf, objects: circular })
    expect(page).toContain(prose.join(' '))
    expect(page).toContain('Springs')
  })
})
