import { describe, expect, test } from 'vitest'
import { inlineText } from '../../../src/imports/formats/pdf/page/inline-text.ts'
import { parseFontFace } from '../../../src/imports/formats/pdf/characters/parse-font-face.ts'
import { withTrueFaces } from '../../../src/imports/formats/pdf/page/true-faces.ts'
import { newVocabulary } from '../../../src/imports/formats/pdf/page/hyphenation.ts'
import type { TextRun } from '../../../src/imports/formats/pdf/page/pdf-file.ts'
import { openPdf } from '../../../src/imports/formats/pdf/open-pdf.ts'
import { defaultLimits } from '../../../src/imports/formats/format.ts'
import { assemblePdf, showLines, showText } from '../../support/pdf.ts'
import { readPdf, readPdfPage } from '../../support/read-pdf.ts'

const prose = showLines(
  ['A paragraph of several lines is joined into one again, as they', 'were broken for the page only.'],
  { x: 72, y: 740 },
)

const tail = showLines(
  Array.from({ length: 8 }, (_, index) => `Line ${index} of the prose that stands below the listing`),
  { x: 72, y: 200 },
)

function showCode(lines: readonly string[], y: number): string {
  return lines.map((line, index) => showText(line, { x: 72, y: y - index * 12, font: 'F3' })).join('')
}

describe('listings', () => {
  test('are fenced even in a book that is mostly code', async () => {
    const listing = Array.from({ length: 30 }, (_, index) => `value_${index} = compute(input_${index}, ${index})`)
    const page = await readPdfPage(
      prose + showText('Then this follows:', { x: 72, y: 700 }) + showCode(listing, 670) + tail,
    )
    expect(page).toContain(`\`\`\`\n${listing.join('\n')}\n\`\`\``)
  })

  test('a backslash before code does not escape it', async () => {
    const line =
      'BT /F1 10 Tf 1 0 0 1 72 700 Tm (the macro \\\\) Tj /F3 10 Tf (startbody) Tj /F1 10 Tf ( begins it all) Tj ET'
    expect(await readPdfPage(prose + line)).toContain('the macro \\\\`startbody` begins it all')
  })

  test('with line numbers are one fenced block, with blank lines and indentation', async () => {
    const code = ['if (a) {', '', '}', 'x', 'y', 'z', 'u', 'v', 'w', 'end']
    const listing = code.map((line, index) => {
      const y = 680 - index * 12
      const number = String(index + 1)
      return (
        showText(number, { x: 90 - number.length * 3.3, y, size: 6 }) +
        (line === '' ? '' : showText(line, { x: index === 3 ? 112 : 100, y, font: 'F3' }))
      )
    })
    const page = await readPdfPage(prose + listing.join(''))
    expect(page.split('\n\n').slice(1).join('\n\n')).toBe(
      [
        '```',
        ' 1  if (a) {',
        ' 2',
        ' 3  }',
        ' 4    x',
        ' 5  y',
        ' 6  z',
        ' 7  u',
        ' 8  v',
        ' 9  w',
        '10  end',
        '```',
      ].join('\n'),
    )
  })

  describe('beside each other', () => {
    const code = ['let tide = read(level, 3)', 'tide += 1', 'while (tide > 2 && low) {', 'print(tide, level)', '}']
    const left = [...code, ...code, ...code]
    const right = left.map((_, index) => `# comment ${index} of them all`)
    const show = (lines: readonly string[], columns: number, at: number) =>
      showText(lines[at] as string, { x: 72 + columns * 6, y: 680 - at * 12, font: 'F3' }) // Courier is 0.6 em wide

    test('are one if each line is written from left to right, on one grid of characters', async () => {
      const page = await readPdfPage(left.map((_, at) => show(left, 0, at) + show(right, 40, at)).join(''))
      const lines = left.map((line, at) => `${line.padEnd(40)}${right[at]}`)
      expect(page).toBe(`\`\`\`\n${lines.join('\n')}\n\`\`\``)
    })

    test.for([
      ['one column is written after the other', 40, false],
      ['they are not on one grid of characters', 40.5, true],
    ] as const)('are two columns if %s', async ([, columns, isByLine]) => {
      const column = (lines: readonly string[], start: number) => lines.map((_, at) => show(lines, start, at))
      const [one, other] = [column(left, 0), column(right, columns)]
      const content = isByLine ? one.flatMap((line, at) => [line, other[at]]) : [...one, ...other]
      expect(await readPdfPage(content.join(''))).toBe(
        [left, right].map((lines) => `\`\`\`\n${lines.join('\n')}\n\`\`\``).join('\n\n'),
      )
    })
  })

  test('with comments in another font are one fenced block', async () => {
    const line = (mono: string, other: string, y: number) =>
      `BT /F3 10 Tf 1 0 0 1 80 ${y} Tm (${mono}) Tj /F1 10 Tf ( ${other}) Tj ET\n`
    const listing = [
      line(';; ', 'Reads the level of the lake', 680),
      line(';; ', 'and returns it in metres.', 668),
      showText('(defun level (x)', { x: 80, y: 656, font: 'F3' }),
      line('  x\\)   ; ', 'of the whole lake', 644),
    ]
    expect(await readPdfPage(prose + listing.join('') + tail)).toContain(
      [
        '```',
        ';; Reads the level of the lake',
        ';; and returns it in metres.',
        '(defun level (x)',
        '  x)   ; of the whole lake',
        '```',
      ].join('\n'),
    )
  })

  test('a description after a gap is not a comment', async () => {
    const page = await readPdfPage(
      prose +
        showText('width', { x: 72, y: 680, font: 'F3' }) +
        showText('height', { x: 72, y: 668, font: 'F3' }) +
        showText('of the river and of its lake', { x: 160, y: 668 }) +
        showText('depth', { x: 72, y: 656, font: 'F3' }) +
        tail,
    )
    expect(page).toMatch(/`height` +of the river/)
  })

  test('begin below a short line of text, even without a gap', async () => {
    const page = await readPdfPage(
      prose +
        showCode(['run(b)'], 692) +
        showText('returns 42', { x: 72, y: 680 }) +
        showCode(['a()', 'b()'], 668) +
        tail,
    )
    expect(page).toContain('`run(b)`\n\nreturns 42\n\n```\na()\nb()\n```')
  })

  test('a sentence that begins with a number is not code', async () => {
    const line = 'BT /F1 10 Tf 1 0 0 1 72 690 Tm (12 words of ) Tj /F3 10 Tf (code) Tj /F1 10 Tf ( and others) Tj ET\n'
    expect(await readPdfPage(prose + line)).toContain('12 words of `code` and others')
  })
})

describe('fonts', () => {
  test.for([
    ['CMR7', 'monospace', false],
    ['ABCDEF+CMMI10', 'monospace', false],
    ['SFRM1000', 'monospace', false],
    ['TeXPalladioL-SC', 'monospace', false],
    ['LMRomanCaps10-Regular', 'monospace', false],
    ['CMSLTT10', 'serif', true],
    ['CMTT10', 'serif', true],
    ['Iosevka-Light', 'monospace', true],
    ['SFTT1000', 'monospace', true],
  ] as const)('%s declared as %s is monospaced: %s', ([name, family, mono]) => {
    expect(parseFontFace(name, family).mono).toBe(mono)
  })

  test('declared as monospaced must have characters of equal width', () => {
    const face = { bold: false, italic: false, mono: true, vertical: false }
    const other = { ...face }
    const run = (text: string, width: number, font = face): TextRun => ({
      text,
      width,
      font,
      x: 0,
      y: 0,
      size: 10,
      rotation: 0,
      hasSpaceBefore: false,
      rtl: false,
    })
    const uneven = [run('Illinois', 22), run('Mammoth', 58), run('William', 35), run('Commons', 52), run('fillet', 20)]
    const even = ['return', 'mammoth', 'illicit', 'commons'].map((text) => run(text, text.length * 6, other))
    const faces = withTrueFaces([...uneven, ...even]).map(({ font }) => font.mono)
    expect(faces).toEqual([false, false, false, false, false, true, true, true, true])
  })
})

test('the line numbers of blank lines at the start of a listing are part of it', async () => {
  const listing = ['', '', '\\begin{river}', '  width', '\\end{river}'].map((line, index) => {
    const y = 680 - index * 12
    return (
      showText(String(index + 8), { x: index < 2 ? 88 : 85, y, size: 6 }) +
      (line === '' ? '' : showText(line, { x: 100, y, font: 'F3' }))
    )
  })
  const page = await readPdfPage(prose + listing.join(''))
  expect(page.split('\n\n').slice(1).join('\n\n')).toMatch(/^```\n 8\n 9\n10 {2}\\begin/)
})

describe('code at the ends of the lines of a paragraph', () => {
  const address = 'https://rivers.org/lists/of/all/of/the/rivers.html'
  const link = (box: string): string => `<< /Subtype /Link /Rect [${box}] /A << /S /URI /URI (${address}) >> >>`

  test('an address that continues on an indented line is one link in its paragraph', async () => {
    const content =
      prose +
      'BT /F1 10 Tf 1 0 0 1 72 690 Tm ([1] A. Rhine. The rivers of the north and what they carry. See ) Tj /F3 10 Tf (https:) Tj ET\n' +
      'BT /F3 10 Tf 1 0 0 1 92 678 Tm (//rivers.org/lists/of/all/of/the/rivers.html) Tj /F1 10 Tf ( of Monday.) Tj ET\n'
    const annotations = [link('340 688 396 700'), link('91 676 356 688')]
    const [page = ''] = await readPdf({ pages: [{ content, annotations }] })
    expect(page.split('\n\n')[1]).toBe(
      '[1] A. Rhine. The rivers of the north and what they carry. See <https://rivers.org/lists/of/all/of/the/rivers.html> of Monday.',
    )
  })

  test('a line of code after a hyphenated word or identifier belongs to the paragraph', async () => {
    const content =
      prose +
      showText('The text of the rivers that is set here from edge to edge has a com-', { x: 72, y: 690 }) +
      showText('mand \\set_all_of_the_rivers_to_what_they_are and goes on', { x: 84, y: 678, font: 'F3' })
    const page = await readPdfPage(content)
    expect(page.split('\n\n')).toHaveLength(2)
    expect(page).toContain('has a com')
  })

  test('a command name in the margin does not split the paragraph, whose lines are aligned with the text behind it', async () => {
    const content =
      prose +
      showText('\\split:NV', { x: 72, y: 690, font: 'F3' }) +
      showText('The rivers are divided at each of the places where a bridge goes over', { x: 150, y: 690 }) +
      showText('them, and the parts are numbered.', { x: 150, y: 678 })
    expect((await readPdfPage(content)).split('\n\n')[1]).toMatch(/goes over them, and the parts are numbered\.$/)
  })

  test('a dash before code makes a list item', async () => {
    const content =
      prose +
      showText('\x96 springs={many}', { x: 80, y: 690, font: 'F2' }).replace('springs', ') Tj /F3 10 Tf (springs') +
      showText('\x96 lakes={few}', { x: 80, y: 676, font: 'F2' }).replace('lakes', ') Tj /F3 10 Tf (lakes')
    expect(await readPdfPage(content)).toContain('- `springs={many}`\n- `lakes={few}`')
  })

  test('parts of an identifier in two weights are one code span', () => {
    const piece = { mono: true, bold: false, x0: 72, x1: 90, hasSpaceBefore: false, hasTabBefore: false }
    const pieces = [
      { ...piece, text: 'set' },
      { ...piece, text: 'river', bold: true, x0: 90, x1: 120 },
      { ...piece, text: 'lake', bold: true, x0: 126, x1: 150, hasSpaceBefore: true },
    ]
    const line = { x0: 72, x1: 150, y: 90, size: 10, pieces, text: 'setriver lake', mono: 1, bold: 0, rtl: false }
    const options = { vocabulary: newVocabulary(), ignoreFonts: false }
    expect(inlineText([line], options)).toBe('`setriver` `lake`')
  })
})

describe('a font without a telling name whose subset lacks some letters', () => {
  const identity =
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /I def /CMapType 2 def ' +
    '1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <00> <ff> <0000> endbfrange endcmap end end'
  const codes = Array.from({ length: 224 }, (_, index) => String.fromCharCode(32 + index))

  /** A font with these widths, and a width for the letters that it lacks. */
  const subset = (letters: string, widthOf: (letter: string) => number): string => {
    const widths = codes.map((letter) => (letters.includes(letter) ? widthOf(letter) : 364))
    return `<< /Type /Font /Subtype /TrueType /BaseFont /ABCDEF+mplus1mn-regular /ToUnicode 7 0 R /FirstChar 32 /LastChar 255 /Widths [${widths.join(' ')}] >>`
  }

  /** The text of a page with prose and lines in this font. */
  const read = async (lines: readonly string[], font: string): Promise<string> => {
    const code = lines.map((line, index) => showText(line, { x: 72, y: 690 - index * 12, font: 'F3' })).join('')
    const content = prose + code + tail
    const fonts = '/F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> /F3 6 0 R'
    const file = assemblePdf(
      new Map<number, string>([
        [1, '<< /Type /Catalog /Pages 2 0 R >>'],
        [2, '<< /Type /Pages /Count 1 /Kids [4 0 R] >>'],
        [3, '<< >>'],
        [
          4,
          `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << ${fonts} >> >> >>`,
        ],
        [5, `<< /Length ${content.length} >>\nstream\n${content}\nendstream`],
        [6, font],
        [7, `<< /Length ${identity.length} >>\nstream\n${identity}\nendstream`],
      ]),
    )
    const book = await openPdf(file, defaultLimits)
    let text = ''
    for await (const page of book.pages()) text += page.content
    await book.close()
    return text
  }

  test('is monospaced if the other letters have the same width', async () => {
    const lines = ['def tide(hour):', '    if hour < 6:', '        return low', '    return high']
    expect(
      await read(
        lines,
        subset(lines.join(''), () => 500),
      ),
    ).toContain(`\`\`\`\n${lines.join('\n')}\n\`\`\``)
  })

  test('is not monospaced if it contains no narrow and no wide letter', async () => {
    const lines = ['one noon', 'one oboe', 'one hope', 'one bone']
    expect(
      await read(
        lines,
        subset(lines.join(''), () => 500),
      ),
    ).not.toContain('```')
  })
})
