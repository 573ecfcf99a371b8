import { openWithPdfium } from './pdfium/pdfium-pages.ts'
import type { PageText, PdfFile } from './page/pdf-file.ts'
import { openWithPdfjs } from './pdfjs/pdfjs.ts'

/**
 * Opens a PDF with an engine. Throws `FormatError`: ENCRYPTED or WRONG_PASSWORD for a user password, BROKEN for an
 * unreadable PDF.
 */
export type OpenPdfFile = (bytes: Uint8Array, password?: string | null) => Promise<PdfFile>

/** How many doubtful pages, which have no text or some unreadable characters, the reference engine also reads. */
const doubtfulPageLimits = {
  /** After this many pages that it does not read better, it reads no further ones. */
  notBetter: 8,
  /** After this many pages that it reads better, it reads the rest of the book. */
  better: 4,
}

/** An engine that only extracts the text of pages. `page` returns null for a page that it cannot read. */
export interface TextEngine {
  readonly pageCount: number
  page(number: number): PageText | null
  close(): void
}

/**
 * Opens a PDF with two engines: pdf.js for outline, labels and metadata, and PDFium for the text of the pages, which it
 * extracts two to four times as fast.
 */
export const openPdfFile: OpenPdfFile = async (bytes, password = null) => {
  const reference = await openWithPdfjs(bytes, password)
  const fast = await openWithPdfium(bytes, password).catch(() => null)
  return fast === null ? reference : combineEngines(fast, reference)
}

/**
 * A file whose pages are read by the fast engine. The reference engine reads a page that the fast one cannot read, or
 * whose text it reads better. It reads the rest of the book if that happens often, and the whole book if the engines
 * disagree on the number of pages.
 */
export function combineEngines(fast: TextEngine, reference: PdfFile): PdfFile {
  const agrees = fast.pageCount === reference.pageCount
  let notBetterCount = 0
  let betterCount = 0
  return {
    pageCount: reference.pageCount,
    metadata: () => reference.metadata(),
    labels: () => reference.labels(),
    outline: () => reference.outline(),
    async page(number) {
      const text = agrees && betterCount < doubtfulPageLimits.better ? fast.page(number) : null
      if (text === null) return reference.page(number)
      const annotations = text.annotations ?? (await reference.annotations?.(number).catch(() => null)) ?? []
      const page = { ...text, annotations }
      const isDoubtful = page.runs.length === 0 || page.garbled > 0
      if (!isDoubtful || notBetterCount >= doubtfulPageLimits.notBetter) return page
      const other = await reference.page(number)
      if (isBetter(other, page)) {
        betterCount += 1
        return other
      }
      notBetterCount += 1
      return page
    },
    async close() {
      fast.close()
      await reference.close()
    },
  }
}

/** Whether a page has text and the other has none, or clearly less of its text is unreadable. */
function isBetter(page: PageText, other: PageText): boolean {
  if (page.runs.length === 0) return false
  return other.runs.length === 0 || Math.max(page.garbled, shareOf(other.falseLetters, page)) < other.garbled / 2
}

/** The share (0 to 1) of letters in the text of a page. */
function shareOf(letters: ReadonlySet<string> | undefined, { runs }: PageText): number {
  if (letters === undefined || letters.size === 0) return 0
  const text = runs.map((run) => run.text).join('')
  return Array.from(text).filter((letter) => letters.has(letter)).length / text.length
}
