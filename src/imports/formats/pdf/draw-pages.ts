import { PDFiumLibrary, type PDFiumDocument } from '@hyzyla/pdfium'
import { FormatError } from '../format.ts'
import type { Pixels } from '../picture/encode-jpeg.ts'

/** A PDF whose pages can be drawn. */
export interface DrawablePdf {
  pageCount: number
  /**
   * Draws a page, from 1, `width` pixels wide on white; a page over three times as high as wide is drawn narrower. Throws `EMPTY` for
   * an unknown page, `BROKEN` for one that cannot be drawn.
   */
  draw(page: number, width: number): Promise<Pixels>
  /** How large a page is, from 1, in points. Throws as `draw` does. */
  size(page: number): { width: number; height: number }
  close(): void
}

/** Height in widths of the highest picture. */
const maxHeight = 3

let library: Promise<PDFiumLibrary> | null = null

/** Opens a PDF for drawing. Throws `ENCRYPTED` when it needs a password, and `BROKEN`. */
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
    // A trap of WebAssembly is no judgement on the file.
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
