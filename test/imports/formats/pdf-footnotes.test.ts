import { describe, expect, test } from 'vitest'
import { showLines, showText } from '../../support/pdf.ts'
import { readPdf, readPdfPage } from '../../support/read-pdf.ts'
import { element, taggedPdf } from '../../support/tagged-pdf.ts'

const body = showLines(
  ['A paragraph of several lines is joined into one again, as they', 'were broken for the page only.'],
  { x: 72, y: 740 },
)

function marked(y: number, number: string, after: string): string {
  return `BT /F1 10 Tf 1 0 0 1 72 ${y} Tm (Springs are cold) Tj /F1 6 Tf 4 Ts (${number}) Tj /F1 10 Tf 0 Ts ( ${after}) Tj ET\n`
}

function note(y: number, number: string, text: string): string {
  return `BT /F1 5 Tf 1 0 0 1 84 ${y + 3} Tm (${number}) Tj /F1 8 Tf 1 0 0 1 87 ${y} Tm (${text}) Tj ET\n`
}

describe('footnotes', () => {
  test('are linked to their references, with all of their lines', async () => {
    const page = await readPdfPage(
      body +
        marked(690, '1', 'and clear.') +
        marked(660, '2', 'and deep.') +
        note(100, '1', 'As they come out of the ground, says the first of the books on') +
        showText('springs.', { x: 72, y: 91, size: 8 }) +
        note(82, '2', 'Not all.'),
    )
    expect(page).toContain('Springs are cold[^1] and clear.')
    expect(page).toContain('Springs are cold[^2] and deep.')
    expect(page).toMatch(
      /\n\n\[\^1\]: As they come out of the ground, says the first of the books on springs\.\n\n\[\^2\]: Not all\.$/,
    )
  })

  test('may begin with a number that is not raised, below the text', async () => {
    const plain = showText('1', { x: 72, y: 100, size: 8 }) + showText('The books say so.', { x: 86, y: 100, size: 8 })
    const page = await readPdfPage(body + marked(690, '1', 'and clear.') + plain)
    expect(page).toContain('Springs are cold[^1] and clear.')
    expect(page).toMatch(/\n\n\[\^1\]: The books say so\.$/)
  })

  test('with such a number are not lines of small text above other text, nor without a reference', async () => {
    const plain = (y: number, number: string) => showText(`${number} The books say so.`, { x: 72, y, size: 8 })
    const page = await readPdfPage(body + plain(710, '1') + marked(690, '1', 'and clear.') + plain(100, '2'))
    expect(page).not.toContain('[^')
  })

  test('may have references as large as in browsers', async () => {
    const raised = `BT /F1 12 Tf 1 0 0 1 72 690 Tm (Springs are cold) Tj /F1 10 Tf 4 Ts (1) Tj /F1 12 Tf 0 Ts ( and clear.) Tj ET\n`
    expect(
      await readPdfPage(raised + showText('Springs are cold all year round.', { x: 72, y: 670, size: 12 })),
    ).toContain('Springs are cold^1 and clear.')
  })

  test('in a typewriter font, such as addresses, are notes and not a code listing', async () => {
    const address = (y: number, number: string, url: string): string =>
      `BT /F1 5 Tf 1 0 0 1 84 ${y + 3} Tm (${number}) Tj /F3 8 Tf 1 0 0 1 87 ${y} Tm (${url}) Tj ET\n`
    const page = await readPdfPage(
      body +
        marked(690, '1', 'and clear.') +
        marked(660, '2', 'and deep.') +
        address(100, '1', 'https://springs.example/') +
        address(90, '2', 'https://rivers.example/'),
    )
    expect(page).toMatch(/\n\n\[\^1\]: `https:\/\/springs\.example\/`\n\n\[\^2\]: `https:\/\/rivers\.example\/`$/)
  })

  test('without a reference on the page, and exponents without a note, are unchanged', async () => {
    const power =
      'BT /F1 10 Tf 1 0 0 1 72 690 Tm (the square x) Tj /F1 6 Tf 4 Ts (2) Tj /F1 10 Tf 0 Ts ( of it) Tj ET\n'
    const page = await readPdfPage(body + power + note(100, '2', 'A note of the page before.'))
    expect(page).toContain('the square x^2 of it')
    expect(page).not.toContain('[^')
    expect(page).toMatch(/\n\n2 A note of the page before\.$/)
  })
})

test('raised numbers in eight ninths of the size of their text stay in it', async () => {
  const raised =
    'BT /F1 12 Tf 1 0 0 1 72 690 Tm (Springs are cold) Tj /F1 10.7 Tf 5.3 Ts (1) Tj /F1 12 Tf 0 Ts ( and clear.) Tj ET\n'
  expect(await readPdfPage(raised + showText('Rivers are long.', { x: 72, y: 640, size: 12 }))).toContain(
    'Springs are cold^1 and clear.',
  )
})

describe('footnotes of tagged pages', () => {
  const [left, number] = ['The springs are cold and clear.', '1']
  const isRaised = (x: number, y: number, size: number) => showText(number, { x, y: y + 4, size })

  test('are linked, in the size of the text and below paragraphs that follow', async () => {
    const [page] = await readPdf(
      taggedPdf([
        element(
          'P',
          showText(left, { x: 72, y: 740 }),
          element('Lbl', isRaised(209.3, 740, 6)),
          element('Note', element('P', isRaised(72, 100, 6), showText('So say the books.', { x: 78, y: 100 }))),
        ),
        element('P', showText('Rivers are not.', { x: 72, y: 700 })),
      ]),
    )
    expect(page).toBe(`${left}[^1]\n\nRivers are not.\n\n[^1]: So say the books.`)
  })

  test('may have marks whose glyphs are small instead of their font', async () => {
    const [page] = await readPdf(
      taggedPdf([
        element(
          'P',
          showText(left, { x: 72, y: 740 }),
          element('Lbl', element('Link', showText('1', { x: 209.3, y: 740 }))),
          element('Note', element('Lbl', showText('1', { x: 72, y: 100 })), showText('So say', { x: 78, y: 100 })),
          showText('They are deep.', { x: 220, y: 740 }),
        ),
      ]),
    )
    expect(page).toBe(`${left}[^1] They are deep.\n\n[^1]: So say`)
  })

  test('may have their numbers in another part', async () => {
    const [page] = await readPdf(
      taggedPdf([
        element('Div', showText(left, { x: 72, y: 740 }), element('Span', isRaised(209.3, 740, 6))),
        element('Div', showText('Rivers are long and shallow in this part of the land.', { x: 72, y: 720 })),
        element(
          'Div',
          element('Span', isRaised(72, 100, 6)),
          element('Div', showText('So say', { x: 78, y: 100, size: 8 })),
        ),
      ]),
    )
    expect(page).toContain(`${left}[^1]`)
    expect(page).toMatch(/\n\n\[\^1\]: So say$/)
  })
})
