import { describe, expect, test } from 'vitest'
import { defaultLimits } from '../../../src/imports/formats/format.ts'
import { isMathFont } from '../../../src/imports/formats/pdf/characters/math-fonts.ts'
import { openPdf } from '../../../src/imports/formats/pdf/open-pdf.ts'
import { assemblePdf, showLines } from '../../support/pdf.ts'

const before = ['A paragraph of several lines is joined into one again, as they', 'were broken for the page only.']
const after = ['where the words go on below the formula and fill the lines of', 'the page as they did above it.']

/** Fonts with the names of TeX fonts: text, math letters, symbols and large symbols. */
const fonts = { T: 'Helvetica', M: 'CMMI10', S: 'CMSY10', X: 'CMEX10' }

/** A root sign that is drawn downwards from its origin, as in TeX fonts. */
const rootDrawing = '1000 0 0 -2500 1000 40 d1 0 -2500 1000 2500 re f'
const rootCodes =
  '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /P def /CMapType 2 def ' +
  '1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <70> <221a> endbfchar endcmap end end'
const rootFont =
  '<< /Type /Font /Subtype /Type3 /FontBBox [0 -2500 1000 40] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 112 /LastChar 112 ' +
  '/Widths [1000] /Encoding << /Differences [112 /radical] >> /CharProcs << /radical 21 0 R >> /Resources << >> /ToUnicode 22 0 R >>'

const widths = `/FirstChar 0 /LastChar 127 /Widths [${Array.from({ length: 128 }, () => 1_000).join(' ')}]`

/** Draws text in a font at a position, in points from the bottom left. */
function show(
  font: keyof typeof fonts | 'R',
  text: string,
  { x, y, size = 10 }: { x: number; y: number; size?: number },
) {
  const codes = Buffer.from(text, 'latin1').toString('hex')
  return `BT /${font} ${size} Tf 1 0 0 1 ${x} ${y} Tm <${codes}> Tj ET\n`
}

/** Draws a rule from `x0` to `x1`. */
function rule(x0: number, x1: number, y: number): string {
  return `${x0} ${y} ${x1 - x0} 0.4 re f\n`
}

/** The blocks of a page with prose, a formula and prose. */
async function blocksAround(formula: string): Promise<string[]> {
  const content =
    showLines(before, { x: 72, y: 740 }).replaceAll('/F1', '/T') +
    formula +
    showLines(after, { x: 72, y: 600 }).replaceAll('/F1', '/T')
  const names = Object.entries(fonts)
  const resources = names.map(([name], index) => `/${name} ${6 + index} 0 R`).join(' ')
  const file = assemblePdf(
    new Map<number, string>([
      [1, '<< /Type /Catalog /Pages 2 0 R >>'],
      [2, '<< /Type /Pages /Count 1 /Kids [4 0 R] >>'],
      [3, '<< >>'],
      [
        4,
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << ${resources} /R 20 0 R >> >> >>`,
      ],
      [5, `<< /Length ${content.length} >>\nstream\n${content}\nendstream`],
      [20, rootFont],
      [21, `<< /Length ${rootDrawing.length} >>\nstream\n${rootDrawing}\nendstream`],
      [22, `<< /Length ${rootCodes.length} >>\nstream\n${rootCodes}\nendstream`],
      ...names.map(([, base], index): [number, string] => [
        6 + index,
        `<< /Type /Font /Subtype /Type1 /BaseFont /${base} ${base === 'CMEX10' ? widths : ''} >>`,
      ]),
    ]),
  )
  const book = await openPdf(file, defaultLimits)
  for await (const page of book.pages()) {
    await book.close()
    return page.content.split('\n\n')
  }
  return []
}

async function expectFormula(drawn: string, text: string | string[]): Promise<void> {
  expect(await blocksAround(drawn)).toEqual([before.join(' '), ...[text].flat(), after.join(' ')])
}

const fraction =
  show('M', 'x', { x: 200, y: 674 }) +
  show('T', '=', { x: 209, y: 674 }) +
  show('M', 'a', { x: 220, y: 681 }) +
  show('T', '+', { x: 229, y: 681 }) +
  show('M', 'b', { x: 238, y: 681 }) +
  rule(219, 245, 676.5) +
  show('T', '2', { x: 229, y: 667 })

describe('a display formula is one paragraph between the paragraphs', () => {
  test('with a fraction', async () => {
    await expectFormula(fraction, 'x = (a + b)/2')
  })

  test('that consists only of a fraction and a number', async () => {
    const drawn =
      show('M', 'a', { x: 200, y: 681 }) +
      show('M', 'c', { x: 206, y: 681 }) +
      rule(199, 212, 676.5) +
      show('M', 'b', { x: 203, y: 667 }) +
      show('T', '(1)', { x: 500, y: 674 })
    await expectFormula(drawn, 'ac/b  (1)')
  })

  test('with its number at the end', async () => {
    await expectFormula(
      fraction + show('T', '\\(3.1\\)'.replaceAll('\\', ''), { x: 500, y: 674 }),
      'x = (a + b)/2  (3.1)',
    )
  })

  test('with a sum with limits, and scripts', async () => {
    const sum =
      show('M', 'S', { x: 200, y: 674 }) +
      show('T', '=', { x: 210, y: 674 }) +
      show('X', 'X', { x: 222, y: 682, size: 14 }) +
      show('M', 'n', { x: 225, y: 689, size: 7 }) +
      show('M', 'i', { x: 222, y: 660, size: 7 }) +
      show('T', '=1', { x: 224, y: 660, size: 7 }) +
      show('M', 'x', { x: 240, y: 674 }) +
      show('M', 'i', { x: 245.5, y: 672.5, size: 7 }) +
      show('T', '2', { x: 245.5, y: 678, size: 7 })
    await expectFormula(sum, 'S = ∑\\_{i=1}^n x_i^2')
  })

  test('with a root of a fraction', async () => {
    const root =
      show('M', 'r', { x: 200, y: 674 }) +
      show('T', '=', { x: 209, y: 674 }) +
      show('R', 'p', { x: 220, y: 690 }) +
      rule(230, 240.5, 690) +
      show('M', 'a', { x: 235, y: 681 }) +
      rule(234, 240, 676.5) +
      show('M', 'b', { x: 235, y: 667 })
    await expectFormula(root, 'r = √(a/b)')
  })

  test('two numbered formulas are two paragraphs', async () => {
    const lines = ['a', 'b'].map(
      (letter, index) =>
        show('M', letter, { x: 200, y: 674 - index * 11 }) +
        show('T', '= 1', { x: 209, y: 674 - index * 11 }) +
        show('T', `(${index + 1})`, { x: 500, y: 674 - index * 11 }),
    )
    await expectFormula(lines.join(''), ['a = 1  (1)', 'b = 1  (2)'])
  })

  test('a second line that begins with a relation belongs to the formula', async () => {
    const second = show('T', '=', { x: 209, y: 645 }) + show('M', 'cd', { x: 220, y: 645 })
    await expectFormula(fraction + second, 'x = (a + b)/2 = cd')
  })

  test('symbols in fonts without a ToUnicode map are recognized by their codes', async () => {
    const signs =
      show('M', 'f', { x: 200, y: 674 }) +
      show('S', '0', { x: 206, y: 678, size: 7 }) +
      show('T', '=', { x: 218, y: 674 }) +
      show('S', 'h', { x: 228, y: 674 }) +
      show('M', 'g', { x: 234, y: 674 }) +
      show('S', 'i', { x: 240, y: 674 })
    await expectFormula(signs, 'f′ = ⟨g⟩')
  })
})

describe('text that is not a display formula is unchanged', () => {
  test('the last line of a paragraph', async () => {
    const full = 'Another paragraph, whose first line fills the whole width, with'
    const drawn =
      show('T', full, { x: 72, y: 700 }) + show('M', 'x', { x: 72, y: 688 }) + show('T', '= 1', { x: 80, y: 688 })
    expect((await blocksAround(drawn))[1]).toBe(`${full} x = 1`)
  })

  test('a line with words', async () => {
    const drawn =
      show('T', 'The value of', { x: 200, y: 674 }) +
      show('M', 'x', { x: 262, y: 674 }) +
      show('T', '= 1 is known here', { x: 270, y: 674 })
    expect((await blocksAround(drawn))[1]).toBe('The value of x = 1 is known here')
  })

  test('the numbers on an axis', async () => {
    const drawn = ['0', '1', '2'].map((sign, index) => show('M', sign, { x: 200 + index * 60, y: 674 })).join('')
    expect((await blocksAround(drawn)).join(' ')).toContain('0  1  2')
  })

  test('numbered lines of an algorithm', async () => {
    const lines = ['1:', '2:', '3:'].map(
      (number, index) =>
        show('T', number, { x: 100, y: 674 - index * 12 }) +
        show('M', 'x', { x: 120, y: 674 - index * 12 }) +
        show('T', '= x + 1', { x: 128, y: 674 - index * 12 }),
    )
    const blocks = await blocksAround(lines.join(''))
    expect(blocks.join(' ')).toContain('1:')
    expect(blocks.join(' ')).not.toContain('_{1:}')
  })
})

test.for([
  ['CMMI10', true],
  ['ABCDEF+CMSY7', true],
  ['GHIJKL+CMEX10', true],
  ['MSBM10', true],
  ['CambriaMath', true],
  ['STIXMath-Regular', true],
  ['LatinModernMath-Regular', true],
  ['LMMathItalic10-Regular', true],
  ['XITSMath', true],
  ['MT-Extra', true],
  ['CMR10', false],
  ['Helvetica', false],
  ['Cambria', false],
  ['STIXGeneral-Regular', false],
  ['Mathilda', false],
] as const)('the font %s is a math font: %s', ([name, expected]) => {
  expect(isMathFont(name)).toBe(expected)
})
