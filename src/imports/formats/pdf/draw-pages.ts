import { PDFiumLibrary, type PDFiumDocument } from '@hyzyla/pdfium'
import { FormatError } from '../format.ts'
import type { Pixels } from '../picture/encode-jpeg.ts'

/** A PDF whose pages can be rendered as pictures. */
export interface DrawablePdf {
  pageCount: number
  /**
   * Renders a page, from 1, `width` pixels wide on a white background. A page more than three times as high as wide is
   * rendered narrower. Throws `EMPTY` for a page that does not exist and `BROKEN` for one that cannot be rendered.
   */
  draw(page: number, width: number): Promise<Pixels>
  /** The size of a page, from 1, in points. Throws as `draw` does. */
  size(page: number): { width: number; height: number }
  close(): void
}

/** Maximum height of a picture, as a multiple of its width. */
const maxHeight = 3

let library: Promise<PDFiumLibrary> | null = null

/** Opens a PDF for rendering. Throws `ENCRYPTED` if it needs a password, or `BROKEN`. */
export async function openDrawablePdf(bytes: Uint8Array): Promise<DrawablePdf> {
  library ??= PDFiumLibrary.init()
  const document = await load(await library, bytes)
  const pageCount = document.getPageCount()
  return {
    pageCount,
    draw: (page, width) => drawPage(document, { page, width, pageCount }),
    size: (page) => sizeOf(document, { page, pageCount }),
    close: () => document.destroy(),
  }
}

async function load(pdfium: PDFiumLibrary, bytes: Uint8Array): Promise<PDFiumDocument> {
  try {
    return await pdfium.loadDocument(bytes)
  } catch (cause) {
    // A WebAssembly trap does not mean that the file is broken.
    if (cause instanceof Error && cause.name === 'RuntimeError') throw cause
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new FormatError(/password|security/i.test(message) ? 'ENCRYPTED' : 'BROKEN', message, { cause })
  }
}

async function drawPage(
  document: PDFiumDocument,
  { page, width, pageCount }: { page: number; width: number; pageCount: number },
): Promise<Pixels> {
  const original = sizeOf(document, { page, pageCount })
  const scale = Math.min(width / original.width, (width * maxHeight) / original.height)
  const size = { width: pixelsOf(original.width * scale), height: pixelsOf(original.height * scale) }
  const { data } = await document.getPage(page - 1).render({ ...size, scale: 1, render: 'bitmap' })
  return { ...size, rgba: data }
}

function sizeOf(document: PDFiumDocument, { page, pageCount }: { page: number; pageCount: number }) {
  if (page < 1 || page > pageCount) throw new FormatError('EMPTY', `no page ${page} of ${pageCount}`)
  const { originalWidth: width, originalHeight: height } = document.getPage(page - 1).getOriginalSize()
  if (!(width > 0 && height > 0)) throw new FormatError('BROKEN', `page ${page} has no size`)
  return { width, height }
}

function pixelsOf(length: number): number {
  return Math.max(1, Math.round(length))
}
