/** Maximum size in bytes of one picture, and of all pictures of a file; further pictures are marked as left out. */
const maxBytes = 24 * 1024 * 1024
const maxTotalBytes = 128 * 1024 * 1024
const maxPictures = 5_000

/** The `\pict` picture that is being read. */
export interface OpenPicture {
  /** True for PNG and JPEG pictures, which are kept. */
  isKept: boolean
  hex: string[]
  binary: Uint8Array | null
}

/** The pictures of an RTF file. */
export class RtfPictures {
  /** The picture files by index. */
  readonly files: Uint8Array[] = []
  private remaining = maxTotalBytes

  begin(): OpenPicture {
    return { isKept: false, hex: [], binary: null }
  }

  /** Ends a picture and returns its index; null if it is not kept. */
  end({ isKept, hex, binary }: OpenPicture): number | null {
    if (!isKept || this.files.length >= maxPictures) return null
    const digits = binary === null ? hex.join('').replace(/[^0-9a-fA-F]+/g, '') : ''
    const size = binary?.length ?? digits.length >> 1
    if (size === 0 || size > Math.min(maxBytes, this.remaining)) return null
    this.remaining -= size
    return this.files.push(binary ?? Buffer.from(digits, 'hex')) - 1
  }
}
