import type { PageText } from '../pdf-file.ts'
import { readRuns } from '../read-runs.ts'
import { collectItems, withVerticalFaces } from './build-items.ts'
import { pictureArea } from './picture-area.ts'
import { CharacterReader } from './read-characters.ts'
import { startPdfium } from './start-pdfium.ts'
import type { Address, Handle, Pdfium } from './start-pdfium.ts'
import { readView } from './view.ts'

/** A page with fewer characters than this is checked for an image that covers it. */
const maxScanCharacters = 200
/** Pages that stay open after they were read: the engine forgets a font with the last page that uses it. */
const pagesKept = 8
const scratchBytes = 32

/** Opens a PDF with PDFium, which gives the text of pages only; null if it cannot open the file. */
export async function openWithPdfium(bytes: Uint8Array): Promise<PdfiumPages | null> {
  const pdfium = await startPdfium(bytes.length)
  const address = pdfium.exports.malloc(bytes.length)
  if (address === 0) return null
  pdfium.memory().bytes.set(bytes, address)
  const document = pdfium.exports.FPDF_LoadMemDocument64(address, bytes.length, 0)
  return document === 0 ? null : new PdfiumPages(pdfium, document)
}

/** The text of a PDF's pages. There is nothing to close: an engine that is no longer used is garbage, with its memory. */
export class PdfiumPages {
  readonly pageCount: number
  readonly #pdfium: Pdfium
  readonly #document: Handle
  readonly #scratch: Address
  readonly #open: Handle[] = []

  constructor(pdfium: Pdfium, document: Handle) {
    this.#pdfium = pdfium
    this.#document = document
    this.#scratch = pdfium.exports.malloc(scratchBytes)
    this.pageCount = pdfium.exports.FPDF_GetPageCount(document)
  }

  /**
   * Reads a page (one-based); null if the engine cannot. Throws `WebAssembly.RuntimeError` when the engine has failed,
   * after which nothing more can be read with it.
   */
  page(number: number): PageText | null {
    const { exports } = this.#pdfium
    const page = exports.FPDF_LoadPage(this.#document, number - 1)
    if (page === 0) return null
    this.#keepOpen(page)
    const text = exports.FPDFText_LoadPage(page)
    if (text === 0) return null
    try {
      return this.#read(page, text)
    } finally {
      exports.FPDFText_ClosePage(text)
    }
  }

  #read(page: Handle, text: Handle): PageText {
    const view = readView(this.#pdfium, page, this.#scratch)
    const reader = new CharacterReader(this.#pdfium, text)
    const { add, end } = collectItems()
    reader.read(add)
    reader.close()
    const items = end()
    const characters = items.reduce((sum, item) => sum + item.str.length, 0)
    const picture =
      characters < maxScanCharacters &&
      pictureArea(this.#pdfium, page, this.#scratch) > (view.width * view.height) / 2
    const runs = readRuns(items, view.matrix, withVerticalFaces(reader.faces))
    return { width: view.width, height: view.height, ...runs, picture }
  }

  #keepOpen(page: Handle): void {
    this.#open.push(page)
    const oldest = this.#open.length > pagesKept ? this.#open.shift() : undefined
    if (oldest !== undefined) this.#pdfium.exports.FPDF_ClosePage(oldest)
  }
}
