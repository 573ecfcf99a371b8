import { figureLimits, type Figure } from '../figures.ts'
import type { Pixels } from './encode-jpeg.ts'
import { encodePicture, type EncodedPicture } from './encode-picture.ts'
import { figureIdOfBytes } from './figure-id.ts'

/** Maximum side of a figure, pixels: enough for models and for a wide window. */
export const maxFigureSide = 1200
/** Channel values within this tolerance count as the same colour. */
const tolerance = 8

/** Encodes pixels as a figure; null if they have only one colour. */
export function figureOfPixels(pixels: Pixels): Figure | null {
  if (isOneColour(pixels)) return null
  const encoded = encodePicture(pixels)
  return encoded.bytes.length > figureLimits.figureBytes ? null : nameFigure(encoded)
}

/** Adds the id that follows from the bytes of a picture. */
export function nameFigure(picture: EncodedPicture): Figure {
  return { ...picture, id: figureIdOfBytes(picture.bytes) }
}

function isOneColour({ rgba }: Pixels): boolean {
  for (let at = 0; at < rgba.length; at++) {
    if ((at & 3) !== 3 && Math.abs((rgba[at] as number) - (rgba[at & 3] as number)) > tolerance) return false
  }
  return true
}
