import type { GreyPicture } from './grey-picture.ts'

/** Mean difference of bright neighbours, of 255, from which a picture has grain; clean pages have less than 3. */
const grainy = 8
/** The mean difference of two normal random numbers, in standard deviations: 2/√π. */
const differenceOfDeviation = 1.128
/** A pixel that differs by more standard deviations belongs to another surface. */
const sameSurface = 2.5
/** Minimum number of the eight neighbours of a stroke pixel that belong to the same surface; a dust grain has none. */
const minCompanions = 2

/**
 * Removes the grain of a camera or a worn glass from a picture with white paper. First replaces specks by their
 * surroundings, then averages each pixel with similar pixels around it (a bilateral filter), which preserves thin
 * strokes. Finally makes near-white pixels white and near-black pixels black.
 */
export function smoothGrain(picture: GreyPicture): GreyPicture {
  const grain = grainOf(picture)
  if (grain < grainy) return picture
  const deviation = grain / differenceOfDeviation
  return stretch(meanOfLike(withoutOutliers(picture, deviation), deviation), deviation)
}

/** The noise of the paper: the difference between neighbouring paper pixels in every third row. */
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

/** Replaces each pixel that differs from all its neighbours by their median. */
function withoutOutliers({ width, height, pixels }: GreyPicture, deviation: number): GreyPicture {
  const clean = pixels.slice()
  const reach = Math.round(deviation * sameSurface)
  const offsets = [-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1]
  const around = new Uint8Array(8)
  for (let y = 1; y < height - 1; y++)
    for (let x = 1, at = y * width + 1; x < width - 1; x++, at++) {
      const here = pixels[at] as number
      let companions = 0
      for (let place = 0; place < 8 && companions < minCompanions; place++)
        if (Math.abs((pixels[at + (offsets[place] as number)] as number) - here) <= reach) companions++
      if (companions >= minCompanions) continue
      for (let place = 0; place < 8; place++) around[place] = pixels[at + (offsets[place] as number)] as number
      clean[at] = around.sort()[4] as number
    }
  return { width, height, pixels: clean }
}

/** The filter radius in pixels, and the spatial standard deviation of the weights. */
const radius = 2
const spread = 1.2

/** Averages each pixel with those around it, weighted by distance and similarity. */
function meanOfLike({ width, height, pixels }: GreyPicture, deviation: number): GreyPicture {
  const reach = deviation * sameSurface
  const likeness = Float32Array.from({ length: 511 }, (_, at) => Math.exp(-((at - 255) ** 2) / (2 * reach ** 2)))
  const places = neighbourhood(width)
  const means = pixels.slice()
  for (let y = radius; y < height - radius; y++)
    for (let x = radius, at = y * width + radius; x < width - radius; x++, at++) {
      const here = pixels[at] as number
      let sum = 0
      let weights = 0
      for (let place = 0; place < places.offsets.length; place++) {
        const value = pixels[at + (places.offsets[place] as number)] as number
        const weight = (places.nearness[place] as number) * (likeness[value - here + 255] as number)
        sum += value * weight
        weights += weight
      }
      means[at] = sum / weights
    }
  return { width, height, pixels: means }
}

function neighbourhood(width: number): { offsets: Int32Array; nearness: Float32Array } {
  const side = 2 * radius + 1
  const places = Array.from({ length: side * side }, (_, at) => ({
    x: (at % side) - radius,
    y: Math.floor(at / side) - radius,
  }))
  return {
    offsets: Int32Array.from(places, ({ x, y }) => y * width + x),
    nearness: Float32Array.from(places, ({ x, y }) => Math.exp(-(x * x + y * y) / (2 * spread ** 2))),
  }
}

/** Pixels darker than this are ink, despite any grain. */
const black = 30

/**
 * Stretches the contrast: the most frequent brightness is the paper, and pixels brighter than one deviation below it
 * become white.
 */
function stretch({ width, height, pixels }: GreyPicture, deviation: number): GreyPicture {
  const counts = new Uint32Array(256)
  for (let at = 0; at < pixels.length; at += 7) counts[pixels[at] as number]!++
  let paper = 128
  for (let value = paper; value < 256; value++) if ((counts[value] as number) > (counts[paper] as number)) paper = value
  const white = Math.max(black + 1, paper - deviation)
  const levels = Uint8Array.from({ length: 256 }, (_, value) =>
    Math.max(0, Math.min(255, ((value - black) * 255) / (white - black))),
  )
  return { width, height, pixels: pixels.map((value) => levels[value] as number) }
}
