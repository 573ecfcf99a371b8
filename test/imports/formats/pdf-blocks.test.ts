import { describe, expect, test } from 'vitest'
import { buildBlocks } from '../../../src/imports/formats/pdf/build-blocks.ts'
import { buildLines } from '../../../src/imports/formats/pdf/page/build-lines.ts'
import { calibrate } from '../../../src/imports/formats/pdf/calibration.ts'
import type { PageText, TextRun } from '../../../src/imports/formats/pdf/page/pdf-file.ts'
import { renderMarkdown } from '../../../src/imports/formats/pdf/page/render-markdown.ts'
import { segmentsByRotation } from '../../../src/imports/formats/pdf/page/segments.ts'
import { showLines, showText } from '../../support/pdf.ts'
import { readPdfPage } from '../../support/read-pdf.ts'

const face = { bold: false, italic: false, mono: false, vertical: false }

function run(text: string, at: { x: number; y: number; mono?: boolean }): TextRun {
  const font = { ...face, mono: at.mono ?? false }
  return {
    text,
    x: at.x,
    y: at.y,
    width: text.length * 5,
    size: 10,
    font,
    rotation: 0,
    hasSpaceBefore: true,
    rtl: false,
  }
}

/** The Markdown of runs in a font size of 10 points. Needed for characters that the fonts of test files do not have. */
function markdownOf(runs: TextRun[]): string {
  const page: PageText = { width: 612, height: 792, runs, picture: false, garbled: 0 }
  const calibration = calibrate(new Map([[1, page]]))
  const lines = buildLines(segmentsByRotation(page).flat())
  const options = { vocabulary: calibration.vocabulary, ignoreFonts: false }
  return renderMarkdown(buildBlocks(lines, calibration, new Map()), options)
}

const prose = 'Words of a paragraph that is there so that the page has a body of its own.'

describe('list items', () => {
  test.for([...'▶▷►▸◆❖★✓➤☞⋅∗−◮♦'])('begin with %s', (sign) => {
    const items = ['first', 'second'].flatMap((word, index) => [
      run(sign, { x: 72, y: 100 + index * 12 }),
      run(`The ${word} of the items`, { x: 84, y: 100 + index * 12 }),
    ])
    expect(markdownOf([run(prose, { x: 72, y: 60 }), ...items])).toContain(
      '- The first of the items\n- The second of the items',
    )
  })

  test.for(['− log x', '− x + 1', '∗ A note of the author'])('do not begin with %s', (text) => {
    const lines = [run(prose, { x: 72, y: 60 }), run(text, { x: 72, y: 100 })]
    expect(markdownOf(lines)).toContain(`\n${text}`)
  })

  test.for([
    ['⊠', '- [x] '],
    ['✔', '- '],
  ] as const)('begin with %s, which is %s', ([sign, shown]) => {
    const items = ['first', 'second'].flatMap((word, index) => [
      run(sign, { x: 72, y: 100 + index * 12 }),
      run(`The ${word} of the items`, { x: 84, y: 100 + index * 12 }),
    ])
    expect(markdownOf([run(prose, { x: 72, y: 60 }), ...items])).toContain(
      `${shown}The first of the items\n${shown}The second of the items`,
    )
  })

  test('may consist of code, and operators stay part of the code', () => {
    const item = [run('•', { x: 72, y: 100 }), run('\\section{title}', { x: 84, y: 100, mono: true })]
    const code = [run('* a comment', { x: 72, y: 160, mono: true }), run('- 1;', { x: 72, y: 172, mono: true })]
    const page = markdownOf([run(prose, { x: 72, y: 60 }), ...item, ...code])
    expect(page).toContain('- `\\section{title}`')
    expect(page).toContain('* a comment\n- 1;\n```')
  })
})

describe('a term beside the first line of a paragraph', () => {
  const text = ['begins in the first line beside its term, and as it is long', 'goes on in the second one below it.']

  test('does not split the paragraph', async () => {
    const page = await readPdfPage(
      showText('spring', { x: 72, y: 700 }) + showLines(text, { x: 150, y: 700 }) + showText(prose, { x: 72, y: 640 }),
    )
    expect(page).toMatch(/^spring {1,2}begins in .* long goes on in the second one below it\.$/m)
  })

  test('does not include a line that begins elsewhere', async () => {
    const page = await readPdfPage(
      showText('spring', { x: 72, y: 700 }) +
        showText(text[0] ?? '', { x: 150, y: 700 }) +
        showText('Another one stands below it', { x: 100, y: 688 }),
    )
    expect(page).toContain('\n\nAnother one stands below it')
  })
})

test('a hyphen behind an underscore at a line end is not part of the identifier', () => {
  const first = 'The wrapper that splits what it is given at each of the signs'
  const page = markdownOf([
    run(first, { x: 72, y: 100 }),
    run('mode_-', { x: 382, y: 100, mono: true }),
    run('switch', { x: 72, y: 112, mono: true }),
    run('and then turns the mode around for the rest of it.', { x: 107, y: 112 }),
  ])
  expect(page).toBe(`${first} \`mode_switch\` and then turns the mode around for the rest of it.`)
})

describe('drawn bullets', () => {
  /** A filled square, 3.5 points wide, whose middle is a third of an em above the baseline. */
  const square = (x: number, baseline: number, width = 3.5): string =>
    `${x} ${baseline + 3.5 - width / 2} ${width} ${width} re f\n`
  const items = showLines(['Springs are cold.', 'Rivers are long.'], { x: 90, y: 700 })
  const [first, second] = [700, 688]

  test('make the lines behind them list items', async () => {
    const page = await readPdfPage(square(80, first) + square(80, second) + items)
    expect(page).toBe('- Springs are cold.\n- Rivers are long.')
  })

  test.for([
    ['shapes that occur only once', square(80, first)],
    ['shapes far from the text', square(40, first) + square(40, second)],
    ['large shapes, such as check boxes', square(78, first, 8) + square(78, second, 8)],
    ['shapes above the lines', square(80, first + 6) + square(80, second + 6)],
  ])('%s are not bullets', async ([, shapes]) => {
    expect(await readPdfPage(shapes + items)).not.toMatch(/[-•]/)
  })

  test('shapes in the middle of a line are not bullets', async () => {
    const left = showLines(['Cold', 'Long'], { x: 56, y: 700 })
    expect(await readPdfPage(left + square(80, first) + square(80, second) + items)).not.toMatch(
      /[-•] ?(?:Springs|Rivers)/,
    )
  })
})
