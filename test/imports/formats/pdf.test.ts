import { describe, expect, test } from 'vitest'
import { defaultLimits } from '../../../src/imports/formats/format.ts'
import type { ExtractedPage, BookReader } from '../../../src/imports/formats/format.ts'
import type { OpenPdfFile } from '../../../src/imports/formats/pdf/open-pdf-file.ts'
import { openPdfWith } from '../../../src/imports/formats/pdf/open-pdf.ts'
import { pdfEngines, readWithEachEngine } from '../../support/pdf-engines.ts'
import { showText, writePdf } from '../../support/pdf.ts'
import type { TestOutline, TestPdf } from '../../support/pdf.ts'

interface Read {
  info: BookReader['info']
  pages: ExtractedPage[]
  toc: Awaited<ReturnType<BookReader['toc']>>
}

async function read(pdf: TestPdf): Promise<Read> {
  return readWithEachEngine((engine) => readWith(engine, pdf))
}

async function readWith(engine: OpenPdfFile, pdf: TestPdf): Promise<Read> {
  const book = await openPdfWith(engine, writePdf(pdf), defaultLimits)
  const pages: ExtractedPage[] = []
  for await (const page of book.pages()) pages.push(page)
  expect(pages).toHaveLength(book.pageCount ?? -1)
  const toc = await book.toc()
  await book.close()
  return { info: book.info, pages, toc }
}

function sentence(number: number): string {
  return showText(`This is the text of page number ${number}.`, { x: 72, y: 600 })
}

function chapter(number: number): string {
  return showText(`Chapter ${number}`, { x: 72, y: 700, size: 20, font: 'F2' }) + sentence(number)
}

function list(items: string[]): string {
  return `<rdf:Seq>${items.map((item) => `<rdf:li>${item}</rdf:li>`).join('')}</rdf:Seq>`
}

describe('pages', () => {
  test('each page of the file is one page of the book, and a blank one has no content', async () => {
    const { pages } = await read({ pages: [{ content: sentence(1) }, { content: '' }, { content: sentence(3) }] })
    expect(pages.map((page) => page.content)).toEqual([
      'This is the text of page number 1.',
      '',
      'This is the text of page number 3.',
    ])
  })

  test('compressed pages give the same result', async () => {
    const { pages } = await read({ pages: [{ content: sentence(1) }], compress: true })
    expect(pages[0]?.content).toBe('This is the text of page number 1.')
  })

  test('a rotated page is read as displayed', async () => {
    const { pages } = await read({ pages: [{ content: sentence(1), rotate: 90 }] })
    expect(pages[0]?.content).toBe('This is the text of page number 1.')
  })

  test('vertical text in the margin comes after the text of the page', async () => {
    const margin = 'BT /F1 10 Tf 0 1 -1 0 30 200 Tm (Draft of May) Tj ET\n'
    const { pages } = await read({ pages: [{ content: margin + sentence(1) }] })
    expect(pages[0]?.content).toBe('This is the text of page number 1.\n\nDraft of May')
  })

  test('printed labels are given if the file has them', async () => {
    const labels = '<< /Nums [0 << /S /r >> 2 << /S /D /St 1 >>] >>'
    const content = { content: sentence(1) }
    const { pages } = await read({ pages: [content, content, content], labels })
    expect(pages.map((page) => page.label)).toEqual(['i', 'ii', '1'])
  })

  test('without printed labels the label is null', async () => {
    const { pages } = await read({ pages: [{ content: sentence(1) }] })
    expect(pages[0]?.label).toBeNull()
  })

  test('a page covered by an image is a picture; one with a small image is not', async () => {
    const { pages } = await read({
      pages: [
        { content: 'q 612 0 0 792 0 0 cm /Im Do Q' },
        { content: 'q 60 0 0 60 100 100 cm /Im Do Q' },
        { content: 'q 612 0 0 792 0 0 cm 0 0 1 1 re f Q' },
      ],
    })
    expect(pages.map((page) => page.picture)).toEqual([true, false, false])
  })

  test('an image in strips counts as a whole', async () => {
    const strips = Array.from({ length: 8 }, (_, index) => `q 612 0 0 90 0 ${index * 99} cm /Im Do Q\n`)
    const { pages } = await read({ pages: [{ content: strips.join('') }] })
    expect(pages[0]?.picture).toBe(true)
  })

  test('text in a font without Unicode is reported as garbled', async () => {
    const half = showText('abcdefghij', { x: 72, y: 600 }) + showText('abcdefghij', { x: 72, y: 560, font: 'F4' })
    const { pages } = await read({ pages: [{ content: half }, { content: sentence(2) }] })
    expect(pages.map((page) => page.garbled)).toEqual([0.5, 0])
  })

  // Engines map undefined codes to different characters.
  test.for(pdfEngines)('control characters and lone surrogates of %s are removed', async ([, engine]) => {
    const codes = Array.from({ length: 255 }, (_, index) => `\\${(index + 1).toString(8).padStart(3, '0')}`)
    const content = `BT /F1 4 Tf 1 0 0 1 20 600 Tm (a${codes.join('')}b) Tj ET`
    const { pages } = await readWith(engine, { pages: [{ content }] })
    // oxlint-disable-next-line no-control-regex -- what must not be there
    expect(pages[0]?.content).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\ufffe\uffff]|\p{Cs}/u)
  })
})

describe('the metadata of a PDF', () => {
  test('title, author and subject come from the information dictionary, the language from the catalog', async () => {
    const { info } = await read({
      pages: [{ content: sentence(1) }],
      info: '/Title (On  Rivers) /Author (A. Writer) /Subject (Water) /Keywords (ISBN 978-0-306-40615-7)',
      catalog: '/Lang (pt_BR)',
    })
    expect(info).toEqual({
      title: 'On Rivers',
      author: 'A. Writer',
      language: 'pt-BR',
      publisher: null,
      isbn: '9780306406157',
      description: 'Water',
    })
  })

  test('XMP supplies what the dictionary lacks', async () => {
    const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>On Hills</dc:title>
      <dc:creator>${list(['A', 'B'])}</dc:creator><dc:publisher>${list(['House'])}</dc:publisher></rdf:Description>
      </rdf:RDF></x:xmpmeta>`
    const { info } = await read({ pages: [{ content: sentence(1) }], xmp })
    expect(info).toMatchObject({ title: 'On Hills', author: 'A, B', publisher: 'House' })
  })

  test.for([
    ['a file name', '(chapter.dvi)', null],
    ['a default', '(untitled)', null],
    ["the word processor's prefix", '(Microsoft Word - Report)', 'Report'],
    ['an internal name of TeX', '(beamer@headercolorRivers of Asia)', 'Rivers of Asia'],
    ['an address', '(rivers@example.org)', 'rivers@example.org'],
    ['the name of a graphic', '(A:/RIVERS/RHINE.EPS)', null],
    ['control characters', '(One\\001 two)', 'One two'],
    ['the height of a line break in TeX', '(On Hills [.25cm]Volume [1])', 'On Hills Volume [1]'],
    ['UTF-8 read as Latin-1', '(Sur l\\303\\251t\\303\\251)', 'Sur lété'],
  ] as const)('a title is not %s', async ([, title, expected]) => {
    const { info } = await read({ pages: [{ content: sentence(1) }], info: `/Title ${title}` })
    expect(info.title).toBe(expected)
  })

  test('an ISBN with a wrong check digit is ignored', async () => {
    const { info } = await read({ pages: [{ content: sentence(1) }], info: '/Keywords (ISBN 978-0-306-40615-8)' })
    expect(info.isbn).toBeNull()
  })
})

describe('table of contents', () => {
  const pages = [1, 2, 3, 4].map((number) => ({ content: sentence(number) }))

  test('the outline gives titles, levels and pages, for all forms of destinations', async () => {
    const outline: TestOutline[] = [
      { title: 'One', page: 0, children: [{ title: 'Two', page: 1, by: 'name' }] },
      { title: 'Three', page: 2, by: 'action' },
    ]
    const { toc } = await read({ pages, outline })
    expect(toc).toEqual([
      { title: 'One', page: 1, level: 1 },
      { title: 'Two', page: 2, level: 2 },
      { title: 'Three', page: 3, level: 1 },
    ])
  })

  test('an entry without a page gets that of its first child; one without a destination is dropped', async () => {
    const outline: TestOutline[] = [
      { title: 'Part', page: null, children: [{ title: 'Chapter', page: 2 }] },
      { title: 'Lost', page: null },
      { title: 'End', page: 3 },
    ]
    const { toc } = await read({ pages, outline })
    expect(toc).toEqual([
      { title: 'Part', page: 3, level: 1 },
      { title: 'Chapter', page: 3, level: 2 },
      { title: 'End', page: 4, level: 1 },
    ])
  })

  test.for([
    ['in PDFDocEncoding', 'Les param\\351tres', 'Les paramétres'],
    ['in UTF-8 without a mark', 'Les param\\303\\250tres', 'Les paramètres'],
    ['in UTF-8 with a byte of another letter', 'r\\303\\252ve d\\303\\251j\\303\\240', 'rêve déjà'],
    ['in UTF-8 that was converted once more', '\\376\\377\\000\\303\\002\\306', 'È'],
    ['in UTF-8 with a capital', '\\303\\211tude', 'Étude'],
    ['in UTF-8 beside correct letters', '\\234uvre de No\\303\\253l', 'œuvre de Noël'],
    ['in UTF-8, incomplete', 'param\\303', 'paramÃ'],
    ['with a letter in quotation marks', '\\253\\311\\273', '«É»'],
    ['with a capital before a quotation mark', '\\253IRM\\303\\273', '«IRMÃ»'],
  ] as const)('a title %s', async ([, written, title]) => {
    const { toc } = await read({ pages, outline: [{ title: written, page: 0 }] })
    expect(toc).toEqual([{ title, page: 1, level: 1 }])
  })

  test('without an outline it consists of the headings', async () => {
    const { toc } = await read({ pages: [1, 2, 3].map((number) => ({ content: chapter(number) })) })
    expect(toc).toEqual([1, 2, 3].map((number) => ({ title: `Chapter ${number}`, page: number, level: 1 })))
  })

  test('a book without headings has none', async () => {
    expect((await read({ pages })).toc).toEqual([])
  })
})
