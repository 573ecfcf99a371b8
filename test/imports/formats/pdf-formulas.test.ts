import { expect, test } from 'vitest'
import { showLines, showText } from '../../support/pdf.ts'
import { readPdfPage } from '../../support/read-pdf.ts'

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

test('short paragraphs of words stay apart', async () => {
  const page = await readPdfPage(
    showLines(before, { x: 72, y: 740 }) + showText('Yes.', { x: 72, y: 700 }) + showText('No', { x: 72, y: 678 }),
  )
  expect(page.split('\n\n').slice(1)).toEqual(['Yes.', 'No'])
})
