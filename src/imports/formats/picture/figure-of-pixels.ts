import { figureLimits, type Figure } from '../figures.ts'
import type { Pixels } from './encode-jpeg.ts'
import { encodePicture, type EncodedPicture } from './encode-picture.ts'
import { figureIdOfBytes } from './figure-id.ts'

/** Pixels of the longest side of a figure: what models look at, and a wide window shows. */
export const maxFigureSide = 1200
/** Channels of one colour may differ by this much. */
const tolerance = 8

/** The figure of pixels; null when they are of one colour. */
export function figureOfPixels(pixels: Pixels): Figure | null {
  if (isOneColour(pixels)) return null
  const encoded = encodePicture(pixels)
  return encoded.bytes.length > figureLimits.figureBytes ? null : nameFigure(encoded)
}

/** A picture with the id that its bytes give it. */
export function nameFigure(picture: EncodedPicture): Figure {
  return { ...picture, id: figureIdOfBytes(picture.bytes) }
}

function isOneColour({ rgba }: Pixels): boolean {
  for (let at = 0; at < rgba.length; at++) {
    if ((at & 3) !== 3 && Math.abs((rgba[at] as number) - (rgba[at & 3] as number)) > tolerance) return false
  }
  return true
}
