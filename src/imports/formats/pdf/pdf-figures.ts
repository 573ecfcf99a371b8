import { clipCaption } from '../../../text/figure-markers.ts'
import { collectFigures, maxRepeats, type KeepFigure } from '../figures.ts'
import { figureOfPixels, maxFigureSide } from '../picture/figure-of-pixels.ts'
import { maxRuns } from './lay-out-page.ts'
import type { PageText } from './pdf-file.ts'
import { findCaptions, findFigures, type FigureBox } from './find-figures.ts'
import { openPageDrawing, type Box, type DrawnObject, type PageDrawing, type PageObjects } from './page-drawing.ts'

/** The figures of a PDF. */
export interface PdfFigures {
  /** Where figures are on a page; none on one that is a picture itself. */
  on(number: number, page: PageText): Promise<FigureBox[]>
  /** The text of a figure: its marker or nothing. */
  textFor(number: number, figure: FigureBox): Promise<string>
  close(): void
}

/** Characters of a caption in a marker; the whole caption stands in the text. */
const maxRepeatedCaption = 120
/** Pages after one that are looked at to see whether they show the same picture at the same place. */
const pagesAhead = 4
/** Files beyond this are not opened a second time, bytes. */
const maxFileBytes = 200 * 1024 * 1024

/**
 * Finds the figures of a PDF. The file is opened for drawing only when it has pictures, or a page with the caption of a figure. When the
 * engine fails, the rest of the book has none.
 */
export function createPdfFigures(
  { bytes, password, pageCount }: { bytes: Uint8Array; password: string | null; pageCount: number },
  keep: KeepFigure,
): PdfFigures {
  const figures = collectFigures(keep)
  const hasPictures = findImage(bytes)
  const drawing = drawUntilItFails(bytes, password)
  const known = new Map<number, PageObjects | null>()
  const objectsOf = async (number: number): Promise<PageObjects | null> => {
    if (number < 1 || number > pageCount) return null
    const found = known.get(number)
    if (found !== undefined) return found
    const objects = await drawing.use((opened) => opened.objects(number))
    known.set(number, objects)
    known.delete(number - 2 * pagesAhead)
    return objects
  }
  return {
    async on(number, page) {
      if (page.picture || page.runs.length > maxRuns) return []
      if (!hasPictures && findCaptions(page.runs).length === 0) return []
      const objects = await objectsOf(number)
      if (!objects) return []
      const found: FigureBox[] = []
      for (const box of findFigures(objects, page.runs))
        if (box.caption !== '' || !(await isOrnament(number, { box, objectsOf }))) found.push(box)
      return found
    },
    async textFor(number, figure) {
      const source = `${number} ${figure.x0} ${figure.y0}`
      const caption = clipCaption(figure.caption, maxRepeatedCaption)
      const text = await figures.textFor({ source, caption }, async () => {
        const pixels = await drawing.use((opened) => opened.draw(number, figure, maxFigureSide))
        return pixels && figureOfPixels(pixels)
      })
      // The caption stands in the text already.
      return text.startsWith('![') ? text : ''
    },
    close: drawing.close,
  }
}

/** Whether the pages around show the same picture at the same place, as they do with a logo. */
async function isOrnament(
  number: number,
  { box, objectsOf }: { box: FigureBox; objectsOf: (number: number) => Promise<PageObjects | null> },
): Promise<boolean> {
  const here = (await objectsOf(number))?.objects ?? []
  const parts = here.filter((object) => object.kind === 'image' && isIn(object.box, box))
  let repeats = 0
  for (let other = number - pagesAhead; other <= number + pagesAhead && parts.length > 0; other++) {
    const objects = other === number ? [] : ((await objectsOf(other))?.objects ?? [])
    if (parts.every((part) => objects.some((object) => isSame(object, part)))) repeats += 1
    if (repeats >= maxRepeats) return true
  }
  return false
}

/** Opens a file for drawing when it is used first; from the first failure of the engine on nothing is drawn. */
function drawUntilItFails(bytes: Uint8Array, password: string | null) {
  let drawing: Promise<PageDrawing | null> | undefined
  let isUsable = bytes.length <= maxFileBytes
  return {
    async use<T>(act: (drawing: PageDrawing) => T): Promise<T | null> {
      if (!isUsable) return null
      drawing ??= openPageDrawing(bytes, password).catch(() => null)
      const opened = await drawing
      try {
        return opened && act(opened)
      } catch (error) {
        // WebAssembly has trapped, and its memory is in no known state.
        if (error instanceof Error && error.name === 'RuntimeError') isUsable = false
        return null
      }
    },
    close(): void {
      if (isUsable) void drawing?.then((opened) => opened?.close()).catch(() => undefined)
      isUsable = false
    },
  }
}

const imageMark = Buffer.from('/Image')

/** Whether a file has a picture: its dictionary stands in plain text, whatever else is compressed or encrypted. */
function findImage(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = file.indexOf(imageMark); at >= 0; at = file.indexOf(imageMark, at + 1)) {
    if (/\/Subtype\s*$/.test(file.toString('latin1', Math.max(0, at - 20), at))) return true
  }
  return false
}

/** Whether two pages show the same picture at the same place. */
function isSame(a: DrawnObject, b: DrawnObject): boolean {
  return a.mark === b.mark && isIn(a.box, b.box) && isIn(b.box, a.box)
}

function isIn(inner: Box, outer: Box): boolean {
  const near = 2
  return (
    inner.x0 > outer.x0 - near && inner.y0 > outer.y0 - near && inner.x1 < outer.x1 + near && inner.y1 < outer.y1 + near
  )
}
