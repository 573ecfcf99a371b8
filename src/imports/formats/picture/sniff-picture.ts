export type PictureType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

/** The header of a picture, from its first bytes without decoding. */
export interface PictureHeader {
  mediaType: PictureType
  /** In pixels. */
  width: number
  height: number
}

/**
 * The type and size of a PNG, JPEG, GIF or WebP, from its bytes; null for any other file, such as SVG, and for damaged
 * headers.
 */
export function sniffPicture(bytes: Uint8Array): PictureHeader | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found = readPng(view) ?? readGif(view) ?? readWebp(view) ?? readJpeg(view)
  return found !== null && found.width > 0 && found.height > 0 ? found : null
}

function tagAt(view: DataView, at: number, tag: string): boolean {
  if (view.byteLength < at + tag.length) return false
  return Array.from(tag).every((letter, index) => view.getUint8(at + index) === letter.charCodeAt(0))
}

function readPng(view: DataView): PictureHeader | null {
  if (view.byteLength < 33 || !tagAt(view, 0, '\x89PNG\r\n\x1a\n') || !tagAt(view, 12, 'IHDR')) return null
  return { mediaType: 'image/png', width: view.getUint32(16), height: view.getUint32(20) }
}

function readGif(view: DataView): PictureHeader | null {
  if (view.byteLength < 13 || !(tagAt(view, 0, 'GIF87a') || tagAt(view, 0, 'GIF89a'))) return null
  return { mediaType: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) }
}

function readWebp(view: DataView): PictureHeader | null {
  if (view.byteLength < 30 || !tagAt(view, 0, 'RIFF') || !tagAt(view, 8, 'WEBP')) return null
  const size = webpSize(view)
  return size && { mediaType: 'image/webp', ...size }
}

/** The size in the first chunk: lossy (RFC 6386), lossless, or extended. */
function webpSize(view: DataView): { width: number; height: number } | null {
  if (tagAt(view, 12, 'VP8 ')) {
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  }
  if (tagAt(view, 12, 'VP8L')) {
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (!tagAt(view, 12, 'VP8X')) return null
  const uint24 = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
  return { width: uint24(24) + 1, height: uint24(27) + 1 }
}

/** Start-of-frame markers of JPEG, which contain the size; 0xC4, 0xC8 and 0xCC have other meanings. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

function readJpeg(view: DataView): PictureHeader | null {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return null
  for (let at = 2; at + 9 < view.byteLength;) {
    if (view.getUint8(at) !== 0xff) return null
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) {
      at++
      continue
    }
    if (isFrame(marker)) {
      return { mediaType: 'image/jpeg', width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    }
    const length = view.getUint16(at + 2)
    if (length < 2 || marker === 0xda) return null
    at += 2 + length
  }
  return null
}
