import { objectType } from './pdfium-object-type.ts'
import type { Pixels } from '../../picture/encode-jpeg.ts'
import { loadDocument } from './load-document.ts'
import { releasePdfium, acquirePdfium, type Pdfium, type PdfiumExports } from './start-pdfium.ts'
import { readView, type PageView } from './pdfium-view.ts'

/** A rectangle on a page, in points from the top left corner, with the page rotation undone. */
export interface Box {
  x0: number
  y0: number
  x1: number
  y1: number
}

/** An object on a page that is not text. A form is a group of objects that the file stores as one drawing. */
export interface DrawnObject {
  kind: 'image' | 'path' | 'form'
  box: Box
  /** For an image: its pixel size and byte size, by which the same image is recognised on other pages. */
  fingerprint?: string
  /** Its marked-content identifier (see `TextRun.mcid`), in a tagged file. */
  mcid?: number
}

/** The drawn objects of a page. The size is in points. */
export interface PageObjects {
  width: number
  height: number
  objects: DrawnObject[]
}

/** Renders parts of the pages of a PDF. */
export interface PageDrawing {
  /** The drawn objects of a page, from 1; null if it has too many, or a picture that is too large to render. */
  objects(page: number): PageObjects | null
  /** Renders a part of a page on a white background, at most `maxSide` pixels wide and high. */
  draw(page: number, box: Box, maxSide: number): Pixels
  close(): void
}

/** Additional functions of PDFium's C interface. */
interface Engine extends PdfiumExports {
  FPDFPageObj_GetBounds(...args: [object: number, left: number, bottom: number, right: number, top: number]): number
  FPDFImageObj_GetImagePixelSize(object: number, width: number, height: number): number
  FPDFImageObj_GetImageDataRaw(image: number, buffer: number, length: number): number
  FPDFBitmap_CreateEx(...args: [width: number, height: number, format: number, data: number, stride: number]): number
  FPDFBitmap_FillRect(
    ...args: [bitmap: number, left: number, top: number, width: number, height: number, colour: number]
  ): void
  FPDFBitmap_Destroy(bitmap: number): void
  FPDF_RenderPageBitmap(
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
}

const kinds = new Map<number, DrawnObject['kind']>([
  [objectType.path, 'path'],
  [objectType.image, 'image'],
  [objectType.shading, 'path'],
  [objectType.form, 'form'],
])
const limits = { objects: 20_000, imagePixels: 40_000_000 }
/** How much memory the engine may use in addition to the file: for the largest picture and its rendering, in bytes. */
const maxExtraBytes = 256 * 1024 * 1024
const bgra = 4
const reverseByteOrder = 0x10

/** Opens a PDF for rendering parts of its pages, with a password if it needs one; null if the engine cannot open it. */
export async function openPageDrawing(bytes: Uint8Array, password: string | null): Promise<PageDrawing | null> {
  const pdfium = await acquirePdfium(bytes.length)
  pdfium.memoryLimit.bytes = bytes.length + maxExtraBytes
  const engine = pdfium.exports as Engine
  const loaded = loadDocument(pdfium, bytes, password)
  if (!loaded) {
    releasePdfium(pdfium)
    return null
  }
  const onPage = <T>(number: number, use: (page: OpenPage) => T): T => {
    const page = engine.FPDF_LoadPage(loaded.document, number - 1)
    if (page === 0) throw new Error(`page ${number} cannot be loaded`)
    try {
      return use({ pdfium, engine, page, view: readView(pdfium, page) })
    } finally {
      engine.FPDF_ClosePage(page)
    }
  }
  return {
    objects: (number) => onPage(number, readObjects),
    draw: (number, box, maxSide) => onPage(number, (page) => drawPart(page, box, maxSide)),
    close() {
      loaded.unload()
      releasePdfium(pdfium)
    },
  }
}

interface OpenPage {
  pdfium: Pdfium
  engine: Engine
  page: number
  view: PageView
}

function readObjects(open: OpenPage): PageObjects | null {
  const { engine, page } = open
  const count = engine.FPDFPage_CountObjects(page)
  if (count > limits.objects) return null
  const objects: DrawnObject[] = []
  for (let index = 0; index < count; index++) {
    const object = engine.FPDFPage_GetObject(page, index)
    const kind = kinds.get(engine.FPDFPageObj_GetType(object))
    if (kind === undefined) continue
    if (hasHugeImage(open, object)) return null
    const box = boundsOf(open, object)
    if (!box) continue
    const image = kind === 'image' ? object : kind === 'form' ? imageOfForm(engine, object) : 0
    const mcid = engine.FPDFPageObj_GetMarkedContentID(object)
    objects.push({
      ...(image === 0 ? { kind, box } : { kind: 'image' as const, box, fingerprint: fingerprintOf(open, image) }),
      ...(mcid >= 0 && { mcid }),
    })
  }
  return { width: open.view.width, height: open.view.height, objects }
}

function fingerprintOf(open: OpenPage, image: number): string {
  const { width, height } = pixelSize(open, image)
  return `${width} ${height} ${open.engine.FPDFImageObj_GetImageDataRaw(image, 0, 0)}`
}

function pixelSize(
  { engine, pdfium: { scratch, memory } }: OpenPage,
  image: number,
): { width: number; height: number } {
  if (engine.FPDFImageObj_GetImagePixelSize(image, scratch, scratch + 4) === 0) return { width: 0, height: 0 }
  const view = new DataView(memory().bytes.buffer, scratch, 8)
  return { width: view.getUint32(0, true), height: view.getUint32(4, true) }
}

/** The image of a form that contains nothing else; otherwise 0. */
function imageOfForm(engine: Engine, form: number): number {
  const only = engine.FPDFFormObj_CountObjects(form) === 1 ? engine.FPDFFormObj_GetObject(form, 0) : 0
  return only !== 0 && kinds.get(engine.FPDFPageObj_GetType(only)) === 'image' ? only : 0
}

/** Whether an object is or contains a picture with too many pixels. */
function hasHugeImage(open: OpenPage, object: number): boolean {
  const { engine } = open
  const waiting = [object]
  for (const [at, each] of waiting.entries()) {
    const kind = kinds.get(engine.FPDFPageObj_GetType(each))
    if (kind === 'image') {
      const { width, height } = pixelSize(open, each)
      if (width * height > limits.imagePixels) return true
    }
    if (kind !== 'form') continue
    const count = engine.FPDFFormObj_CountObjects(each)
    if (waiting.length - at + count > limits.objects) return true
    for (let index = 0; index < count; index++) waiting.push(engine.FPDFFormObj_GetObject(each, index))
  }
  return false
}

/** The bounding box of an object, clipped to the page; null if it is outside of the page. */
function boundsOf({ engine, pdfium: { scratch, memory }, view }: OpenPage, object: number): Box | null {
  if (engine.FPDFPageObj_GetBounds(object, scratch, scratch + 4, scratch + 8, scratch + 12) === 0) return null
  const [left = 0, bottom = 0, right = 0, top = 0] = memory().floats.subarray(scratch >> 2, (scratch >> 2) + 4)
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = view.matrix
  const toView = (x: number, y: number): [number, number] => [a * x + c * y + e, b * x + d * y + f]
  const [[ax, ay], [bx, by]] = [toView(left, top), toView(right, bottom)]
  const box = {
    x0: Math.max(0, Math.min(ax, bx)),
    y0: Math.max(0, Math.min(ay, by)),
    x1: Math.min(view.width, Math.max(ax, bx)),
    y1: Math.min(view.height, Math.max(ay, by)),
  }
  return box.x1 >= box.x0 && box.y1 >= box.y0 ? box : null
}

function drawPart({ engine, pdfium, page, view }: OpenPage, box: Box, maxSide: number): Pixels {
  const scale = Math.min(maxScale, maxSide / Math.max(box.x1 - box.x0, box.y1 - box.y0))
  const pixels = (points: number) => Math.max(1, Math.round(points * scale))
  const [width, height] = [pixels(box.x1 - box.x0), pixels(box.y1 - box.y0)]
  const data = engine.malloc(width * height * 4)
  if (data === 0) throw new Error('no memory for a picture')
  const bitmap = engine.FPDFBitmap_CreateEx(width, height, bgra, data, width * 4)
  try {
    engine.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xffffffff)
    const place = [-Math.round(box.x0 * scale), -Math.round(box.y0 * scale)] as const
    const size = [pixels(view.width), pixels(view.height)] as const
    engine.FPDF_RenderPageBitmap(bitmap, page, ...place, ...size, 0, reverseByteOrder)
    return { width, height, rgba: pdfium.memory().bytes.slice(data, data + width * height * 4) }
  } finally {
    engine.FPDFBitmap_Destroy(bitmap)
    engine.free(data)
  }
}

/** Maximum number of pixels per point, which corresponds to 216 dpi. */
const maxScale = 3
