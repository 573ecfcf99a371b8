import { expect, test } from 'vitest'
import { showText } from '../../support/pdf.ts'
import { readPdf, readPdfPage } from '../../support/read-pdf.ts'

const size = 10

/** An entry whose number is apart from its title, and whose line is filled with dots up to the page number. */
function entry(y: number, [number, title, page]: [string, string, string]): string {
  const start = number.length > 3 ? 183 : 160
  const at = number.length > 3 ? 214 : 183
  const count = Math.floor((473 - at - title.length * 5.2) / 5.56)
  return (
    showText(number, { x: start, y, size }) +
    showText(title, { x: at, y, size }) +
    showText('. '.repeat(count), { x: 478 - count * 5.56, y, size }) +
    showText(page, { x: 487, y, size })
  )
}

/** An entry of a chapter, without dots. */
function chapter(y: number, number: string, title: string, page: string): string {
  return (
    showText(number, { x: 145, y, size, font: 'F2' }) +
    showText(title, { x: 160, y, size, font: 'F2' }) +
    showText(page, { x: 487, y, size, font: 'F2' })
  )
}

test('entries of a table of contents keep their numbers, which are not notes in the margin', async () => {
  const page = await readPdfPage(
    showText('Contents', { x: 145, y: 720, size: 14, font: 'F2' }) +
      chapter(690, '6', 'Strings', '18') +
      entry(678, ['6.1', 'Description of strings', '18']) +
      entry(666, ['6.2', 'Definition of strings', '19']) +
      entry(654, ['6.2.1', 'Preprocessing', '20']) +
      entry(642, ['6.2.2', 'Expansion', '26']) +
      entry(630, ['6.2.3', 'Postprocessing', '27']) +
      entry(618, ['6.3', 'Encodings', '31']) +
      entry(606, ['6.3.1', 'Workaround for strings', '32']) +
      entry(594, ['6.3.2', 'Categories of characters', '32']) +
      entry(582, ['6.3.3', 'Further encodings', '33']),
  )
  expect(page).toContain(
    [
      '- 6 Strings … 18',
      '  - 6.1 Description of strings … 18',
      '  - 6.2 Definition of strings … 19',
      '    - 6.2.1 Preprocessing … 20',
      '    - 6.2.2 Expansion … 26',
      '    - 6.2.3 Postprocessing … 27',
      '  - 6.3 Encodings … 31',
      '    - 6.3.1 Workaround for strings … 32',
      '    - 6.3.2 Categories of characters … 32',
      '    - 6.3.3 Further encodings … 33',
    ].join('\n'),
  )
})

test('entries of several lines are one item each', async () => {
  const line = (y: number, x: number, title: string, page?: string) =>
    showText(title, { x, y, size }) +
    (page === undefined ? '' : showText('. . . . . . . .', { x: 400, y, size }) + showText(page, { x: 487, y, size }))
  const page = await readPdfPage(
    showText('Contents', { x: 145, y: 720, size: 14, font: 'F2' }) +
      line(690, 145, '1 Strings', '18') +
      line(678, 160, '1.1 What a string is, and what it is not, in spite') +
      line(666, 183, 'of all that is said about strings in other pre-') +
      line(654, 183, 'paratory books', '19') +
      line(642, 160, 'Encodings that are older than any of the strings that') +
      line(630, 160, 'are described above', '31') +
      showText('2 All that is left to say, which is not so much . . 42', { x: 145, y: 618, size }) +
      line(606, 145, '3 Index', '50'),
  )
  expect(page).toContain(
    [
      '- 1 Strings … 18',
      '  - 1.1 What a string is, and what it is not, in spite of all that is said about strings in other preparatory books … 19',
      '  - Encodings that are older than any of the strings that are described above … 31',
      '- 2 All that is left to say, which is not so much … 42',
      '- 3 Index … 50',
    ].join('\n'),
  )
})

test('the title of a part without a page number is not part of the entry below it', async () => {
  const page = await readPdfPage(
    showText('Contents', { x: 145, y: 720, size: 14, font: 'F2' }) +
      showText('1 Rivers', { x: 145, y: 690, size }) +
      entry(678, ['1.1', 'Springs', '18']) +
      entry(666, ['1.2', 'Lakes', '19']),
  )
  expect(page).toContain('1 Rivers\n\n')
  expect(page).toContain('- 1.1 Springs … 18\n- 1.2 Lakes … 19')
})

test('an entry leads to its page, unless it has several', async () => {
  const link = (rect: string, page: number) =>
    `<< /Type /Annot /Subtype /Link /Rect [${rect}] /Dest [${14 + page * 2 - 4} 0 R /Fit] >>`
  const content =
    showText('Contents', { x: 145, y: 720, size: 14, font: 'F2' }) +
    entry(690, ['6.1', 'Springs', '2']) +
    entry(678, ['6.2', 'Lakes', '2, 3'])
  const annotations = [link('150 688 480 699', 2), link('484 676 493 687', 2), link('496 676 506 687', 3)]
  const [page] = await readPdf({ pages: [{ content, annotations }, { content: '' }, { content: '' }] })
  expect(page).toContain('- [6.1 Springs](page:2) … 2\n- 6.2 Lakes … 2, 3')
})
