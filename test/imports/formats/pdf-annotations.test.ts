import { describe, expect, test } from 'vitest'
import { defaultLimits } from '../../../src/imports/formats/format.ts'
import { openPdf } from '../../../src/imports/formats/pdf/open-pdf.ts'
import { showLines, showText, writePdf } from '../../support/pdf.ts'
import type { TestPdf } from '../../support/pdf.ts'

async function markdown(pdf: TestPdf): Promise<string[]> {
  const book = await openPdf(writePdf(pdf), defaultLimits)
  const pages: string[] = []
  for await (const page of book.pages()) pages.push(page.content)
  await book.close()
  return pages
}

async function onePage(content: string, annotations: string[], more: Partial<TestPdf> = {}): Promise<string> {
  const [page = ''] = await markdown({
    pages: [{ content, annotations }],
    catalog: '/AcroForm << /Fields [] >>',
    ...more,
  })
  return page
}

function field(entries: string, rect = '145 695 300 712'): string {
  return `<< /Type /Annot /Subtype /Widget /T (f) /F 4 /Rect [${rect}] ${entries} >>`
}

function note(entries: string): string {
  return `<< /Type /Annot /F 4 /Rect [300 600 320 620] ${entries} >>`
}

function link(rect: string, entries: string): string {
  return `<< /Type /Annot /Subtype /Link /Rect [${rect}] ${entries} >>`
}

const label = showText('Name of owner:', { x: 72, y: 700 })
const sentence = showText('The map is kept by the society of rivers and shown on request.', { x: 72, y: 700 })

describe('a form keeps', () => {
  test.for<[what: string, entries: string, line: string]>([
    ['text, beside its label', '/FT /Tx /V (Ada Lovelace)', 'Name of owner: Ada Lovelace'],
    ['text that Markdown would interpret', '/FT /Tx /V (*x*)', 'Name of owner: \\*x\\*'],
    ['text in UTF-16', '/FT /Tx /V <FEFF004A006F007300E9>', 'Name of owner: José'],
    ['the choice from a list', '/FT /Ch /Ff 131072 /V (b) /Opt [[(a) (Apple)] [(b) (Pear)]]', 'Name of owner: Pear'],
    [
      'the options of a list box, which it displays, and which of them are selected',
      '/FT /Ch /V [(b) (c)] /Opt [[(a) (Apple)] [(b) (Pear)] (c)]',
      'Name of owner: ☐ Apple ☒ Pear ☒ c',
    ],
    [
      'only the selected option of many',
      `/FT /Ch /V (7) /Opt [${Array.from({ length: 51 }, (_, index) => `(${index})`).join(' ')}]`,
      'Name of owner: 7',
    ],
    ['nothing of a password', '/FT /Tx /Ff 8192 /V (secret)', 'Name of owner:'],
    ['nothing of a hidden field', '/FT /Tx /V (unseen) /F 2', 'Name of owner:'],
    ['nothing of an empty field', '/FT /Tx', 'Name of owner:'],
  ])('%s', async ([, entries, line]) => {
    const content = await onePage(label, [field(entries).replace(entries.includes('/F 2') ? '/F 4' : '', '')])
    expect(content.replace(/\s+/g, ' ')).toBe(line)
  })

  test('the lines of a long text', async () => {
    const content = await onePage(label, [field('/FT /Tx /Ff 4096 /V (first line\\nsecond line)', '72 600 300 680')])
    expect(content).toMatch(/Name of owner:\s+first line\s+second line/)
  })

  test('a text whose value is a stream', async () => {
    const stream = (entries: string, data: string) =>
      `<< ${entries} /Length ${data.length} >>\nstream\n${data}\nendstream`
    const appearance = stream(
      '/Type /XObject /Subtype /Form /BBox [0 0 155 17] /Resources << /Font << /F1 6 0 R >> >>',
      'BT /F1 10 Tf 2 5 Td (Ada Lovelace) Tj ET',
    )
    const objects = new Map([
      [90, stream('', 'Ada Lovelace')],
      [91, appearance],
    ])
    const content = await onePage(label, [field('/FT /Tx /V 90 0 R /AP << /N 91 0 R >>')], { objects })
    expect(content.replace(/\s+/g, ' ')).toBe('Name of owner: Ada Lovelace')
  })

  test('which box is checked', async () => {
    const states = '/AP << /N << /Yes 10 0 R /Off 10 0 R >> >>'
    const boxes = [
      field(`/FT /Btn /V /Yes /AS /Yes ${states}`, '72 660 82 670'),
      field(`/FT /Btn /V /Off /AS /Off ${states}`, '72 640 82 650'),
    ]
    const content = showText('by post', { x: 90, y: 662 }) + showText('by mail', { x: 90, y: 642 })
    expect((await onePage(content, boxes)).replace(/\s+/g, ' ')).toBe('☒ by post ☐ by mail')
  })

  test('a value only once if the page also shows it', async () => {
    const content = await onePage(label + showText('Ada', { x: 150, y: 700 }), [field('/FT /Tx /V (Ada)')])
    expect(content.replace(/\s+/g, ' ')).toBe('Name of owner: Ada')
  })
})

describe('notes', () => {
  test('follow the text as comments with their author', async () => {
    const notes = [
      note('/Subtype /Text /Contents (Is this true?) /T (Ann)'),
      note('/Subtype /Highlight /QuadPoints [72 710 200 710 72 698 200 698] /Contents (first\\nsecond)'),
      note('/Subtype /Highlight /QuadPoints [72 710 200 710 72 698 200 698]'),
    ]
    expect(await onePage(sentence, notes)).toBe(
      'The map is kept by the society of rivers and shown on request.\n\n> **Comment by Ann:** Is this true?\n\n> **Comment:** first\n> second',
    )
  })

  test('free text on the page is part of the text', async () => {
    const text = note('/Subtype /FreeText /Contents (Approved in May) /DA (/Helv 10 Tf)')
    expect((await onePage(sentence, [text])).split(/\s{2,}/)).toContain('Approved in May')
  })
})

describe('links', () => {
  test('to the web are on their words', async () => {
    const action = '/A << /S /URI /URI (https://rivers.example/map) >>'
    expect(await onePage(sentence, [link('159 696 246 710', action)])).toBe(
      'The map is kept by [the society of rivers](https://rivers.example/map) and shown on request.',
    )
  })

  test('include a bracket that closes one inside them, but no brackets around them', async () => {
    const text = showText('See the map (new) and (the list).', { x: 72, y: 700 })
    const [map, list] = ['https://rivers.example/map', 'https://rivers.example/list']
    const content = await onePage(text, [
      link('90 698 148 710', `/A << /S /URI /URI (${map}) >>`),
      link('168 698 208 710', `/A << /S /URI /URI (${list}) >>`),
    ])
    expect(content).toBe(`See [the map (new)](${map}) and ([the list](${list})).`)
  })

  test('over several lines are one link', async () => {
    const lines = showLines(['The map is kept by the society of', 'rivers and shown on request.'], { x: 72, y: 700 })
    const quads = '/QuadPoints [159 710 219 710 159 698 219 698 72 698 97 698 72 686 97 686]'
    const content = await onePage(lines, [
      link('72 686 226 710', `${quads} /A << /S /URI /URI (https://rivers.example/) >>`),
    ])
    expect(content).toBe('The map is kept by [the society of rivers](https://rivers.example/) and shown on request.')
  })

  test('whose text is their address are autolinks', async () => {
    const content = await onePage(showText('See https://Rivers.example/map for more.', { x: 72, y: 700 }), [
      link('92 696 214 710', '/A << /S /URI /URI (https://Rivers.example/map) >>'),
    ])
    expect(content).toBe('See <https://Rivers.example/map> for more.')
  })

  test('to a page of the book contain its number; links to their own page, to programs and to nothing become text', async () => {
    const at = (entries: string) => ({ content: sentence, annotations: [link('159 696 246 710', entries)] })
    const pages = await markdown({
      pages: [
        at('/Dest [14 0 R /Fit]'),
        at('/Dest [14 0 R /Fit]'),
        at('/A << /S /GoTo /D [12 0 R /XYZ 0 0 0] >>'),
        at('/A << /S /URI /URI (javascript:alert\\(1\\)) >>'),
        at('/Dest (missing)'),
      ],
    })
    expect(pages.map((page) => /\[the society of rivers\]\(([^)]*)\)/.exec(page)?.[1])).toEqual([
      'page:2',
      undefined,
      'page:1',
      undefined,
      undefined,
    ])
    expect(pages[3]).toBe('The map is kept by the society of rivers and shown on request.')
  })

  test('stay in the cells of a table', async () => {
    const rows = [
      ['River', 'Map'],
      ['Danube', 'upper | lower'],
      ['Rhine', 'middle'],
    ]
    const cells = rows.flatMap((row, at) =>
      row.map((cell, column) => showText(cell, { x: 72 + column * 128, y: 570 - at * 14 })),
    )
    const content = await onePage(sentence + showText('Table 1: Maps', { x: 72, y: 600 }) + cells.join(''), [
      link('198 552 272 566', '/A << /S /URI /URI (https://rivers.example/a?b=1\\1742) >>'),
      link('198 538 250 552', '/A << /S /URI /URI (https://rivers.example/rhine) >>'),
    ])
    expect(content).toContain('| Danube | [upper \\| lower](https://rivers.example/a?b=1\\|2) |')
    expect(content).toContain('| Rhine | [middle](https://rivers.example/rhine) |')
  })

  test('an address cannot end the link early', async () => {
    const content = await onePage(sentence, [
      link('159 696 246 710', '/A << /S /URI /URI (https://x.example/a\\)b\\(c d) >>'),
    ])
    expect(content).toContain('(https://x.example/a%29b%28c%20d)')
  })
})
