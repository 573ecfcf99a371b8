/** A greyscale picture, one byte per pixel; 255 is white. */
export interface GreyPicture {
  width: number
  height: number
  pixels: Uint8Array
}

/** Pixels darker than this are ink, once the paper is white. */
export const ink = 140
