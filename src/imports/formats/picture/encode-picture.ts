import { encodeJpeg, type Pixels } from './encode-jpeg.ts'
import { encodeGreyPng, encodePalettePng } from './encode-png.ts'
import type { PictureType } from './sniff-picture.ts'

/** A compressed picture. */
export interface EncodedPicture {
  mediaType: PictureType
  /** In pixels. */
  width: number
  height: number
  bytes: Uint8Array
}

const jpegQuality = 80
/** Maximum difference between channels of a picture without colours. */
const greyTolerance = 6
/**
 * A picture with at least this share of pixels between ink and paper is a photograph or a scan; text has a tenth of it.
 */
const photographShare = 0.2
/** Minimum share of the pixels of a drawing that its 256 most frequent colours cover. */
const drawingShare = 0.97

/**
 * Compresses a drawn page according to its content: text as a PNG with 16 greys, coloured text and drawings as a PNG
 * with at most 256 colours, photographs and scans as a JPEG.
 */
export function encodePicture(pixels: Pixels): EncodedPicture {
  const { width, height } = pixels
  const isGrey = !hasColours(pixels)
  const encoded = isGrey ? encodeGrey(pixels) : encodeColoured(pixels)
  if (encoded) return { mediaType: 'image/png', width, height, bytes: encoded }
  return { mediaType: 'image/jpeg', width, height, bytes: encodeJpeg(pixels, { quality: jpegQuality, grey: isGrey }) }
}

function hasColours({ rgba }: Pixels): boolean {
  for (let at = 0; at < rgba.length; at += 4) {
    const r = rgba[at] as number
    const g = rgba[at + 1] as number
    const b = rgba[at + 2] as number
    if (Math.abs(r - g) > greyTolerance || Math.abs(b - g) > greyTolerance) return true
  }
  return false
}

function encodeGrey({ width, height, rgba }: Pixels): Buffer | null {
  const indices = new Uint8Array(width * height)
  let between = 0
  for (let at = 0; at < indices.length; at++) {
    const index = levels[rgba[at * 4 + 1] as number] as number
    indices[at] = index
    if (index > 1 && index < 14) between++
  }
  return between > indices.length * photographShare ? null : encodeGreyPng({ width, height, indices })
}

/** Number of colours with 4 bits per channel. */
const binCount = 4096
const maxColours = 256

function encodeColoured({ width, height, rgba }: Pixels): Buffer | null {
  const bins = new Uint16Array(width * height)
  const counts = new Uint32Array(binCount)
  for (let at = 0, from = 0; at < bins.length; at++, from += 4) {
    const red = levels[rgba[from] as number] as number
    const green = levels[rgba[from + 1] as number] as number
    const blue = levels[rgba[from + 2] as number] as number
    const bin = (red << 8) | (green << 4) | blue
    bins[at] = bin
    counts[bin] = (counts[bin] as number) + 1
  }
  const common = [...counts.keys()].filter((bin) => counts[bin]).sort((a, b) => Number(counts[b]) - Number(counts[a]))
  const colours = common.slice(0, maxColours)
  const flat = (counts[colours[0] as number] as number) > bins.length * (1 - 2 * photographShare)
  const covered = colours.reduce((sum, bin) => sum + Number(counts[bin]), 0)
  if (!flat || covered < bins.length * drawingShare) return null
  const indexOf = new Uint8Array(binCount)
  for (const bin of common) indexOf[bin] = nearest(colours, bin)
  const indices = new Uint8Array(bins.length)
  for (let at = 0; at < bins.length; at++) indices[at] = indexOf[bins[at] as number] as number
  const palette = Uint8Array.from(colours.flatMap((bin) => [(bin >> 8) * 17, ((bin >> 4) & 15) * 17, (bin & 15) * 17]))
  return encodePalettePng({ width, height, indices }, palette)
}

/** The nearest of 16 levels for each value of a channel. */
const levels = Uint8Array.from({ length: 256 }, (_, channel) => Math.floor((channel * 15 + 127) / 255))

/** The index of the most similar colour. */
function nearest(colours: readonly number[], bin: number): number {
  let best = 0
  let least = Infinity
  for (const [at, colour] of colours.entries()) {
    const red = (colour >> 8) - (bin >> 8)
    const green = ((colour >> 4) & 15) - ((bin >> 4) & 15)
    const blue = (colour & 15) - (bin & 15)
    const difference = red * red + green * green + blue * blue
    if (difference >= least) continue
    best = at
    least = difference
    if (difference === 0) break
  }
  return best
}
