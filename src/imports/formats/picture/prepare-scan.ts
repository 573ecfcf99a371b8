import { ink, type GreyPicture } from './grey-picture.ts'
import type { Pixels } from './encode-jpeg.ts'
import { levelLines } from './level-lines.ts'
import type { IndexedPicture } from './encode-png.ts'

/** By how much a picture is turned clockwise, degrees. */
export type QuarterTurn = 0 | 90 | 180 | 270

/**
 * A drawn page as recognition of text reads it best: grey, turned, its lines level, its paper white and without specks. 16 levels; 15 is
 * white.
 */
export function prepareScan(page: Pixels, turn: QuarterTurn): IndexedPicture {
  const turned = turnPicture(toGrey(page), turn)
  const level = levelLines(smoothGrain(whitenPaper(turned)))
  const { width, height, pixels } = clearPaper(removeSpecks(level))
  const indices = new Uint8Array(pixels.length)
  for (let at = 0; at < pixels.length; at++) indices[at] = ((pixels[at] as number) * 15 + 127) / 255
  return { width, height, indices }
}

/** The brightness of a drawn page (ITU-R BT.601). */
export function toGrey({ width, height, rgba }: Pixels): GreyPicture {
  const pixels = new Uint8Array(width * height)
  for (let at = 0, from = 0; at < pixels.length; at++, from += 4) {
    const [red, green, blue] = [rgba[from] as number, rgba[from + 1] as number, rgba[from + 2] as number]
    pixels[at] = (red * 77 + green * 150 + blue * 29) >> 8
  }
  return { width, height, pixels }
}

/** The picture turned clockwise. */
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

/** Pixels of a side of the squares whose brightest parts are taken for paper. */
const paperSquare = 64
/** The share of a square that may be brighter than its paper. */
const brighterShare = 0.1
/** Darker squares are pictures or the shadow of a fold, which no text stands on. */
const darkestPaper = 60

/** Makes the paper white wherever it is: a scan is darker at its edges and towards the fold. */
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

/** Each value as the greatest of it and its neighbours, so that a square full of ink has the paper around it. */
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

/** The value of a column between two rows. */
function betweenRows(
  values: Float32Array,
  { columns, column, down }: { columns: number; column: number; down: number },
) {
  const at = Math.floor(down) * columns + column
  const share = down - Math.floor(down)
  const upper = values[at] as number
  return share === 0 ? upper : upper * (1 - share) + (values[at + columns] as number) * share
}

/** The mean difference of bright neighbours from which a picture has grain, of 255; clean pages have less than 3. */
const grainy = 8

/** Takes the grain of a camera or a worn glass out of a picture: the median of each pixel and its neighbours, then their mean. */
function smoothGrain(picture: GreyPicture): GreyPicture {
  return grainOf(picture) < grainy ? picture : stretch(meanAround(medianAround(picture)))
}

/** How much paper differs from the paper beside it, looking at every third row. */
function grainOf({ width, height, pixels }: GreyPicture): number {
  let sum = 0
  let count = 0
  for (let y = 0; y < height; y += 3)
    for (let x = 1, at = y * width + 1; x < width; x++, at++) {
      const [left, here] = [pixels[at - 1] as number, pixels[at] as number]
      if (left < 170 || here < 170) continue
      sum += Math.abs(here - left)
      count++
    }
  return count === 0 ? 0 : sum / count
}

/** What is nearly as bright as paper once the grain is smooth becomes paper, what is nearly black ink. */
function stretch({ width, height, pixels }: GreyPicture): GreyPicture {
  const [black, white] = [30, 190]
  const stretched = new Uint8Array(pixels.length)
  for (let at = 0; at < pixels.length; at++)
    stretched[at] = Math.max(0, Math.min(255, (((pixels[at] as number) - black) * 255) / (white - black)))
  return { width, height, pixels: stretched }
}

/** The median of nine is that of the greatest least, the middle middle and the least greatest of three sorted columns. */
function medianAround({ width, height, pixels }: GreyPicture): GreyPicture {
  const medians = pixels.slice()
  const [least, middle, greatest] = [new Uint8Array(width), new Uint8Array(width), new Uint8Array(width)]
  for (let y = 1; y < height - 1; y++) {
    const row = y * width
    for (let x = 0; x < width; x++) {
      const [a, b, c] = [
        pixels[row + x - width] as number,
        pixels[row + x] as number,
        pixels[row + x + width] as number,
      ]
      least[x] = Math.min(a, b, c)
      middle[x] = medianOf(a, b, c)
      greatest[x] = Math.max(a, b, c)
    }
    for (let x = 1; x < width - 1; x++) {
      const low = Math.max(least[x - 1] as number, least[x] as number, least[x + 1] as number)
      const high = Math.min(greatest[x - 1] as number, greatest[x] as number, greatest[x + 1] as number)
      const mid = medianOf(middle[x - 1] as number, middle[x] as number, middle[x + 1] as number)
      medians[row + x] = medianOf(low, mid, high)
    }
  }
  return { width, height, pixels: medians }
}

function medianOf(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
}

/** Each pixel as the mean of itself, four times, the ones beside it, twice, and those at its corners. */
function meanAround({ width, height, pixels }: GreyPicture): GreyPicture {
  const means = pixels.slice()
  const across = (at: number) => (pixels[at - 1] as number) + 2 * (pixels[at] as number) + (pixels[at + 1] as number)
  for (let y = 1; y < height - 1; y++)
    for (let x = 1, at = y * width + 1; x < width - 1; x++, at++)
      means[at] = (across(at - width) + 2 * across(at) + across(at + width)) >> 4
  return { width, height, pixels: means }
}

/** A pixel brighter than this is paper, once the paper is white. */
const paperWhite = 215
/** Pixels of ink that a page with a word on it has at least. */
const minInk = 100

/** Makes paper wholly white. Without ink a page has nothing else: its grain would be searched for letters for a minute. */
function clearPaper({ width, height, pixels }: GreyPicture): GreyPicture {
  let count = 0
  for (let at = 0; at < pixels.length; at++) if ((pixels[at] as number) < ink) count++
  const brightest = count < minInk ? 0 : paperWhite
  const clear = pixels.slice()
  for (let at = 0; at < clear.length; at++) if ((clear[at] as number) >= brightest) clear[at] = 255
  return { width, height, pixels: clear }
}

/** Neighbours out of eight that a pixel of a letter has at least. */
const minNeighbours = 2

/** Removes ink that stands almost alone: dust. */
function removeSpecks({ width, height, pixels }: GreyPicture): GreyPicture {
  const clean = pixels.slice()
  for (let y = 1; y < height - 1; y++)
    for (let x = 1, at = y * width + 1; x < width - 1; x++, at++) {
      if ((pixels[at] as number) >= ink) continue
      if (inkAround(pixels, at, width) < minNeighbours) clean[at] = 255
    }
  return { width, height, pixels: clean }
}

function inkAround(pixels: Uint8Array, at: number, width: number): number {
  let count = 0
  for (const row of [at - width, at, at + width])
    for (let place = row - 1; place <= row + 1; place++) if (place !== at && (pixels[place] as number) < ink) count++
  return count
}
