/** A picture without colours, one byte a pixel; 255 is white. */
export interface GreyPicture {
  width: number
  height: number
  pixels: Uint8Array
}

/** A pixel darker than this is ink, once the paper is white. */
export const ink = 140
