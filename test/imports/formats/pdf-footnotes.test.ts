import { describe, expect, test } from 'vitest'
import { showLines, showText } from '../../support/pdf.ts'
import { readPdfPage } from '../../support/read-pdf.ts'

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
