import type { Figure } from '../figures.ts'
import { decodePng } from '../picture/decode-png.ts'
import type { Pixels } from '../picture/encode-jpeg.ts'
import { figureOfPixels, maxFigureSide, nameFigure } from '../picture/figure-of-pixels.ts'
import { sniffPicture, type PictureHeader } from '../picture/sniff-picture.ts'
import { wrapPicture } from '../picture/wrap-picture.ts'

/** Reads a picture file of a book by its path or other name. Rejects if it does not exist or exceeds `maxBytes`. */
export type ReadPicture = (name: string, maxBytes: number) => Promise<Uint8Array>

/** Maximum size of one picture file, bytes. */
const maxFileBytes = 24 * 1024 * 1024
/** Maximum size of all picture files that are unpacked for one book, bytes. */
const maxTotalBytes = 512 * 1024 * 1024

/** Minimum side of a figure; smaller pictures are bullets, rules and spacers. */
const minSide = 24
const minArea = 48 * 48
/** Maximum side, and maximum number of pixels, of a picture that is decoded. */
const maxSide = 10_000
const maxPixels = 40_000_000
/**
 * A picture type that is not decoded here is kept unchanged up to this many bytes, and up to a maximum side in pixels.
 */
const maxKeptBytes = 512 * 1024
const maxKeptSide = 4096

/** True if a picture is large enough to be meaningful, unlike a bullet, rule or spacer. */
function isLargeEnough({ width, height }: Pick<PictureHeader, 'width' | 'height'>): boolean {
  return Math.min(width, height) >= minSide && width * height >= minArea
}

/** Creates a function that makes figures of the picture files of a book, within the limits; see `makeFigure`. */
export function createFigureLoader(readPicture: ReadPicture): (name: string) => Promise<Figure | null> {
  let remainingBytes = maxTotalBytes
  return async (name) => {
    const bytes = await readPicture(name, Math.min(maxFileBytes, remainingBytes))
    remainingBytes -= bytes.length
    return makeFigure(bytes)
  }
}

/**
 * Makes a figure of a picture file (PNG, JPEG, GIF or WebP by its bytes), at most 1,200 pixels wide and high. Null for
 * any other file, such as SVG, and for a picture that is tiny, too large, damaged or of one colour.
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

/** Decodes a picture with the engine that draws pages; null if the engine cannot decode it. */
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
