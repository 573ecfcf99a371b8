import { figureLimits } from '../figures.ts'
import { decodePng } from './decode-png.ts'
import type { Pixels } from './encode-jpeg.ts'
import { encodePicture, type EncodedPicture } from './encode-picture.ts'
import { figureIdOfBytes } from './figure-id.ts'
import { sniffPicture, type PictureHeader } from './sniff-picture.ts'
import { wrapPicture } from './wrap-picture.ts'

/** A figure of a book as it is kept. */
export interface Figure extends EncodedPicture {
  /** The begin of the SHA-256 of its bytes, so that equal figures are one. */
  id: string
}

/** Pixels of the longest side of a figure: what models look at, and a wide window shows. */
export const maxFigureSide = 1200
/** Smaller ones are bullets, rules and spacers. */
const minSide = 24
const minArea = 48 * 48
/** Pixels of the longest side, and of a whole picture, that is decoded. */
const maxSide = 10_000
const maxPixels = 40_000_000
/** A kind that is not decoded here is kept as it is up to this many bytes, and pixels of its longest side. */
const maxKeptBytes = 512 * 1024
const maxKeptSide = 4096

/** Whether a picture of this size says something: not a bullet, a rule or a spacer. */
export function isLargeEnough({ width, height }: Pick<PictureHeader, 'width' | 'height'>): boolean {
  return Math.min(width, height) >= minSide && width * height >= minArea
}

/**
 * The figure of a picture file (PNG, JPEG, GIF or WebP by its bytes), at most 1,200 pixels wide and high. Null for anything else, such
 * as SVG, and for one that is tiny, too large, damaged or of one colour.
 */
export async function makeFigure(bytes: Uint8Array): Promise<Figure | null> {
  const header = sniffPicture(bytes)
  if (!header || !isLargeEnough(header)) return null
  const { width, height, mediaType } = header
  if (Math.max(width, height) > maxSide || width * height > maxPixels) return null
  if (mediaType === 'image/gif' || mediaType === 'image/webp') {
    const isSmall = bytes.length <= maxKeptBytes && Math.max(width, height) <= maxKeptSide
    return isSmall ? nameFigure({ ...header, bytes }) : null
  }
  const pixels = (mediaType === 'image/png' ? decodePng(bytes, maxFigureSide) : null) ?? (await drawFile(bytes, header))
  return pixels && figureOfPixels(pixels)
}

/** The figure of pixels; null when they are of one colour. */
export function figureOfPixels(pixels: Pixels): Figure | null {
  if (isOneColour(pixels)) return null
  const encoded = encodePicture(pixels)
  return encoded.bytes.length > figureLimits.figureBytes ? null : nameFigure(encoded)
}

function nameFigure(picture: EncodedPicture): Figure {
  return { ...picture, id: figureIdOfBytes(picture.bytes) }
}

/** Channels of one colour may differ by this much. */
const tolerance = 8

function isOneColour({ rgba }: Pixels): boolean {
  for (let at = 0; at < rgba.length; at++) {
    if ((at & 3) !== 3 && Math.abs((rgba[at] as number) - (rgba[at & 3] as number)) > tolerance) return false
  }
  return true
}

/** Decodes with the engine that draws pages; null where it cannot. */
async function drawFile(bytes: Uint8Array, header: PictureHeader): Promise<Pixels | null> {
  const wrapped = wrapPicture(bytes, header)
  if (!wrapped) return null
  const { openDrawablePdf } = await import('../pdf/draw-pages.ts')
  const page = await openDrawablePdf(wrapped).catch(() => null)
  if (!page) return null
  const { width, height } = header
  const scale = Math.min(1, maxFigureSide / Math.max(width, height))
  try {
    return await page.draw(1, Math.max(1, Math.round(width * scale)))
  } finally {
    page.close()
  }
}
