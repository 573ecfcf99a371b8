import { clipCaption } from '../../../text/figure-markers.ts'
import { collectFigures, maxRepeats, type KeepFigure } from '../figures.ts'
import { figureOfPixels, maxFigureSide } from '../picture/figure-of-pixels.ts'
import { maxRuns } from './lay-out-page.ts'
import type { PageText, StructureElement } from './page/pdf-file.ts'
import { findCaptions, findFigures, type FigureBox } from './figures/find-figures.ts'
import {
  openPageDrawing,
  type Box,
  type DrawnObject,
  type PageDrawing,
  type PageObjects,
} from './pdfium/page-drawing.ts'

/** Finds and renders the figures of a PDF. */
export interface PdfFigures {
  /** The figures of a page (from 1); none on a page that is a scan. */
  on(number: number, page: PageText): Promise<FigureBox[]>
  /** The Markdown of a figure; empty if it is not kept. */
  textFor(number: number, figure: FigureBox): Promise<string>
  close(): void
}

/** Maximum length of a caption in the Markdown of a figure, in characters. The whole caption is also in the text. */
const maxRepeatedCaption = 120
/** The number of pages before and after a page that are searched for the same picture at the same place. */
const pagesAhead = 4
/** Maximum size of a file that is opened a second time for rendering, in bytes. */
const maxFileBytes = 200 * 1024 * 1024

/**
 * Finds the figures of a PDF. The file is opened for rendering only if it contains pictures or a page has a figure
 * caption. If the engine fails, the rest of the book has no figures.
 */
export function createPdfFigures(
  { bytes, password, pageCount }: { bytes: Uint8Array; password: string | null; pageCount: number },
  keep: KeepFigure,
): PdfFigures {
  const figures = collectFigures(keep)
  const hasPictures = containsImage(bytes)
  const drawing = renderUntilFailure(bytes, password)
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
      const alternatives = new Map((page.structure ?? []).flatMap(alternativesIn))
      for (const box of findFigures(objects, page.runs)) {
        if (box.caption === '' && (await isOrnament(number, { box, objectsOf }))) continue
        const alternative = alternativeOf(box, objects, alternatives)
        found.push(alternative === undefined ? box : { ...box, alternative })
      }
      return found
    },
    async textFor(number, figure) {
      const source = `${number} ${figure.x0} ${figure.y0}`
      const { alternative } = figure
      const caption = alternative ?? clipCaption(figure.caption, maxRepeatedCaption)
      const text = await figures.textFor({ source, caption }, async () => {
        const pixels = await drawing.use((opened) => opened.draw(number, figure, maxFigureSide))
        return pixels && figureOfPixels(pixels)
      })
      // A caption is in the text already.
      return text.startsWith('![') || alternative !== undefined ? text : ''
    },
    close: drawing.close,
  }
}

/** The alternative texts in a structure, by the marked-content identifiers of their figures. */
function alternativesIn({ kids, alternative }: StructureElement): [mcid: number, alternative: string][] {
  return kids.flatMap((kid) => {
    if (typeof kid !== 'number') return alternativesIn(alternative === undefined ? kid : { alternative, ...kid })
    return alternative === undefined ? [] : [[kid, alternative]]
  })
}

/** The alternative text of the first picture in a figure that has one. */
function alternativeOf(
  figure: FigureBox,
  { objects }: PageObjects,
  alternatives: ReadonlyMap<number, string>,
): string | undefined {
  if (alternatives.size === 0) return undefined
  const parts = objects.filter(({ box }) => isIn(box, figure))
  return parts.map(({ mcid }) => alternatives.get(mcid ?? -1)).find((text) => text !== undefined)
}

/** Whether nearby pages show the same picture at the same place. Then it is an ornament, such as a logo. */
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

/** Opens a file for rendering on first use. After a failure of the engine, `use` returns null. */
function renderUntilFailure(bytes: Uint8Array, password: string | null) {
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
        // A WebAssembly trap leaves the memory in an unknown state.
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

const imageSubtype = Buffer.from('/Image')

/**
 * Whether a file contains a picture. Stream dictionaries are in plain text even if everything else is compressed or
 * encrypted.
 */
function containsImage(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = file.indexOf(imageSubtype); at >= 0; at = file.indexOf(imageSubtype, at + 1)) {
    if (/\/Subtype\s*$/.test(file.toString('latin1', Math.max(0, at - 20), at))) return true
  }
  return false
}

/** Whether two objects are the same picture at the same place. */
function isSame(a: DrawnObject, b: DrawnObject): boolean {
  return a.fingerprint === b.fingerprint && isIn(a.box, b.box) && isIn(b.box, a.box)
}

function isIn(inner: Box, outer: Box): boolean {
  const near = 2
  return (
    inner.x0 > outer.x0 - near && inner.y0 > outer.y0 - near && inner.x1 < outer.x1 + near && inner.y1 < outer.y1 + near
  )
}
