import { openWithPdfium } from './pdfium/pdfium-pages.ts'
import type { PageText, PdfFile } from './pdf-file.ts'
import { openWithPdfjs } from './pdfjs.ts'

/** Opens a PDF with an engine. Throws `FormatError`: ENCRYPTED for a user password, BROKEN for an unreadable PDF. */
export type OpenPdfFile = (bytes: Uint8Array) => Promise<PdfFile>

/** When the second engine is asked for a page, to see whether it reads better. */
const doubt = {
  /** The share of unreadable characters from which a page is doubtful; so is one without text. */
  garbled: 0.02,
  /** After as many doubtful pages that it does not read better, it is not asked again. */
  refuted: 8,
  /** After as many that it does, it reads the rest of the book. */
  confirmed: 4,
}

/** An engine that gives the text of pages only: null for a page that it cannot read. */
export interface TextEngine {
  readonly pageCount: number
  page(number: number): PageText | null
  close(): void
}

/**
 * Opens a PDF with pdf.js, which gives outline, labels and metadata, and with PDFium, which gives the text of its pages two to
 * four times as fast.
 */
export const openPdfFile: OpenPdfFile = async (bytes) => {
  const reference = await openWithPdfjs(bytes)
  const fast = await openWithPdfium(bytes).catch(() => null)
  return fast === null ? reference : combineEngines(fast, reference)
}

/**
 * A file whose pages are read by the fast engine. The reference reads a page that the fast one cannot, or whose text it reads
 * better; and the rest of a book if that happens often, or the whole book if the engines do not agree on the number of pages.
 */
export function combineEngines(fast: TextEngine, reference: PdfFile): PdfFile {
  const agrees = fast.pageCount === reference.pageCount
  let refuted = 0
  let confirmed = 0
  return {
    pageCount: reference.pageCount,
    metadata: () => reference.metadata(),
    labels: () => reference.labels(),
    outline: () => reference.outline(),
    async page(number) {
      const page = agrees && confirmed < doubt.confirmed ? fast.page(number) : null
      if (page === null) return reference.page(number)
      const isDoubtful = page.runs.length === 0 || page.garbled >= doubt.garbled
      if (!isDoubtful || refuted >= doubt.refuted) return page
      const other = await reference.page(number)
      if (isBetter(other, page)) {
        confirmed += 1
        return other
      }
      refuted += 1
      return page
    },
    async close() {
      fast.close()
      await reference.close()
    },
  }
}

/** Whether a page has text where the other has none, or clearly less of it is unreadable. */
function isBetter(page: PageText, other: PageText): boolean {
  if (page.runs.length === 0) return false
  return other.runs.length === 0 || page.garbled < other.garbled / 2
}
