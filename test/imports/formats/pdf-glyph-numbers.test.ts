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
  return await readLines(lines.map(([text, space]) => ({ codes: numbersOf(text, space) })))
}

/** A ToUnicode map with these lines. */
function mapStream(lines: string): string {
  const content = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /M def /CMapType 2 def
1 begincodespacerange <0000> <ffff> endcodespacerange ${lines} endcmap end end`
  return `<< /Length ${content.length} >> stream\n${content}\nendstream`
}

/** The text of a line whose characters are the numbers of its glyphs, in a font that maps those of `map` to Unicode. */
async function readCodes(text: string, { map = '', name = 'Made' } = {}): Promise<string> {
  const codes = Array.from(text, (sign) => sign.charCodeAt(0).toString(16).padStart(4, '0')).join('')
  return await readLines([{ codes, map }], name)
}

/** A line of text. `map` contains the lines of the ToUnicode map of its font. */
interface Line {
  codes: string
  map?: string
}

async function readLines(lines: readonly Line[], name = 'Made'): Promise<string> {
  const shown = lines.map(({ codes }, index) => {
    return `BT /F${index + 1} 10 Tf 72 ${700 - index * 60} Td <${codes}> Tj ET`
  })
  const font = `/Type /Font /Subtype /Type0 /BaseFont /${name} /Encoding /Identity-H /DescendantFonts [90 0 R]`
  const objects = new Map([
    ...lines.map(({ map }, index) => {
      const toUnicode = map ? ` /ToUnicode ${30 + index} 0 R` : ''
      return [6 + index, `<< ${font}${toUnicode} >>`] as const
    }),
    ...lines.flatMap(({ map }, index) => (map ? [[30 + index, mapStream(map)] as const] : [])),
    [
      90,
      `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /${name} /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 500 /FontDescriptor 91 0 R >>`,
    ],
    [91, `<< /Type /FontDescriptor /FontName /${name} /Flags 4 /FontBBox [0 0 500 500] /Ascent 500 /Descent 0 >>`],
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

  test('are read in the order of Calibri, which is that of the alphabet', async () => {
    // "Relación de datos" in the codes that other readers show.
    const codes = 'Z\u011e\u016f\u0102\u0110\u015d\u017f\u0176\u0003\u011a\u011e\u0003\u011a\u0102\u019a\u017d\u0190'
    const more =
      '\u0003\u0110\u017d\u0176\u0003\u016f\u0102\u0003\u0189\u0102\u018c\u019a\u015d\u0110\u015d\u0189\u0102\u0110\u015d\u017f\u0176\u0358'
    expect(await readCodes(codes + more)).toBe('Relación de datos con la participación.')
  })

  test('show no letters of other scripts for glyphs that the known order lacks', async () => {
    // "la participación de la letra con " and a glyph of unknown meaning.
    const codes =
      '\u016f\u0102\u0003\u0189\u0102\u018c\u019a\u015d\u0110\u015d\u0189\u0102\u0110\u015d\u017f\u0176\u0003\u011a\u011e\u0003\u016f\u0102\u0003\u016f\u011e\u019a\u018c\u0102\u0003\u0110\u017d\u0176\u0003\u0471'
    expect(await readCodes(codes)).toBe('la participación de la letra con \ufffd')
  })

  test('keep their numbers if these are no text in a language', async () => {
    const page = await read(['XQZ KJW (VXQ) PZJ QWX ZKV JXQ', 3])
    expect(page).toMatch(/^;4=.*9;4 .*-;4$/)
  })
})

describe('fonts that map a part of their glyphs to Unicode', () => {
  const letters = '3 beginbfchar <0041> <0939> <0042> <093f> <0043> <0928> endbfchar'

  test('show no letters of other scripts in place of the numbers of the others', async () => {
    expect(await readCodes('AC\u0471C', { map: letters })).toBe('हन\ufffdन')
  })

  test('keep letters whose codes are those of Unicode where only Latin-1 is mapped', async () => {
    const map = '1 beginbfrange <0000> <ffff> <0000> endbfrange'
    expect(await readCodes('Zażółć', { map })).toBe('Zażółć')
  })

  test('are read in the order of Calibri if that is their font', async () => {
    // The file maps "a", "t" and the closing quotation mark only.
    const map = '3 beginbfchar <0102> <0061> <019a> <0074> <035f> <201d> endbfchar'
    const text = '\u0102\u018c\u018c\u0102\u0176\u0150\u011e\u0175\u011e\u0176\u019a\u035f, \u017d\u012b\u011e\u018c'
    expect(await readCodes(text, { map, name: 'ABCDEF+Calibri-Bold' })).toBe('arrangement”, offer')
  })

  test('expand the ligatures of Calibri between letters', async () => {
    const map = '2 beginbfrange <0061> <007a> <0061> endbfrange 1 beginbfchar <0041> <2019> endbfchar'
    expect(await readCodes('pla\u019eorm', { map })).toBe('platform')
  })
})
