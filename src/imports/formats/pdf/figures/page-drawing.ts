import { PDFiumLibrary, type PDFiumDocument } from '@hyzyla/pdfium'
import type { Pixels } from '../../picture/encode-jpeg.ts'

/** A rectangle on a page in points, from the top left corner, page rotation undone. */
export interface Box {
  x0: number
  y0: number
  x1: number
  y1: number
}

/** Something that a page shows besides text. A form is a drawing that the file holds as one. */
export interface DrawnObject {
  kind: 'image' | 'path' | 'form'
  box: Box
  /** Of an image: pixels and bytes, by which it is known on other pages. */
  mark?: string
}

/** What is drawn on a page. */
export interface PageObjects {
  width: number
  height: number
  objects: DrawnObject[]
}

/** Draws parts of the pages of a PDF. */
export interface PageDrawing {
  /** What is drawn on a page, from 1; null where there is more than is looked at, or a picture that is too large to draw. */
  objects(page: number): PageObjects | null
  /** A part of a page on white, at most `maxSide` pixels wide and high. */
  draw(page: number, box: Box, maxSide: number): Pixels
  close(): void
}

/** The functions of PDFium's C interface that are used, and its memory. */
interface Engine {
  _FPDF_LoadPage(document: number, index: number): number
  _FPDF_ClosePage(page: number): void
  _FPDF_GetPageWidthF(page: number): number
  _FPDF_GetPageHeightF(page: number): number
  // oxlint-disable-next-line max-params -- of the engine
  _FPDF_PageToDevice(
    ...args: [
      page: number,
      startX: number,
      startY: number,
      sizeX: number,
      sizeY: number,
      rotate: number,
      pageX: number,
      pageY: number,
      deviceX: number,
      deviceY: number,
    ]
  ): number
  _FPDFPage_CountObjects(page: number): number
  _FPDFPage_GetObject(page: number, index: number): number
  _FPDFPageObj_GetType(object: number): number
  _FPDFPageObj_GetBounds(...args: [object: number, left: number, bottom: number, right: number, top: number]): number
  _FPDFImageObj_GetImagePixelSize(object: number, width: number, height: number): number
  _FPDFImageObj_GetImageDataRaw(image: number, buffer: number, length: number): number
  _FPDFFormObj_CountObjects(form: number): number
  _FPDFFormObj_GetObject(form: number, index: number): number
  _FPDFBitmap_CreateEx(...args: [width: number, height: number, format: number, data: number, stride: number]): number
  _FPDFBitmap_FillRect(
    ...args: [bitmap: number, left: number, top: number, width: number, height: number, colour: number]
  ): void
  _FPDFBitmap_Destroy(bitmap: number): void
  _FPDF_RenderPageBitmap(
    ...args: [
      bitmap: number,
      page: number,
      startX: number,
      startY: number,
      sizeX: number,
      sizeY: number,
      rotate: number,
      flags: number,
    ]
  ): void
  wasmExports: { malloc(bytes: number): number; free(address: number): void }
  HEAPU8: Uint8Array
}

/** `FPDFPageObj_GetType`: those that draw something else than text. */
const kinds = new Map<number, DrawnObject['kind']>([
  [2, 'path'],
  [3, 'image'],
  [4, 'path'],
  [5, 'form'],
])
const limits = { objects: 20_000, imagePixels: 40_000_000, formDepth: 6 }
/** Positions are told in whole numbers: in hundredths of a point. */
const precision = 100
const bgra = 4
const reverseByteOrder = 0x10

/** Opens a PDF for drawing parts of its pages. Throws what the engine throws. */
export async function openPageDrawing(bytes: Uint8Array): Promise<PageDrawing> {
  const library = await PDFiumLibrary.init()
  const document = await library.loadDocument(bytes)
  const { module: engine, documentIdx } = document as unknown as { module: Engine; documentIdx: number }
  const scratch = engine.wasmExports.malloc(32)
  const onPage = <T>(number: number, use: (page: number) => T): T => {
    const page = engine._FPDF_LoadPage(documentIdx, number - 1)
    if (page === 0) throw new Error(`page ${number} cannot be loaded`)
    try {
      return use(page)
    } finally {
      engine._FPDF_ClosePage(page)
    }
  }
  return {
    objects: (number) => onPage(number, (page) => readObjects({ engine, scratch, page })),
    draw: (number, box, maxSide) => onPage(number, (page) => drawPart({ engine, scratch, page }, box, maxSide)),
    close: () => closeAll(document, library),
  }
}

function closeAll(document: PDFiumDocument, library: PDFiumLibrary): void {
  document.destroy()
  library.destroy()
}

interface OpenPage {
  engine: Engine
  scratch: number
  page: number
}

function readObjects(open: OpenPage): PageObjects | null {
  const { engine, page } = open
  const count = engine._FPDFPage_CountObjects(page)
  if (count > limits.objects) return null
  const objects: DrawnObject[] = []
  for (let index = 0; index < count; index++) {
    const object = engine._FPDFPage_GetObject(page, index)
    const kind = kinds.get(engine._FPDFPageObj_GetType(object))
    if (kind === undefined) continue
    if (hasHugeImage(open, object, { depth: 0, left: { objects: limits.objects } })) return null
    const box = boundsOf(open, object)
    if (!box) continue
    const image = kind === 'image' ? object : kind === 'form' ? imageOfForm(engine, object) : 0
    objects.push(image === 0 ? { kind, box } : { kind: 'image', box, mark: markOf(open, image) })
  }
  return { width: engine._FPDF_GetPageWidthF(page), height: engine._FPDF_GetPageHeightF(page), objects }
}

function markOf({ engine, scratch }: OpenPage, image: number): string {
  engine._FPDFImageObj_GetImagePixelSize(image, scratch, scratch + 4)
  const [width = 0, height = 0] = new Uint32Array(engine.HEAPU8.buffer, scratch, 2)
  return `${width} ${height} ${engine._FPDFImageObj_GetImageDataRaw(image, 0, 0)}`
}

/** The image of a form that holds nothing else; else 0. */
function imageOfForm(engine: Engine, form: number): number {
  const only = engine._FPDFFormObj_CountObjects(form) === 1 ? engine._FPDFFormObj_GetObject(form, 0) : 0
  return only !== 0 && kinds.get(engine._FPDFPageObj_GetType(only)) === 'image' ? only : 0
}

/** Whether an object is, or contains, a picture with too many pixels. */
function hasHugeImage(
  { engine, scratch, page }: OpenPage,
  object: number,
  { depth, left }: { depth: number; left: { objects: number } },
): boolean {
  const kind = kinds.get(engine._FPDFPageObj_GetType(object))
  if (kind === 'image') {
    if (engine._FPDFImageObj_GetImagePixelSize(object, scratch, scratch + 4) === 0) return false
    const [width = 0, height = 0] = new Uint32Array(engine.HEAPU8.buffer, scratch, 2)
    return width * height > limits.imagePixels
  }
  if (kind !== 'form') return false
  if (depth >= limits.formDepth) return true
  const count = engine._FPDFFormObj_CountObjects(object)
  for (let index = 0; index < count; index++) {
    if (left.objects-- <= 0) return true
    const part = engine._FPDFFormObj_GetObject(object, index)
    if (hasHugeImage({ engine, scratch, page }, part, { depth: depth + 1, left })) return true
  }
  return false
}

/** Where an object is, clipped to the page; null where it is not on it. */
function boundsOf({ engine, scratch, page }: OpenPage, object: number): Box | null {
  if (engine._FPDFPageObj_GetBounds(object, scratch, scratch + 4, scratch + 8, scratch + 12) === 0) return null
  const [left = 0, bottom = 0, right = 0, top = 0] = Array.from(new Float32Array(engine.HEAPU8.buffer, scratch, 4))
  const [width, height] = [engine._FPDF_GetPageWidthF(page), engine._FPDF_GetPageHeightF(page)]
  const size = [Math.round(width * precision), Math.round(height * precision)] as const
  const toDevice = (x: number, y: number): [number, number] => {
    engine._FPDF_PageToDevice(page, 0, 0, ...size, 0, x, y, scratch, scratch + 4)
    const [deviceX = 0, deviceY = 0] = Array.from(new Int32Array(engine.HEAPU8.buffer, scratch, 2))
    return [deviceX / precision, deviceY / precision]
  }
  const [[ax, ay], [bx, by]] = [toDevice(left, top), toDevice(right, bottom)]
  const box = {
    x0: Math.max(0, Math.min(ax, bx)),
    y0: Math.max(0, Math.min(ay, by)),
    x1: Math.min(width, Math.max(ax, bx)),
    y1: Math.min(height, Math.max(ay, by)),
  }
  return box.x1 >= box.x0 && box.y1 >= box.y0 ? box : null
}

function drawPart({ engine, page }: OpenPage, box: Box, maxSide: number): Pixels {
  const scale = Math.min(maxScale, maxSide / Math.max(box.x1 - box.x0, box.y1 - box.y0))
  const pixels = (points: number) => Math.max(1, Math.round(points * scale))
  const [width, height] = [pixels(box.x1 - box.x0), pixels(box.y1 - box.y0)]
  const data = engine.wasmExports.malloc(width * height * 4)
  if (data === 0) throw new Error('no memory for a picture')
  const bitmap = engine._FPDFBitmap_CreateEx(width, height, bgra, data, width * 4)
  try {
    engine._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xffffffff)
    const place = [-Math.round(box.x0 * scale), -Math.round(box.y0 * scale)] as const
    const size = [pixels(engine._FPDF_GetPageWidthF(page)), pixels(engine._FPDF_GetPageHeightF(page))] as const
    engine._FPDF_RenderPageBitmap(bitmap, page, ...place, ...size, 0, reverseByteOrder)
    return { width, height, rgba: engine.HEAPU8.slice(data, data + width * height * 4) }
  } finally {
    engine._FPDFBitmap_Destroy(bitmap)
    engine.wasmExports.free(data)
  }
}

/** Pixels a point: 216 dots an inch. */
const maxScale = 3
