import { describe, expect, test } from 'vitest'
import { showLines, showText } from '../../support/pdf.ts'
import { readPdfPage } from '../../support/read-pdf.ts'

const prose = [
  'A manual shows how its commands are written and what comes of them, side',
  'by side on the page, so that readers can see both of them at one glance.',
]
const above = showLines(prose, { x: 72, y: 740 })
const below = showLines(
  Array.from({ length: 6 }, (_, index) => `Line ${index} of the prose stands below all of the examples on the page.`),
  { x: 72, y: 560 },
)

function showCode(lines: readonly string[], at: { x: number; y: number }): string {
  return showLines(lines, { ...at, font: 'F3' })
}

function fence(lines: readonly string[]): string {
  return ['```', ...lines, '```'].join('\n')
}

describe('a code listing beside its result', () => {
  const source = ['\\begin{list}', '  \\item The rivers', '  \\item The hills', '\\end{list}']
  const result = ['1. The rivers', '2. The hills']
  const formula = ['\\[', '\\frac{river}{hill} = a', '\\]']

  test('is one fenced block, followed by the result as a paragraph', async () => {
    const page = await readPdfPage(
      above + showCode(source, { x: 72, y: 690 }) + showLines(result, { x: 320, y: 684 }) + below,
    )
    expect(page).toContain(`${fence(source)}\n\n${result.join('\n')}\n\n`)
    expect(page).toContain(prose.join(' '))
  })

  test('is also separated if both share baselines but contain the same words', async () => {
    const page = await readPdfPage(
      above + showCode(source, { x: 72, y: 690 }) + showLines(result, { x: 320, y: 678 }) + below,
    )
    expect(page).toContain(`${fence(source)}\n\n${result.join('\n')}\n\n`)
  })

  test('is one fenced block even beside a single line', async () => {
    const page = await readPdfPage(
      above + showCode(formula, { x: 72, y: 690 }) + showText('river over hill', { x: 320, y: 675 }) + below,
    )
    expect(page).toContain(`${fence(formula)}\n\nriver over hill\n\n`)
  })

  test('follows its result if that is on the left', async () => {
    const page = await readPdfPage(
      above + showCode(source, { x: 320, y: 690 }) + showLines(result, { x: 72, y: 684 }) + below,
    )
    expect(page).toContain(`${result.join('\n')}\n\n${fence(source)}`)
  })

  test('includes its line numbers, even those of blank lines', async () => {
    const numbers = ['1', '2', '3'].map((text, index) => showText(text, { x: 76, y: 690 - index * 12, size: 6 }))
    const code =
      showText('begin(river)', { x: 100, y: 690, font: 'F3' }) + showText('end', { x: 100, y: 666, font: 'F3' })
    const page = await readPdfPage(above + numbers.join('') + code + showLines(result, { x: 320, y: 684 }) + below)
    expect(page).toContain(`${fence(['1  begin(river)', '2', '3  end'])}\n\n${result.join('\n')}`)
  })
})

describe('code that is not a listing with its result', () => {
  const names = ['\\alpha', '\\beta', '\\gamma', '\\delta']

  test('command names, each beside its description', async () => {
    const meanings = ['the first letter', 'the second one', 'the third one', 'the fourth letter']
    const rows = (shift: number): string =>
      above + showCode(names, { x: 72, y: 690 }) + showLines(meanings, { x: 200, y: 690 - shift }) + below
    for (const shift of [0, 1.5]) {
      const page = await readPdfPage(rows(shift))
      expect(page.indexOf('the first letter')).toBeLessThan(page.indexOf('\\beta'))
      expect(page.indexOf('the third one')).toBeLessThan(page.indexOf('\\delta'))
    }
  })

  test('lines of a paragraph beside a term that begins on the row above them', async () => {
    const page = await readPdfPage(
      above +
        showLines(['General', 'remarks', 'on rivers'], { x: 72, y: 690 }) +
        showText('These names have changed, that is,', { x: 200, y: 690 }) +
        showCode(['river-old = stream', 'hills-old = mountains'], { x: 200, y: 676 }) +
        below,
    )
    expect(page.indexOf('These names')).toBeLessThan(page.indexOf('river-old'))
  })

  test('command names beside text that continues below them', async () => {
    const text = [
      'The commands that are named on the left of this text are explained in',
      'more lines than there are names, so that the text goes on below them,',
      ...prose,
      ...prose,
      ...prose,
    ]
    const page = await readPdfPage(
      above + showCode(['\\rise', '\\end'], { x: 72, y: 690 }) + showLines(text, { x: 150, y: 686 }),
    )
    expect(page).not.toContain('```')
  })
})

describe('lines of a code listing', () => {
  test('with typed dots and a number at the end are code, but lines of a table of contents are not', async () => {
    const code = ['begin(book)', 'title % ........... 12', 'end']
    const contents = ['The river . . . . . . . . . . 3', 'The hills . . . . . . . . . . 7']
    const page = await readPdfPage(above + showCode(code, { x: 72, y: 690 }) + showLines(contents, { x: 72, y: 620 }))
    expect(page).toContain(fence(code))
    expect(page).toContain('- The river … 3\n- The hills … 7')
  })

  test('with line numbers are code, not table cells', async () => {
    const code = ['river = 1', 'hills = 2', 'lakes = 3', 'end']
    const numbers = code.map((_, index) => showText(String(index + 1), { x: 72, y: 690 - index * 12, size: 6 }))
    const page = await readPdfPage(above + numbers.join('') + showCode(code, { x: 110, y: 690 }) + below)
    expect(page).toContain(fence(code.map((line, index) => `${index + 1}  ${line}`)))
  })

  test('in a book without prose are code, but a typewritten book is text', async () => {
    const code = ['\\begin{exam}[', '  % the name of the course', '  course = {Rivers},', '  term = {Spring}', ']']
    const title = showText('Rivers', { x: 72, y: 740, size: 18 })
    expect(await readPdfPage(title + showCode(code, { x: 72, y: 700 }))).toContain(fence(code))
    const typed = showCode([...prose, ...prose], { x: 72, y: 700 })
    expect(await readPdfPage(title + typed)).not.toContain('```')
  })
})

/** Letters of Helvetica by their widths, in thousandths of the size. */
const widths = [
  [222, 'il'],
  [278, 'ft:'],
  [333, 'r()'],
  [500, 'cksvx'],
  [556, 'abdeghnopu4'],
  [584, '+'],
  [722, 'w'],
  [833, 'm'],
] as const
const widthOf = (letter: string) => widths.find(([, letters]) => letters.includes(letter))?.[0] ?? 0

/** Lines as LaTeX sets them in columns of 0.6 ems: the letters of a word are equally far apart from each other and its ends. */
function showColumns(lines: readonly string[], at: { x: number; y: number }): string {
  return lines
    .map((line, index) => {
      const parts = [...line.matchAll(/\w+| +|\W/g)].flatMap(([word]) => {
        const letters = [...word]
        if (word.startsWith(' ')) return [String(-600 * letters.length)]
        const width = letters.reduce((sum, letter) => sum + widthOf(letter), 0)
        const gap = (600 * letters.length - width) / (letters.length + 1)
        return letters.flatMap((letter) => [String(-gap), `(${letter.replace(/[()]/, '\\$&')})`]).concat(String(-gap))
      })
      return `BT /F1 10 Tf 1 0 0 1 ${at.x} ${at.y - index * 12} Tm [${parts.join(' ')}] TJ ET\n`
    })
    .join('')
}

describe('a listing whose proportional letters are spaced to columns', () => {
  const source = [
    'for name in fill(all):',
    '    if name:',
    '        print(hello + name)',
    '    else:',
    '        skill(4)',
  ]

  test('is one fenced block with its words whole and its lines indented', async () => {
    const page = await readPdfPage(above + showColumns(source, { x: 72, y: 690 }) + below)
    expect(page).toContain(`${prose.join(' ')}\n\n${fence(source)}\n\nLine 0`)
  })

  test('is not where the letters of all words are equally far apart', async () => {
    const spaced = 'BT /F1 10 Tf 1.5 Tc 1 0 0 1 72 690 Tm (for name in fill all hills) Tj 0 Tc ET\n'
    expect(await readPdfPage(above + spaced + below)).not.toContain('`')
  })
})
