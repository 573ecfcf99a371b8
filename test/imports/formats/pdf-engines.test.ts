import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { combineEngines } from '../../../src/imports/formats/pdf/open-pdf-file.ts'
import type { TextEngine } from '../../../src/imports/formats/pdf/open-pdf-file.ts'
import type { PageText, PdfFile, TextRun } from '../../../src/imports/formats/pdf/page/pdf-file.ts'
import { collectItems, withVerticalFaces } from '../../../src/imports/formats/pdf/pdfium/pdfium-items.ts'
import { openWithPdfium } from '../../../src/imports/formats/pdf/pdfium/pdfium-pages.ts'
import { advance } from '../../../src/imports/formats/pdf/characters/character-places.ts'
import type { TextStyle } from '../../../src/imports/formats/pdf/characters/character.ts'
import { openWithPdfjs } from '../../../src/imports/formats/pdf/pdfjs/pdfjs.ts'
import { readRuns } from '../../../src/imports/formats/pdf/characters/read-runs.ts'
import { assemblePdf, showText, writePdf } from '../../support/pdf.ts'
import { codesOf, writeUnicodePdf } from '../../support/unicode-pdf.ts'

const font = { bold: false, italic: false, mono: false, vertical: false }

function pageOf(text: string, garbled = 0): PageText {
  const run: TextRun = { text, x: 0, y: 0, width: 9, size: 9, font, rotation: 0, hasSpaceBefore: false, rtl: false }
  return { width: 100, height: 100, runs: text === '' ? [] : [run], picture: false, garbled }
}

/** A file that is read by these two engines. Counts how often the reference engine is asked. */
function engines(fast: (number: number) => PageText | null, reference: (number: number) => PageText) {
  const asked: number[] = []
  const closed: string[] = []
  const text: TextEngine = { pageCount: 50, page: fast, close: () => void closed.push('fast') }
  const file: PdfFile = {
    pageCount: 50,
    metadata: async () => ({ info: new Map(), xmp: new Map() }),
    labels: async () => ['i'],
    outline: async () => [],
    page: async (number) => {
      asked.push(number)
      return reference(number)
    },
    close: async () => void closed.push('reference'),
  }
  return { text, file, asked, closed }
}

async function textOfPages(file: PdfFile, count: number): Promise<string[]> {
  const texts: string[] = []
  for (let number = 1; number <= count; number += 1) texts.push((await file.page(number)).runs[0]?.text ?? '')
  return texts
}

describe('which engine reads a page', () => {
  test('the fast engine, without asking the other', async () => {
    const { text, file, asked } = engines(
      (number) => pageOf(`fast ${number}`),
      () => pageOf('slow'),
    )
    expect(await textOfPages(combineEngines(text, file), 3)).toEqual(['fast 1', 'fast 2', 'fast 3'])
    expect(asked).toEqual([])
  })

  test('the reference engine reads a page that the fast engine cannot read', async () => {
    const { text, file } = engines(
      (number) => (number === 2 ? null : pageOf('fast')),
      () => pageOf('slow'),
    )
    expect(await textOfPages(combineEngines(text, file), 3)).toEqual(['fast', 'slow', 'fast'])
  })

  test.for([
    ['has no text according to the fast engine', pageOf(''), pageOf('slow'), 'slow'],
    ['is half unreadable according to the fast engine', pageOf('fast', 0.5), pageOf('slow', 0.1), 'slow'],
    ['is unreadable according to both engines', pageOf('fast', 0.5), pageOf('slow', 0.4), 'fast'],
    ['lacks a few ligatures according to the fast engine', pageOf('fast', 0.01), pageOf('slow', 0), 'slow'],
    ['has a few unreadable characters according to both engines', pageOf('fast', 0.01), pageOf('slow', 0.01), 'fast'],
    ['has text only according to the fast engine', pageOf('fast', 0.5), pageOf(''), 'fast'],
  ] as const)('a page that %s', async ([, fast, slow, expected]) => {
    const { text, file } = engines(
      () => fast,
      () => slow,
    )
    expect(await textOfPages(combineEngines(text, file), 1)).toEqual([expected])
  })

  test('the reference engine reads the rest of a book that it reads better', async () => {
    const fast: number[] = []
    const { text, file } = engines(
      (number) => {
        fast.push(number)
        return pageOf('fast', 0.9)
      },
      () => pageOf('slow'),
    )
    expect(new Set(await textOfPages(combineEngines(text, file), 20))).toEqual(new Set(['slow']))
    expect(fast).toEqual([1, 2, 3, 4])
  })

  test('the reference engine is asked for only a few pages of a scanned book', async () => {
    const { text, file, asked } = engines(
      () => pageOf(''),
      () => pageOf(''),
    )
    await textOfPages(combineEngines(text, file), 50)
    expect(asked).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  test('the reference engine reads the whole book if the page counts differ', async () => {
    const { text, file } = engines(
      () => pageOf('fast'),
      () => pageOf('slow'),
    )
    expect(await textOfPages(combineEngines({ ...text, pageCount: 49 }, file), 2)).toEqual(['slow', 'slow'])
  })

  test('both are closed', async () => {
    const { text, file, closed } = engines(
      () => pageOf('fast'),
      () => pageOf('slow'),
    )
    await combineEngines(text, file).close()
    expect(closed).toEqual(['fast', 'reference'])
  })
})

/** The runs of the first page from both engines, with positions rounded to points and without font faces. */
async function bothRuns(bytes: Uint8Array): Promise<[fast: object[], reference: object[]]> {
  const reference = await openWithPdfjs(bytes)
  const fast = await openWithPdfium(bytes)
  const pages = [fast?.page(1) ?? pageOf('not read'), await reference.page(1)]
  fast?.close()
  await reference.close()
  const [one = [], other = []] = pages.map(({ width, height, runs }) => [
    { width: Math.round(width), height: Math.round(height) },
    ...runs.map(({ font: _, ...run }) => ({ ...run, ...roundAll({ x: run.x, y: run.y, width: run.width }) })),
  ])
  return [one, other]
}

function roundAll(values: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Math.round(value) + 0])) // no negative zero
}

describe('PDFium and pdf.js return the same runs', () => {
  test.for([
    ['a line of two fonts', 'BT /F1 10 Tf 72 700 Td (Spring ) Tj /F2 10 Tf (is) Tj /F3 8 Tf ( near) Tj ET'],
    ['a scaled matrix', 'BT /F1 1 Tf 12 0 0 12 72 700 Tm (A line of words) Tj ET'],
    ['a transformed page', 'q 2 0 0 2 10 10 cm BT /F1 6 Tf 20 300 Td (A line of words) Tj ET Q'],
    ['condensed letters', 'BT /F1 12 Tf 80 Tz 72 700 Td (A line of words) Tj ET'],
    ['upward text', 'BT /F1 10 Tf 0 1 -1 0 30 200 Tm (Draft of May) Tj ET'],
    ['downward text', 'BT /F1 10 Tf 0 -1 1 0 30 400 Tm (Draft of May) Tj ET'],
    ['upside-down text', 'BT /F1 10 Tf -1 0 0 -1 300 400 Tm (Draft of May) Tj ET'],
    ['columns', 'BT /F1 10 Tf 72 700 Td (One) Tj 200 0 Td (Two) Tj -200 -12 Td (Three) Tj ET'],
    ['words separated by gaps', 'BT /F1 10 Tf 72 700 Td [(One) -400 (two) -20 (three)] TJ ET'],
    ['raised figures', 'BT /F1 10 Tf 72 700 Td (water) Tj /F1 7 Tf 4 Ts (12) Tj ET'],
    ['text outside of the page', 'BT /F1 10 Tf 72 700 Td (seen) Tj 2000 0 Td (not seen) Tj ET'],
  ] as const)('%s', async ([, content]) => {
    const [fast, reference] = await bothRuns(writePdf({ pages: [{ content }] }))
    expect(fast).toEqual(reference)
    expect(fast.length).toBeGreaterThan(1)
  })

  test('bold, italic and monospaced fonts are recognized by name and widths', async () => {
    const content = 'BT /F1 10 Tf 72 700 Td (Spring ) Tj /F2 10 Tf (is) Tj /F3 8 Tf ( near) Tj ET'
    const runs = await fastRuns(writePdf({ pages: [{ content }] }))
    expect(runs.map(({ text, font: { bold, mono } }) => ({ text, bold, mono }))).toEqual([
      { text: 'Spring', bold: false, mono: false },
      { text: 'is', bold: true, mono: false },
      { text: 'near', bold: false, mono: true },
    ])
  })

  test('letters of a negative size and a negative width', async () => {
    const content = 'q 1 0 0 -1 0 792 cm BT -100 Tz /F1 -10 Tf 72 92 Td (A line of words) Tj ET Q'
    const [run] = await fastRuns(writePdf({ pages: [{ content }] }))
    expect(run).toMatchObject({ text: 'A line of words', rotation: 0, size: 10, x: 72, y: 92 })
  })

  test.for([0, 90, 180, 270])('a page rotated by %d degrees', async (rotate) => {
    const content = showText('A line of words', { x: 72, y: 700 })
    const [fast, reference] = await bothRuns(writePdf({ pages: [{ content, rotate, width: 500 }] }))
    expect(fast).toEqual(reference)
  })
})

async function fastRuns(bytes: Uint8Array): Promise<TextRun[]> {
  const fast = await openWithPdfium(bytes)
  const page = fast?.page(1)
  fast?.close()
  return page?.runs ?? []
}

describe('text that does not run from left to right', () => {
  test.each([8, 30, 45, 70, 83])('words at an angle of %i degrees are whole', async (degrees) => {
    const [x, y] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
    const words = `${codesOf('outer')} -330 ${codesOf('ring')}`
    const pdf = writeUnicodePdf(`BT /F1 10 Tf ${x} ${y} ${-y} ${x} 150 300 Tm [${words}] TJ ET`)
    const tall = Buffer.from(pdf).toString('latin1').replace('-200 1000 800', '-700 1000 999')
    const runs = await fastRuns(Buffer.from(tall, 'latin1'))
    expect(runs.map(({ text, width }) => ({ text, width: Math.round(width) }))).toEqual([
      { text: 'outer ring', width: 48 },
    ])
  })

  const letters = '<0043> <0924> <0044> <093e> <0045> <092c>'

  test('glyphs without text in a font that maps groups of letters are omitted', async () => {
    const mapping = `5 beginbfchar <0041> <> <0042> <0915093f> ${letters} endbfchar`
    const runs = await fastRuns(writeUnicodePdf(`BT /F1 10 Tf 72 700 Td ${codesOf('ABCDECABC')} Tj ET`, mapping))
    expect(runs.map(({ text }) => text)).toEqual(['किताबतकित'])
  })

  test('in a font that maps each glyph, those without text are kept as unreadable', async () => {
    const mapping = `6 beginbfchar <0042> <0915> <0046> <093f> <0047> <09240930> ${letters} endbfchar`
    const runs = await fastRuns(writeUnicodePdf(`BT /F1 10 Tf 72 700 Td ${codesOf('FBCGEACD')} Tj ET`, mapping))
    expect(runs.map(({ text }) => text).join('')).toBe('िकततरबAता')
  })

  test.for([
    ['Hindi', 'मुझे कोड दिखाओ', 'ुेोिा'],
    ['Bengali', 'সর্বজনীন ঘোষণা ও অধিকারে স্বাধীন', '্ীোািে'],
    ['beside other letters, in a font whose codes are those of Unicode', 'Pokaži সস্তা', '্া'],
  ] as const)('marks without a width belong to the letters around them: %s', async ([, text, marks]) => {
    const content = `BT /F1 12 Tf 72 700 Td ${codesOf(text)} Tj ET`
    const runs = await fastRuns(writeUnicodePdf(content, undefined, { width: 1_000, marks }))
    expect(runs.map((run) => (run.hasSpaceBefore ? ` ${run.text}` : run.text)).join('')).toBe(text)
  })

  test.for([
    ['a mark has none', '\u0941', 0],
    ['a mark of a right-to-left script has half an em, because files draw it apart from its letter', '\u064e', 5],
    ['a letter has half an em', 'x', 5],
  ] as const)('the advance of characters without a width: %s', ([, text, expected]) => {
    const style: TextStyle = { font: 'f0', matrix: [10, 0, 0, 10], x: 1, y: 0, em: 10, size: 10 }
    expect(advance({ text, x: 0, y: 0, width: 0, style, sameObject: true, afterSpace: false })).toBe(expected)
  })

  test('Hebrew, which files store in visual order, is returned in reading order', async () => {
    const shown = Array.from('שלום עולם').toReversed().join('')
    const runs = await fastRuns(writeUnicodePdf(`BT /F1 10 Tf 72 700 Td ${codesOf(shown)} Tj ET`))
    expect(runs.map(({ text, rtl, x }) => ({ text, rtl, x: Math.round(x) }))).toEqual([
      { text: 'שלום עולם', rtl: true, x: 72 },
    ])
  })

  test('digits and Latin words beside it are separate runs in their own order', async () => {
    const shown = `Web 12 ${Array.from('פרק').toReversed().join('')}`
    const runs = await fastRuns(writeUnicodePdf(`BT /F1 10 Tf 72 700 Td ${codesOf(shown)} Tj ET`))
    const rtl = runs.filter((run) => run.rtl).map(({ text }) => text)
    const ltr = runs.filter((run) => !run.rtl).toSorted((a, b) => a.x - b.x)
    expect(rtl).toEqual(['פרק'])
    expect(ltr.map(({ text }) => text).join(' ')).toBe('Web 12')
  })

  test('joined Arabic letters are one word, even if the engine separates them; a gap is a space', () => {
    const style: TextStyle = { font: 'f0', matrix: [10, 0, 0, 10], x: 1, y: 0, em: 10, size: 10 }
    const { add, end } = collectItems()
    for (const [text, x, afterSpace] of [
      ['ر', 100, false],
      ['ا', 95, true],
      ['ه', 90, true],
      ['ج', 83, true],
      ['ا', 78, true],
      ['ی', 71, false],
    ] as const)
      add({ text, x, y: 700, width: 5, style, sameObject: true, afterSpace })
    const { runs } = readRuns(end(), [1, 0, 0, -1, 0, 792], new Map([['f0', font]]))
    expect(runs.map(({ text }) => text)).toEqual(['راه جا ی'])
  })

  test('characters below each other in one text object are one vertical run, and so is a single one in their font', () => {
    const style: TextStyle = { font: 'f0', matrix: [10, 0, 0, 10], x: 1, y: 0, em: 10, size: 10 }
    const { add, end } = collectItems()
    for (const [index, text] of ['縦', '書', 'き'].entries())
      add({ text, x: 300, y: 700 - index * 10, width: 10, style, sameObject: index > 0, afterSpace: false })
    add({ text: '文', x: 300, y: 400, width: 10, style, sameObject: false, afterSpace: false })
    const faces = withVerticalFaces(new Map([['f0', font]]))
    const { runs } = readRuns(end(), [1, 0, 0, -1, 0, 792], faces)
    expect(runs).toMatchObject([
      { text: '縦書き', rotation: 1, width: 30, size: 10, x: 305, y: expect.closeTo(83.4), font: { vertical: true } },
      { text: '文', rotation: 1, width: 10 },
    ])
  })

  test('a glyph of unknown meaning is counted and omitted', async () => {
    const fast = await openWithPdfium(writeUnicodePdf(`BT /F1 10 Tf 72 700 Td ${codesOf('ab\u0000cd')} Tj ET`))
    expect(fast?.page(1)).toMatchObject({ garbled: 0.2, runs: [{ text: 'abcd' }] })
    fast?.close()
  })
})

describe('a hostile file ends the engine, not the process', () => {
  const box = '/MediaBox [0 0 612 792] /Resources << /Font << /F1 6 0 R >> >>'
  function withOperators(operators: string): Uint8Array {
    const data = deflateSync(Buffer.from(operators))
    const head = Buffer.from(`<< /Filter /FlateDecode /Length ${data.length} >>\nstream\n`)
    return assemblePdf(
      new Map<number, string | Buffer>([
        [1, '<< /Type /Catalog /Pages 2 0 R >>'],
        [2, '<< /Type /Pages /Count 1 /Kids [4 0 R] >>'],
        [3, '<< >>'],
        [4, `<< /Type /Page /Parent 2 0 R ${box} /Contents 5 0 R >>`],
        [5, Buffer.concat([head, data, Buffer.from('\nendstream')])],
        [6, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'],
      ]),
    )
  }

  test.for([
    ['two million lines', '0 0 m 9 9 l S '.repeat(2_000_000)],
    ['a million text objects', 'BT /F1 9 Tf 9 9 Td (abcdefgh) Tj ET '.repeat(1_000_000)],
    ['three million graphics states that are never restored', 'q '.repeat(3_000_000)],
    ['a stream of 100 MB', ' '.repeat(100_000_000)],
  ] as const)('%s', async ([, operators]) => {
    const before = process.memoryUsage().rss
    const fast = await openWithPdfium(withOperators(operators))
    expect(fast?.page(1)).toBeNull()
    expect(fast?.page(1)).toBeNull()
    fast?.close()
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024)
    const next = await openWithPdfium(writePdf({ pages: [{ content: showText('Hello', { x: 72, y: 700 }) }] }))
    expect(next?.page(1)?.runs.map(({ text }) => text)).toEqual(['Hello'])
    next?.close()
  })

  test('a file that PDFium cannot open is read by the other engine', async () => {
    expect(await openWithPdfium(new TextEncoder().encode('This is no PDF. '.repeat(50)))).toBeNull()
  })
})
