import type { TextRun } from '../page/pdf-file.ts'
import type { Box, DrawnObject, PageObjects } from '../pdfium/page-drawing.ts'

/** The bounding box of a figure on a page. */
export interface FigureBox extends Box {
  /** The beginning of its caption; empty if it has none. */
  caption: string
  /** The alternative text that a tagged file gives it. */
  alternative?: string
}

/** Minimum side of a figure, in points. Smaller pictures are bullets, rules and logos. */
const minSide = 40
/** A picture that covers more than this share of the page is a picture of the page itself. */
const maxPageShare = 0.8
/** Maximum gap between parts of one picture, in points. */
const tileGap = 3
/** Maximum gap between a drawing and its caption, and between the parts of a drawing, in points. */
const reach = { caption: 60, part: 28 }
/** Minimum number of parts of a drawing that contains no picture. */
const minParts = 6
/** Maximum distance of labels from the edge of their drawing, in points. */
const margin = 8
const maxFigures = 20

const label =
  /^(?:figure|fig\.?|abbildung|abb\.|figura|figuur|rysunek|rys\.|рисунок|рис\.|obrázek|kuva|şekil|图|圖|図|그림|شكل|شکل)\s*\d/iu
const word = /^(?:figure|fig\.?|abbildung|abb\.|figura|рисунок|рис\.|图|圖|図)$/iu
/** What follows the number of a caption. A sentence such as "Figure 3 shows" does not match. */
const afterNumber = /^\S*\s*\d+(?:[.-]\d+)*[a-z]?\s*(?:[:.–—|)-]|$)/iu
const maxCaption = 240

interface CaptionLine extends Box {
  text: string
}

/** The captions of figures on a page. Each has the text and the bounding box of its first line. */
export function findCaptions(runs: readonly TextRun[]): CaptionLine[] {
  const level = runs.filter(({ rotation }) => rotation === 0)
  const captions: CaptionLine[] = []
  for (const [at, run] of level.entries()) {
    const begins = label.test(run.text) || (word.test(run.text) && /^\d/.test(level[at + 1]?.text ?? ''))
    const before = level[at - 1]
    // A caption begins its line.
    const continues =
      before &&
      Math.abs(before.y - run.y) < run.size * 0.3 &&
      before.x < run.x &&
      run.x - (before.x + before.width) < run.size * 2
    if (!begins || continues) continue
    const line = lineFrom(level, at)
    const text = line
      .map((part) => (part.hasSpaceBefore ? ' ' : '') + part.text)
      .join('')
      .trim()
    if (!afterNumber.test(text)) continue
    const x1 = Math.max(...line.map((part) => part.x + part.width))
    captions.push({ x0: run.x, y0: run.y - run.size, x1, y1: run.y + run.size * 0.3, text: text.slice(0, maxCaption) })
  }
  return captions
}

/** The runs of a line from index `at` on, up to a gap between columns. */
function lineFrom(runs: readonly TextRun[], at: number): TextRun[] {
  const line = runs.slice(at, at + 1)
  for (const run of runs.slice(at + 1, at + 40)) {
    const last = line.at(-1)
    if (!last || Math.abs(last.y - run.y) > run.size * 0.4 || run.x - (last.x + last.width) > run.size * 1.5) break
    line.push(run)
  }
  return line
}

/** The figures of a page from top to bottom: pictures, and drawings that have a caption. */
export function findFigures({ width, height, objects }: PageObjects, runs: readonly TextRun[]): FigureBox[] {
  const isPage = (box: Box) => areaOf(box) > width * height * maxPageShare
  const shown = objects.filter(({ box }) => !isPage(box))
  const images = joinTiles(shown.filter(({ kind }) => kind === 'image').map(({ box }) => box))
  const figures: FigureBox[] = []
  for (const caption of findCaptions(runs)) {
    const drawing = drawingOf(caption, shown)
    if (!drawing || isPage(drawing) || !isLarge(drawing)) continue
    if (figures.some((figure) => overlaps(figure, drawing))) continue
    figures.push({ ...withLabels(drawing, runs, caption), caption: caption.text })
  }
  for (const image of images) {
    if (isLarge(image) && !isPage(image) && !figures.some((figure) => overlaps(figure, image)))
      figures.push({ ...image, caption: '' })
  }
  return figures.toSorted((a, b) => a.y0 - b.y0).slice(0, maxFigures)
}

/** The bounding box of the drawing above a caption, or below it if there is none above; null if there is no drawing. */
function drawingOf(caption: CaptionLine, objects: readonly DrawnObject[]): Box | null {
  const above = objects.filter(({ box }) => box.y1 <= caption.y1)
  const below = objects.filter(({ box }) => box.y0 >= caption.y0)
  return (
    collect(above, (box) => isBeside(box, caption) && caption.y0 - box.y1 <= reach.caption) ??
    collect(below, (box) => isBeside(box, caption) && box.y0 - caption.y1 <= reach.caption)
  )
}

/**
 * The bounding box of the objects near the caption and of the objects connected to them, or null if they are not a
 * drawing.
 */
function collect(objects: readonly DrawnObject[], isNear: (box: Box) => boolean): Box | null {
  let left = objects.filter(({ box }) => box.x1 - box.x0 > 2 || box.y1 - box.y0 > 2)
  let found: Box | null = null
  const parts: DrawnObject[] = []
  for (let round = 0; round < maxRounds; round++) {
    const reached: Box | null = found
    const next: DrawnObject[] = left.filter(({ box }) => (reached ? isClose(box, reached) : isNear(box)))
    if (next.length === 0) break
    const taken = new Set(next)
    left = left.filter((object) => !taken.has(object))
    parts.push(...next)
    for (const { box } of next) found = found ? union(found, box) : box
  }
  const isDrawing = parts.length >= minParts || parts.some(({ kind, box }) => kind !== 'path' && isLarge(box))
  return isDrawing ? found : null
}

const maxRounds = 50

/** Extends the box of a drawing to the labels of axes and parts at its edge. */
function withLabels(drawing: Box, runs: readonly TextRun[], caption: Box): Box {
  const near = { x0: drawing.x0 - margin, y0: drawing.y0 - margin, x1: drawing.x1 + margin, y1: drawing.y1 + margin }
  const maxWidth = (drawing.x1 - drawing.x0) / 2
  let box = drawing
  for (const { x, y, width, size } of runs) {
    const run = { x0: x, y0: y - size * 0.8, x1: x + width, y1: y + size * 0.25 }
    const isLabel = width <= maxWidth && overlaps(run, near) && !overlaps(run, caption)
    if (isLabel) box = union(box, run)
  }
  const pad = 2
  return { x0: Math.max(0, box.x0 - pad), y0: Math.max(0, box.y0 - pad), x1: box.x1 + pad, y1: box.y1 + pad }
}

/** Joins the tiles or strips into which some programs split a picture. */
function joinTiles(boxes: readonly Box[]): Box[] {
  const joined: Box[] = []
  for (const box of boxes.slice(0, maxTiles)) {
    let whole = box
    for (let at = joined.length - 1; at >= 0; at--) {
      const other = joined[at] as Box
      if (!touches(other, whole)) continue
      whole = union(other, whole)
      joined.splice(at, 1)
    }
    joined.push(whole)
  }
  return joined
}

const maxTiles = 2000

/** Whether two pictures are adjacent and together fill a rectangle. */
function touches(a: Box, b: Box): boolean {
  if (gapOf(a, b) > tileGap) return false
  const both = union(a, b)
  return areaOf(both) <= (areaOf(a) + areaOf(b)) * 1.1
}

function isLarge({ x0, y0, x1, y1 }: Box): boolean {
  return Math.min(x1 - x0, y1 - y0) >= minSide
}

function isBeside(box: Box, caption: Box): boolean {
  return box.x0 < caption.x1 + margin && box.x1 > caption.x0 - margin
}

function isClose(a: Box, b: Box): boolean {
  return gapOf(a, b) <= reach.part
}

/** The larger of the horizontal and vertical gaps between two boxes; 0 or negative if they touch or overlap. */
function gapOf(a: Box, b: Box): number {
  return Math.max(Math.max(a.x0, b.x0) - Math.min(a.x1, b.x1), Math.max(a.y0, b.y0) - Math.min(a.y1, b.y1))
}

function overlaps(a: Box, b: Box): boolean {
  return gapOf(a, b) < 0
}

function union(a: Box, b: Box): Box {
  return {
    x0: Math.min(a.x0, b.x0),
    y0: Math.min(a.y0, b.y0),
    x1: Math.max(a.x1, b.x1),
    y1: Math.max(a.y1, b.y1),
  }
}

function areaOf({ x0, y0, x1, y1 }: Box): number {
  return (x1 - x0) * (y1 - y0)
}
