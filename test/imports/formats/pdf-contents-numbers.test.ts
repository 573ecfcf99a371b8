import { expect, test } from 'vitest'
import { showText } from '../../support/pdf.ts'
import { readPdfPage } from '../../support/read-pdf.ts'

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
