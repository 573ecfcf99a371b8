import { afterEach, describe, expect, test } from 'vitest'
import { openWithPdfium } from '../../../src/imports/formats/pdf/pdfium/pdfium-pages.ts'
import { acquirePdfium, releasePdfium } from '../../../src/imports/formats/pdf/pdfium/start-pdfium.ts'
import { showText, writePdf } from '../../support/pdf.ts'

type FontName = 'F1' | 'F2' | 'F3'

/** Bytes of a PDF with one word on each page, in these fonts: a regular, a bold and a monospaced one. */
function pagesIn(fonts: readonly FontName[]): Uint8Array {
  return writePdf({ pages: fonts.map((font) => ({ content: showText('Words', { x: 72, y: 700, font }) })) })
}

let restore: () => Promise<void> = async () => undefined

/** Counts how often the engine is asked for the name of a font. */
async function countReadFonts(): Promise<{ count: number }> {
  const pdfium = await acquirePdfium(0)
  const { exports } = pdfium
  const reads = { count: 0 }
  pdfium.exports = {
    ...exports,
    FPDFFont_GetBaseFontName(...args) {
      reads.count += 1
      return exports.FPDFFont_GetBaseFontName(...args)
    },
  }
  releasePdfium(pdfium)
  restore = async () => {
    const used = await acquirePdfium(0)
    used.exports = exports
    releasePdfium(used)
  }
  return reads
}

afterEach(async () => restore())

describe('fonts', () => {
  test('a font is read once as long as a page that uses it is open', async () => {
    const reads = await countReadFonts()
    const file = await openWithPdfium(pagesIn(Array.from({ length: 12 }, () => 'F2' as const)))
    for (let number = 1; number <= 12; number += 1) expect(file?.page(number)?.runs[0]?.font.bold).toBe(true)
    file?.close()
    expect(reads.count).toBe(1)
  })

  test('a font of closed pages is read again, and each page has the style of its own fonts', async () => {
    const reads = await countReadFonts()
    const fonts = ['F1', 'F2', 'F3', 'F2', 'F3', 'F2', 'F3', 'F2', 'F3', 'F1', 'F1', 'F3'] as const
    const file = await openWithPdfium(pagesIn(fonts))
    const styles = fonts.map((_, index) => {
      const { bold = false, mono = false } = file?.page(index + 1)?.runs[0]?.font ?? {}
      return bold ? 'F2' : mono ? 'F3' : 'F1'
    })
    file?.close()
    expect(styles).toEqual(fonts)
    // The regular font, whose pages are more than the engine keeps open apart from each other, is read twice.
    expect(reads.count).toBe(4)
  })
})
