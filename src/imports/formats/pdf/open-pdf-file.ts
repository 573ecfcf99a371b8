import { openWithPdfium } from './pdfium-pages.ts'
import type { PageText, PdfFile } from './pdf-file.ts'
import { openWithPdfjs } from './pdfjs.ts'

/** Opens a PDF with an engine. Throws `FormatError`: ENCRYPTED and WRONG_PASSWORD for a user password, BROKEN for an unreadable PDF. */
export type OpenPdfFile = (bytes: Uint8Array, password?: string | null) => Promise<PdfFile>

/** How long the other engine is asked for pages that are doubtful: without text, or with any sign of unknown meaning. */
const doubt = {
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
export const openPdfFile: OpenPdfFile = async (bytes, password = null) => {
  const reference = await openWithPdfjs(bytes, password)
  const fast = await openWithPdfium(bytes, password).catch(() => null)
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
      const text = agrees && confirmed < doubt.confirmed ? fast.page(number) : null
      if (text === null) return reference.page(number)
      const annotations = (await reference.annotations?.(number).catch(() => null)) ?? []
      const page = { ...text, annotations }
      const isDoubtful = page.runs.length === 0 || page.garbled > 0
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
