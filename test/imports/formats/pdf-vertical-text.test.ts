import { describe, expect, test } from 'vitest'
import { openWithPdfium } from '../../../src/imports/formats/pdf/pdfium/pdfium-pages.ts'
import type { TextRun } from '../../../src/imports/formats/pdf/page/pdf-file.ts'
import { joinVerticalText } from '../../../src/imports/formats/pdf/pdfium/vertical-text.ts'
import { assemblePdf } from '../../support/pdf.ts'

const font = { bold: false, italic: false, mono: false, vertical: false }

function runOf(text: string, x: number, y: number, size = 10): TextRun {
  return { text, x, y, width: size * text.length, size, font, rotation: 0, hasSpaceBefore: false, rtl: false }
}

/** The characters of a text below each other, each a run, from the baseline `y` of the first one. */
function column(text: string, x: number, y: number, size = 10): TextRun[] {
  return [...text].map((character, index) => runOf(character, x, y + index * size, size))
}

describe('characters that a PDF places below each other one by one', () => {
  test('are vertical lines, with signs as in horizontal text', () => {
    const [first, second, ...others] = joinVerticalText([
      ...column('春はあけぼの\ufe12', 200, 50),
      ...column('やう', 180, 50),
    ])
    expect(first).toMatchObject({
      text: '春はあけぼの。',
      x: 205,
      y: 41.4,
      width: 70,
      rotation: 1,
      font: { vertical: true },
    })
    expect(second).toMatchObject({ text: 'やう', x: 185, width: 20, rotation: 1 })
    expect(others).toEqual([])
  })

  test('have the readings beside them in brackets after the characters that these explain', () => {
    const [春, ...others] = column('春はあけぼの', 200, 50)
    const reading = column('はる', 210, 46, 5)
    const runs = joinVerticalText([春, ...reading, ...others] as TextRun[])
    expect(runs.map(({ text }) => text)).toEqual(['春(はる)はあけぼの'])
  })

  test('are one line with turned words and with characters that readings move aside', () => {
    const turned: TextRun = { ...runOf('2026', 201.4, 71.4), width: 22, rotation: 1 }
    const runs = joinVerticalText([...column('春はあ', 200, 50), ...column('けぼの', 196.4, 80), turned])
    expect(runs.map(({ x }) => Math.round(x))).toEqual([205, 205, 205])
  })

  test('stay as they are in a page of another kind', () => {
    const marks = [0, 1, 2, 3].flatMap((row) => [
      runOf(`Line ${row} of a table`, 50, 50 + row * 10),
      runOf('○', 200, 50 + row * 10),
    ])
    expect(joinVerticalText(marks)).toEqual(marks)
    const spaced = [0, 1, 2].flatMap((row) =>
      [...'春はあけぼのやうやう'].map((text, at) => runOf(text, 50 + at * 20, 50 + row * 15)),
    )
    expect(joinVerticalText(spaced)).toEqual(spaced)
  })

  test('leave a running head in another size as it is', () => {
    const head = [runOf('春', 50, 20, 8), runOf('枕', 62, 20, 8)]
    expect(joinVerticalText([...column('春はあけぼのやうやう', 200, 50), ...head]).slice(1)).toEqual(head)
  })
})

test('vertical lines of a PDF are runs, also if each character is a text object of its own', async () => {
  const letters = '春はあけぼのやうやう'
  const show = (from: number, to: number, x: number) =>
    Array.from({ length: to - from }, (_, at) => `BT /F1 10 Tf ${x} ${700 - at * 10} Td <6${from + at}> Tj ET`).join(
      '\n',
    )
  const content = `${show(0, 6, 300)}\n${show(6, 10, 280)}`
  const codes = [...letters].map((sign, at) => `<6${at}> <${sign.charCodeAt(0).toString(16).padStart(4, '0')}>`)
  const map = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /U def /CMapType 2 def
1 begincodespacerange <00> <ff> endcodespacerange ${codes.length} beginbfchar ${codes.join(' ')} endbfchar endcmap end end`
  const stream = (data: string) => `<< /Length ${data.length} >>\nstream\n${data}\nendstream`
  const resources = '/MediaBox [0 0 612 792] /Resources << /Font << /F1 6 0 R >> >>'
  const objects = new Map([
    [1, '<< /Type /Catalog /Pages 2 0 R >>'],
    [2, '<< /Type /Pages /Count 1 /Kids [4 0 R] >>'],
    [3, '<< >>'],
    [4, `<< /Type /Page /Parent 2 0 R ${resources} /Contents 5 0 R >>`],
    [5, stream(content)],
    [6, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 7 0 R >>'],
    [7, stream(map)],
  ])
  const file = await openWithPdfium(assemblePdf(objects))
  expect(file?.page(1)?.runs).toMatchObject([
    { text: '春はあけぼの', rotation: 1, x: expect.closeTo(305) },
    { text: 'やうやう', rotation: 1, x: expect.closeTo(285) },
  ])
  file?.close()
})
