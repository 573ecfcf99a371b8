import { expect, test } from 'vitest'
import { showText } from '../../support/pdf.ts'
import { readPdfPage } from '../../support/read-pdf.ts'

const size = 10

test('text that begins at the edge of a cropped page keeps its first letter', async () => {
  const page = await readPdfPage(showText('Imagine a page without margins', { x: -0.4, y: 700, size }))
  expect(page).toBe('Imagine a page without margins')
})

test('text on the lower edge of a cropped page is kept', async () => {
  const page = await readPdfPage(showText('The last line of the page', { x: 72, y: -0.4, size }))
  expect(page).toBe('The last line of the page')
})

test('words that run over an edge stay whole, and text outside of the page is left out', async () => {
  const page = await readPdfPage(
    showText('A line of code that is too long for the page ends here', { x: 400, y: 700, size }) +
      showText('Nobody sees this.', { x: 700, y: 680, size }) +
      showText('Nor this.', { x: 72, y: -20, size }),
  )
  expect(page).toBe('A line of code that is too long for the page ends here')
})

test('syllables that are placed one by one are separate words, unlike the parts of a word', async () => {
  const page = await readPdfPage(
    showText('nel', { x: 108.9, y: 700, size }) +
      showText('vi', { x: 100, y: 700, size }) +
      showText('rit', { x: 147.3, y: 700, size }) +
      showText('favo', { x: 128, y: 700, size }),
  )
  expect(page).toBe('vi nel favorit')
})
