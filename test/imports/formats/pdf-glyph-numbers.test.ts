import { describe, expect, test } from 'vitest'
import type { Character, TextStyle } from '../../../src/imports/formats/pdf/characters/character.ts'
import { dropLineCodes } from '../../../src/imports/formats/pdf/characters/glyph-numbers.ts'
import { readPdf } from '../../support/read-pdf.ts'

/** The glyph order of Microsoft's fonts after ASCII, as far as the texts here use it. */
const further = new Map([
  ['é', 112],
  ['è', 113],
  ['ê', 114],
  ['œ', 176],
  ['’', 182],
  ['fi', 191],
])

/** The numbers of the glyphs of a text, in a font whose space has the number `space`. */
function numbersOf(text: string, space: number): string {
  const glyphs = text.match(/fi|[^]/gu) ?? []
  const numbers = glyphs.map((glyph) => further.get(glyph) ?? glyph.charCodeAt(0) - 32 + space)
  return numbers.map((number) => number.toString(16).padStart(4, '0')).join('')
}

/** The text of a page whose lines are in fonts without a mapping to Unicode. */
async function read(...lines: (readonly [text: string, space: number])[]): Promise<string> {
  const shown = lines.map(
    ([text, space], index) => `BT /F${index + 1} 10 Tf 72 ${700 - index * 60} Td <${numbersOf(text, space)}> Tj ET`,
  )
  const font = '/Type /Font /Subtype /Type0 /BaseFont /Made /Encoding /Identity-H /DescendantFonts [90 0 R]'
  const objects = new Map([
    ...lines.map((_, index) => [6 + index, `<< ${font} >>`] as const),
    [
      90,
      '<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Made /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 500 /FontDescriptor 91 0 R >>',
    ],
    [91, '<< /Type /FontDescriptor /FontName /Made /Flags 4 /FontBBox [0 0 500 500] /Ascent 500 /Descent 0 >>'],
  ])
  const [page = ''] = await readPdf({ pages: [{ content: shown.join('\n') }], objects })
  return page
}

const french = 'Venu au cinéma (1931), il s’est très vite intéressé aux œuvres et à la fiction'.replace('à', 'ê')

describe('fonts without a mapping to Unicode', () => {
  test('are read by the numbers of their glyphs, in the order of the fonts of Microsoft', async () => {
    expect(await read([french, 3])).toBe(french)
  })

  test.for([1, 2])('are read by the numbers of their glyphs if the space has the number %d', async (space) => {
    const text = 'The river rises in the hills (north) and runs to the sea.'
    expect(await read([text, space])).toBe(text)
  })

  test('have the order of another font of the file if their own text is too short to show it', async () => {
    expect(await read([french, 3], ['No. 7 a', 3])).toBe(`${french}\n\nNo. 7 a`)
  })

  test('leave the codes of symbol fonts beside them as they are', () => {
    const style: TextStyle = { font: 'cmex', matrix: [10, 0, 0, 10], x: 1, y: 0, em: 10, size: 10 }
    const of = (text: string, font: string): Character => {
      return { text, x: 0, y: 0, width: 5, style: { ...style, font }, sameObject: false, afterSpace: false }
    }
    const shown = [of('\f', 'cmex'), of('\f', 'text'), of('x', 'text')]
    const kept = dropLineCodes(shown, new Set(['cmex']))
    expect(kept.map(({ text, afterSpace }) => [text, afterSpace])).toEqual([
      ['\f', false],
      ['x', true],
    ])
  })

  test('keep their numbers if these are no text in a language', async () => {
    const page = await read(['XQZ KJW (VXQ) PZJ QWX ZKV JXQ', 3])
    expect(page).toMatch(/^;4=.*9;4 .*-;4$/)
  })
})
