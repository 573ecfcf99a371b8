import { ink, type GreyPicture } from './grey-picture.ts'
import type { Pixels } from './encode-jpeg.ts'
import type { IndexedPicture } from './encode-png.ts'
import { findInkComponents } from './ink-components.ts'
import { levelLines } from './level-lines.ts'
import { smoothGrain } from './smooth-grain.ts'

/** Clockwise rotation of a picture, degrees. */
export type QuarterTurn = 0 | 90 | 180 | 270

/** Prepares a drawn page for text recognition: greyscale, rotated, deskewed, with white paper and without specks. */
export function prepareScan(page: Pixels, turn: QuarterTurn): GreyPicture {
  return clearPaper(levelLines(smoothGrain(whitenPaper(turnPicture(toGrey(page), turn)))))
}

/** Reduces a grey picture to the 16 levels of `encodeGreyPng`. */
export function toSixteenLevels({ width, height, pixels }: GreyPicture): IndexedPicture {
  return { width, height, indices: pixels.map((value) => (value * 15 + 127) / 255) }
}

/** Converts a drawn page to greyscale (ITU-R BT.601). */
export function toGrey({ width, height, rgba }: Pixels): GreyPicture {
  const pixels = new Uint8Array(width * height)
  for (let at = 0, from = 0; at < pixels.length; at++, from += 4) {
    const [red, green, blue] = [rgba[from] as number, rgba[from + 1] as number, rgba[from + 2] as number]
    pixels[at] = (red * 77 + green * 150 + blue * 29) >> 8
  }
  return { width, height, pixels }
}

/** Rotates the picture clockwise. */
export function turnPicture(picture: GreyPicture, turn: QuarterTurn): GreyPicture {
  const { width, height, pixels } = picture
  if (turn === 0) return picture
  if (turn === 180) return { width, height, pixels: pixels.toReversed() }
  const turned = new Uint8Array(pixels.length)
  for (let y = 0, from = 0; y < height; y++) {
    const column = turn === 90 ? height - 1 - y : y
    for (let x = 0; x < width; x++)
      turned[(turn === 90 ? x : width - 1 - x) * height + column] = pixels[from++] as number
  }
  return { width: height, height: width, pixels: turned }
}

/** Side of the squares in which the brightest pixels are taken as paper, pixels. */
const paperSquare = 64
/** The share of a square that may be brighter than its paper. */
const brighterShare = 0.1
/** Darker squares are pictures or the shadow of a fold, which contain no text. */
const darkestPaper = 60

/** Whitens the paper locally, because a scan is darker at its edges and towards the fold. */
function whitenPaper({ width, height, pixels }: GreyPicture): GreyPicture {
  const columns = Math.ceil(width / paperSquare)
  const rows = Math.ceil(height / paperSquare)
  const paper = new Float32Array(columns * rows)
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      paper[row * columns + column] = Math.max(darkestPaper, paperOf({ width, height, pixels }, column, row))
  const smooth = brightestAround(paper, columns, rows)
  const even = new Uint8Array(pixels.length)
  for (let y = 0, at = 0; y < height; y++) {
    const down = Math.min(rows - 1, Math.max(0, y / paperSquare - 0.5))
    const line = Float32Array.from({ length: columns + 1 }, (_, column) =>
      betweenRows(smooth, { columns, column: Math.min(columns - 1, column), down }),
    )
    for (let x = 0; x < width; x++, at++) {
      const across = Math.min(columns - 1, Math.max(0, x / paperSquare - 0.5))
      const left = Math.floor(across)
      const share = across - left
      const white = (line[left] as number) * (1 - share) + (line[left + 1] as number) * share
      even[at] = Math.min(255, ((pixels[at] as number) * 255) / white)
    }
  }
  return { width, height, pixels: even }
}

function paperOf({ width, height, pixels }: GreyPicture, column: number, row: number): number {
  const counts = new Uint32Array(256)
  let total = 0
  for (let y = row * paperSquare; y < Math.min(height, (row + 1) * paperSquare); y += 2)
    for (let x = column * paperSquare; x < Math.min(width, (column + 1) * paperSquare); x += 2, total++)
      counts[pixels[y * width + x] as number]!++
  let brighter = total * brighterShare
  for (let value = 255; value > 0; value--) {
    brighter -= counts[value] as number
    if (brighter < 0) return value
  }
  return 0
}

/** The maximum of each value and its neighbours, so that a square full of ink takes the paper around it. */
function brightestAround(values: Float32Array, columns: number, rows: number): Float32Array {
  return values.map((_, at) => {
    const [column, row] = [at % columns, Math.floor(at / columns)]
    let brightest = 0
    for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++)
      for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x++)
        brightest = Math.max(brightest, values[y * columns + x] as number)
    return brightest
  })
}

/** Interpolates a column between two rows. */
function betweenRows(
  values: Float32Array,
  { columns, column, down }: { columns: number; column: number; down: number },
) {
  const at = Math.floor(down) * columns + column
  const share = down - Math.floor(down)
  const upper = values[at] as number
  return share === 0 ? upper : upper * (1 - share) + (values[at + columns] as number) * share
}

/** Pixels brighter than this are paper, once the paper is white. */
const paperWhite = 235
/** Minimum number of ink pixels on a page with a word. */
const minInk = 100

/**
 * Makes paper completely white and removes dust. A page without ink becomes blank; otherwise the recognition would
 * search its grain for a minute.
 */
function clearPaper({ width, height, pixels }: GreyPicture): GreyPicture {
  const clear = removeSpecks({ width, height, pixels: pixels.map((value) => (value >= paperWhite ? 255 : value)) })
  let count = 0
  for (let at = 0; at < clear.pixels.length; at++) if ((clear.pixels[at] as number) < ink) count++
  return count < minInk ? { width, height, pixels: clear.pixels.fill(255) } : clear
}

/** Maximum area of a speck with its grey edge, pixels: at 300 per inch, the dot of a 5-point i has twice as many. */
const speckArea = 6
/** The same for a speck that is nowhere as dark as ink. */
const paleSpeckArea = 12

/** Removes ink that is too small to be a dot. Modifies the picture. */
function removeSpecks(picture: GreyPicture): GreyPicture {
  const { width, pixels } = picture
  for (const { left, right, top, bottom, area, darkest } of findInkComponents(picture, 255) ?? []) {
    if (area > (darkest < ink ? speckArea : paleSpeckArea)) continue
    // The bounding box of such a small component contains no other ink, except at its corners.
    for (let y = top; y < bottom; y++) pixels.fill(255, y * width + left, y * width + right)
  }
  return picture
}
