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
  if (page < 1 || page > pageCount) throw new FormatError('EMPTY', `no page ${page} of ${pageCount}`)
  const drawable = document.getPage(page - 1)
  const { originalWidth, originalHeight } = drawable.getOriginalSize()
  if (!(originalWidth > 0 && originalHeight > 0)) throw new FormatError('BROKEN', `page ${page} has no size`)
  const scale = Math.min(width / originalWidth, (width * maxHeight) / originalHeight)
  const size = { width: pixelsOf(originalWidth * scale), height: pixelsOf(originalHeight * scale) }
  const { data } = await drawable.render({ ...size, scale: 1, render: 'bitmap' })
  return { ...size, rgba: data }
}

function pixelsOf(length: number): number {
  return Math.max(1, Math.round(length))
}
