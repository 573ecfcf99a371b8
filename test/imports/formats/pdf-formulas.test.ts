import { joinCircledLetters } from '../../../src/imports/formats/pdf/characters/circled-letters.ts'
import { describe, expect, test } from 'vitest'
import { defaultLimits } from '../../../src/imports/formats/format.ts'
import { openPdf } from '../../../src/imports/formats/pdf/open-pdf.ts'
import {
  readMathSymbols,
  symbolFontOf,
  type SymbolFont,
} from '../../../src/imports/formats/pdf/characters/math-symbols.ts'
import type { Character, TextStyle } from '../../../src/imports/formats/pdf/characters/character.ts'
import { assemblePdf, showLines, showText } from '../../support/pdf.ts'
import { readPdf, readPdfPage } from '../../support/read-pdf.ts'

const before = ['A paragraph of several lines is joined into one again, as they', 'were broken for the page only.']
const after = ['where the words go on below the formula and fill the lines of', 'the page as they did above it.']

test('the parts of a display formula are one block between the paragraphs', async () => {
  const formula =
    showText('n', { x: 203, y: 690, size: 7 }) +
    showText('S = a + b', { x: 160, y: 674 }) +
    showText('k', { x: 240, y: 660, size: 7 }) +
    showText('2', { x: 240, y: 645, size: 7 })
  const page = await readPdfPage(showLines(before, { x: 72, y: 740 }) + formula + showLines(after, { x: 72, y: 610 }))
  const blocks = page.split('\n\n')
  expect(blocks[0]).toBe(before.join(' '))
  expect(blocks.at(-1)).toBe(after.join(' '))
  expect(blocks.slice(1, -1)).toEqual(['n S = a + b k 2'])
})

test('a root sign that its font draws downwards is in its line', async () => {
  const drawn = '750 0 0 -960 750 40 d1 0 -960 750 1000 re f'
  const codes = Buffer.from(
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /P def /CMapType 2 def ' +
      '1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <70> <221a> endbfchar endcmap end end',
  )
  const root = '1 0 0 1 127 708.2 Tm /F5 10 Tf (p) Tj /F1 10 Tf'
  const content = Buffer.from(
    `BT /F1 10 Tf 1 0 0 1 72 700 Tm (The length 2) Tj ${root} 1 0 0 1 135 700 Tm (3 of it is known.) Tj ET\n` +
      showLines(before, { x: 72, y: 740 }),
  )
  const file = assemblePdf(
    new Map<number, string | Buffer>([
      [1, '<< /Type /Catalog /Pages 2 0 R >>'],
      [2, '<< /Type /Pages /Count 1 /Kids [4 0 R] >>'],
      [3, '<< >>'],
      [
        4,
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 6 0 R /F5 7 0 R >> >> >>',
      ],
      [5, `<< /Length ${content.length} >>\nstream\n${content.toString()}\nendstream`],
      [6, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'],
      [
        7,
        '<< /Type /Font /Subtype /Type3 /FontBBox [0 -960 750 40] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 112 /LastChar 112 ' +
          '/Widths [750] /Encoding << /Differences [112 /radical] >> /CharProcs << /radical 8 0 R >> /Resources << >> /ToUnicode 9 0 R >>',
      ],
      [8, `<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`],
      [9, `<< /Length ${codes.length} >>\nstream\n${codes.toString()}\nendstream`],
    ]),
  )
  const book = await openPdf(file, defaultLimits)
  for await (const page of book.pages()) expect(page.content).toMatch(/\n\nThe length 2√3 of it is known\.$/)
  await book.close()
})

test('short paragraphs of words are not joined', async () => {
  const page = await readPdfPage(
    showLines(before, { x: 72, y: 740 }) + showText('Yes.', { x: 72, y: 700 }) + showText('No', { x: 72, y: 678 }),
  )
  expect(page.split('\n\n').slice(1)).toEqual(['Yes.', 'No'])
})

describe('TeX symbol fonts without a ToUnicode map', () => {
  const style = (font: string): TextStyle => ({ font, matrix: [10, 0, 0, 10], x: 1, y: 0, em: 10, size: 10 })
  const read = (text: string, fonts: readonly string[], kind: SymbolFont = 'cmex'): string =>
    readMathSymbols(
      Array.from(text, (sign, index): Character => {
        return { text: sign, x: index * 10, y: 0, width: 8, style: style('f1'), sameObject: true, afterSpace: false }
      }),
      new Map(fonts.map((font) => [font, kind])),
    )
      .map(({ text: sign }) => sign)
      .join('')

  test.for([
    ['sums, products, integrals, roots', 'PQRXYZpqr', '∑∏∫∑∏∫√√√'],
    ['brackets of all sizes', '\u0000\u0001\u0012\u0013 !\u0014\u0015hi(', '()()()[][]{'],
    ['pieces of tall brackets', '0@1A2468', '⎛⎝⎞⎠⎡⎣⎢⎧'],
    ['characters that a font maps itself are unchanged', '∑(]{|', '∑(]{|'],
  ] as const)('%s', ([, codes, expected]) => {
    expect(read(codes, ['f1'])).toBe(expected)
  })

  test('letters of other fonts are unchanged', () => {
    expect(read('PX', ['f2'])).toBe('PX')
  })

  test('relations and arrows in the fonts of the American Mathematical Society are recognized', () => {
    expect(read('6>.&)*4<@AXp~', ['f1'], 'msam')).toBe('⩽⩾≲≳∴∵≼≽⊏⊐✓⌜⊛')
  })

  test('a symbol whose code is punctuation is recognized', () => {
    expect(read('.', ['f1'], 'msam')).toBe('≲')
  })

  test('Greek letters without a mapping are recognized; other letters of their font are unchanged', () => {
    expect(read('\u000fa\u0000γ.1', ['f1'], 'cmmi')).toBe('ϵaΓγ.1')
  })

  test('raw codes of letters and punctuation in fonts without them are symbols', () => {
    expect(read('jVjhbiA−fg', ['f1'], 'cmsy')).toBe('|V|⟨⌊⟩A−fg')
    expect(read('V;E@x`', ['f1'], 'cmmi')).toBe('V,E∂xℓ')
  })

  test('the second code of the minus sign is recognized, but not those of letters, which programs use differently', () => {
    expect(read('¡§·±', ['f1'], 'cmsy')).toBe('−§·±')
    expect(read('¿³x', ['f1'], 'cmmi')).toBe('¿³x')
  })

  test('a code without a symbol is unchanged', () => {
    expect(read('6\u0039', ['f1'], 'msam')).toBe('⩽9')
  })

  test('icons are omitted, but the space before them is kept', () => {
    const characters = Array.from('aWb', (sign, index): Character => {
      const font = sign === 'W' ? 'icons' : 'f1'
      return { text: sign, x: index, y: 0, width: 1, style: style(font), sameObject: true, afterSpace: sign === 'W' }
    })
    expect(readMathSymbols(characters, new Map([['icons', 'icons']]))).toMatchObject([
      { text: 'a', afterSpace: false },
      { text: 'b', afterSpace: true },
    ])
  })

  test.for([
    ['CMEX10', 'cmex'],
    ['ABCDEF+CMEX8', 'cmex'],
    ['GHIJKL+txexs', 'cmex'],
    ['ABCDEF+MSAM7', 'msam'],
    ['ABCDEF+FontAwesome', 'icons'],
    ['FontAwesome5Brands-Regular-400', 'icons'],
    ['CMR10', undefined],
    ['MSBM10', undefined],
    ['txexa', undefined],
    ['CMExtra-Sans', undefined],
    ['ABCDEF+LMMathExtension10-Regular', 'cmex'],
    ['LNUYGK+LMMathSymbols10-Regular', 'cmsy'],
    ['VVUVJS+CMSY10', 'cmsy'],
    ['QMVTNE+CMMI10', 'cmmi'],
    ['WRVPXU+CMMIB10', 'cmmi'],
    ['LMMathItalic10-Regular', 'cmmi'],
    ['CMMisc', undefined],
    ['Climex', undefined],
  ] as const)('the font %s has symbols of kind: %s', ([name, expected]) => {
    expect(symbolFontOf(name)).toBe(expected)
  })
})

describe('circles of symbol fonts', () => {
  /** Text and positions of characters in ems; their letters are half an em wide, circles one em. */
  function join(...parts: readonly (readonly [text: string, x: number, y?: number])[]): string[] {
    const characters = parts.map(([text, x, y = 0]): Character => {
      const style = { font: text === '○' ? 's' : 't', matrix: [10, 0, 0, 10], x: 1, y: 0, em: 10, size: 10 } as const
      return { text, x: x * 10, y: y * 10, width: text === '○' ? 10 : 5, style, sameObject: false, afterSpace: false }
    })
    return joinCircledLetters(characters).map(({ text, style, x }) => `${text} ${style.font} ${x}`)
  }

  test.for([
    ['©', 'c'],
    ['®', 'R'],
    ['ⓐ', 'a'],
    ['③', '3'],
  ] as const)('are %s with the letter inside them, before or after it in the file', ([sign, letter]) => {
    expect(join(['○', 0], [letter, 0.28, 0.03])).toEqual([`${sign} t 0`])
    expect(join([letter, 0.28, 0.03], ['○', 0])).toEqual([`${sign} t 0`])
  })

  test('and other signs whose codes are those of spaces are read in fonts without a mapping to Unicode', async () => {
    const show = (font: string, codes: string, x: number) => `BT /${font} 10 Tf ${x} 700 Td ${codes} Tj ET\n`
    const copyright = show('F1', '(Copyright)', 72) + show('F2', '<000d>', 120) + show('F1', '(c)', 122.5)
    const product = show('F1', '(2012 by A)', 133) + show('F2', '<000a>', 185) + show('F1', '(B)', 197)
    const system = '<< /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>'
    const descendant = `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /CMSY10 /CIDSystemInfo ${system} /DW 1000 /FontDescriptor 91 0 R >>`
    const objects = new Map([
      [7, '<< /Type /Font /Subtype /Type0 /BaseFont /CMSY10 /Encoding /Identity-H /DescendantFonts [90 0 R] >>'],
      [90, descendant],
      [91, '<< /Type /FontDescriptor /FontName /CMSY10 /Flags 4 /FontBBox [0 0 500 500] /Ascent 500 /Descent 0 >>'],
    ])
    const [page] = await readPdf({ pages: [{ content: copyright + product }], objects })
    expect(page).toBe('Copyright © 2012 by A ⊗ B')
  })

  test('stay as they are before a letter, and under another line', () => {
    expect(join(['○', 0], ['c', 1])).toEqual(['○ s 0', 'c t 10'])
    expect(join(['○', 0], ['c', 0.25, 1])).toEqual(['○ s 0', 'c t 2.5'])
    expect(join(['○', 0], ['=', 0.25])).toEqual(['○ s 0', '= t 2.5'])
  })
})
