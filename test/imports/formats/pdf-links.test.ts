import { expect, test } from 'vitest'
import { openWithPdfium } from '../../../src/imports/formats/pdf/pdfium/pdfium-pages.ts'
import { openWithPdfjs } from '../../../src/imports/formats/pdf/pdfjs/pdfjs.ts'
import { showText, writePdf } from '../../support/pdf.ts'

const content = showText('The map is kept by the society of rivers and shown on request.', { x: 72, y: 700 })

/** What each engine reads of the annotations on the first page of a book of three pages. PDFium leaves some to pdf.js. */
async function readByBoth(...annotations: string[]) {
  const names = '/Names << /Dests << /Names [(second) << /D [14 0 R /Fit] >>] >> >>'
  const bytes = writePdf({ pages: [{ content, annotations }, { content }, { content }], catalog: names })
  const [fast, slow] = [await openWithPdfium(bytes), await openWithPdfjs(bytes)]
  const both = { fast: fast?.page(1)?.annotations, slow: await slow.annotations?.(1) }
  fast?.close()
  await slow.close()
  return both
}

const link = (entries: string, rect = '159.5 696.25 246.5 710.75') =>
  `<< /Type /Annot /Subtype /Link /Rect [${rect}] ${entries} >>`

test.for([
  ['an address with a space', '/A << /S /URI /URI (https://Rivers.example/a map\\(1\\)) >>', null],
  [
    'an address',
    '/A << /S /URI /URI (https://Rivers.example/map\\(1\\)?q=%C3%A9) >>',
    'https://rivers.example/map%281%29?q=%C3%A9',
  ],
  ['a mail address', '/A << /S /URI /URI (mailto:ada@rivers.example) >>', 'mailto:ada@rivers.example'],
  ['a page', '/Dest [14 0 R /Fit]', 'page:2'],
  ['a page, by an action', '/A << /S /GoTo /D [14 0 R /XYZ 0 0 0] >>', 'page:2'],
  ['a page, by its number', '/Dest [1 /Fit]', 'page:2'],
  ['a named destination', '/A << /S /GoTo /D (second) >>', 'page:2'],
  [
    'a part of the page',
    '/Dest [14 0 R /Fit] /QuadPoints [160 710 219 710 160 698 219 698 172 706 197 706 172 697 197 697]',
    'page:2',
  ],
  ['quadrilaterals outside its rectangle', '/Dest [14 0 R /Fit] /QuadPoints [60 710 219 710 60 698 219 698]', 'page:2'],
] as const)('both engines read the same link: %s', async ([, entries, target]) => {
  const { fast, slow } = await readByBoth(link(entries))
  // Addresses with unusual characters are left to pdf.js.
  if (target === null) expect(fast).toBeUndefined()
  else {
    expect(fast).toEqual(slow)
    expect(fast?.map((each) => each.target)).toEqual([target])
  }
})

test('both engines ignore links to their own page, to programs and to nothing, and hidden ones', async () => {
  const { fast, slow } = await readByBoth(
    link('/Dest [12 0 R /Fit]'),
    link('/A << /S /URI /URI (javascript:alert\\(1\\)) >>'),
    link('/Dest [14 0 R /Fit] /F 2'),
  )
  expect([fast, slow]).toEqual([[], []])
})

test.for<[what: string, annotation: string]>([
  ['a form field', '<< /Type /Annot /Subtype /Widget /FT /Tx /T (f) /V (Ada) /F 4 /Rect [72 600 200 620] >>'],
  ['a note', '<< /Type /Annot /Subtype /Text /Contents (Check this) /F 4 /Rect [300 600 320 620] >>'],
  ['a link to another file', link('/A << /S /GoToR /F (https://rivers.example/b.pdf) /D [0 /Fit] >>')],
  ['a link to an unknown name', link('/Dest (missing)')],
  ['an address without a scheme', link('/A << /S /URI /URI (www.rivers.example) >>')],
])('PDFium leaves a page with %s to pdf.js', async ([, annotation]) => {
  const { fast, slow } = await readByBoth(link('/Dest [14 0 R /Fit]'), annotation)
  expect(fast).toBeUndefined()
  expect(slow?.[0]?.target).toBe('page:2')
})
