import type { PageText } from './pdf-file.ts'
import { readRuns } from './read-runs.ts'
import { collectItems, withVerticalFaces } from './pdfium-items.ts'
import { pictureArea } from './pdfium-picture-area.ts'
import { CharacterReader } from './pdfium-characters.ts'
import { takePdfium, giveBackPdfium } from './start-pdfium.ts'
import type { Address, Handle, Pdfium } from './start-pdfium.ts'
import { readView } from './pdfium-view.ts'

/** A page with fewer characters than this is checked for an image that covers it. */
const maxScanCharacters = 200
/** Pages that stay open after they were read: the engine forgets a font with the last page that uses it. */
const pagesKept = 4

/** Opens a PDF with PDFium, which gives the text of pages only; null if it cannot open the file. */
export async function openWithPdfium(bytes: Uint8Array): Promise<PdfiumPages | null> {
  const pdfium = await takePdfium(bytes.length)
  const address = pdfium.exports.malloc(bytes.length)
  if (address === 0) return null
  pdfium.memory().bytes.set(bytes, address)
  const document = pdfium.exports.FPDF_LoadMemDocument64(address, bytes.length, 0)
  if (document !== 0) return new PdfiumPages(pdfium, document, address)
  pdfium.exports.free(address)
  giveBackPdfium(pdfium)
  return null
}

/** The text of a PDF's pages. */
export class PdfiumPages {
  readonly pageCount: number
  readonly #pdfium: Pdfium
  readonly #document: Handle
  readonly #bytes: Address
  readonly #open: Handle[] = []
  #isUsable = true

  constructor(pdfium: Pdfium, document: Handle, bytes: Address) {
    this.#pdfium = pdfium
    this.#document = document
    this.#bytes = bytes
    this.pageCount = pdfium.exports.FPDF_GetPageCount(document)
  }

  /** Reads a page (one-based); null if the engine cannot. When the engine has failed, it reads no other page either. */
  page(number: number): PageText | null {
    if (!this.#isUsable) return null
    try {
      return this.#load(number)
    } catch {
      this.#isUsable = false // WebAssembly has trapped, and its memory is in no known state
      return null
    }
  }

  close(): void {
    if (!this.#isUsable) return
    this.#isUsable = false
    const { exports } = this.#pdfium
    for (const page of this.#open) exports.FPDF_ClosePage(page)
    exports.FPDF_CloseDocument(this.#document)
    exports.free(this.#bytes)
    giveBackPdfium(this.#pdfium)
  }

  #load(number: number): PageText | null {
    const { exports } = this.#pdfium
    const page = exports.FPDF_LoadPage(this.#document, number - 1)
    if (page === 0) return null
    this.#keepOpen(page)
    const text = exports.FPDFText_LoadPage(page)
    if (text === 0) return null
    const content = this.#read(page, text)
    exports.FPDFText_ClosePage(text)
    return content
  }

  #read(page: Handle, text: Handle): PageText {
    const view = readView(this.#pdfium, page)
    const reader = new CharacterReader(this.#pdfium, text)
    const { add, end } = collectItems()
    reader.read((character) => {
      if (view.shows(character)) add(character)
    })
    const items = end()
    const characters = items.reduce((sum, item) => sum + item.str.length, 0)
    const picture = characters < maxScanCharacters && pictureArea(this.#pdfium, page) > (view.width * view.height) / 2
    const runs = readRuns(items, view.matrix, withVerticalFaces(reader.faces))
    return { width: view.width, height: view.height, ...runs, picture }
  }

  #keepOpen(page: Handle): void {
    this.#open.push(page)
    const oldest = this.#open.length > pagesKept ? this.#open.shift() : undefined
    if (oldest !== undefined) this.#pdfium.exports.FPDF_ClosePage(oldest)
  }
}
