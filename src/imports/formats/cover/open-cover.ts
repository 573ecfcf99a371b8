import { FormatError, type FormatLimits } from '../format.ts'
import { encodePicture, type EncodedPicture } from '../picture/encode-picture.ts'
import type { Pixels } from '../picture/encode-jpeg.ts'
import { decodePng } from '../picture/decode-png.ts'
import { sniffPicture, type PictureHeader } from '../picture/sniff-picture.ts'
import { wrapPicture } from '../picture/wrap-picture.ts'
import { openDrawablePdf } from '../pdf/draw-pages.ts'
import { comicPages, readComicPage } from '../comic/comic-pages.ts'
import { signatureOf } from '../match-format.ts'
import { openZip } from '../zip/open-zip.ts'
import { readPackage } from '../epub/package.ts'
import { requireUnprotected } from '../epub/require-unprotected.ts'
import { createPathResolver } from '../epub/resolve-path.ts'

/** Maximum side, and maximum number of pixels, of a picture that is decoded. */
const maxSide = 10_000
const maxPixels = 40_000_000
/** Maximum size of a FictionBook that is unpacked. */
const maxFictionBookBytes = 64 * 1024 * 1024
/** Maximum size of a picture that is passed on without decoding. */
const maxPassedBytes = 512 * 1024
const maxPassedSide = 4096

/** The cover of a book. */
export interface Cover {
  /** Draws the cover at most `width` pixels wide; a picture type that is not decoded here is returned unchanged. */
  draw(width: number): Promise<EncodedPicture>
}

/**
 * Opens the cover that an EPUB, MOBI, AZW3 or FictionBook declares, or the first page of a comic. Throws `EMPTY` if
 * there is none or if its bytes are not PNG, JPEG, GIF or WebP, and `TOO_LARGE`.
 */
export async function openCover(file: Uint8Array, limits: FormatLimits): Promise<Cover> {
  const bytes = await readCover(file, limits)
  if (bytes === null) throw new FormatError('EMPTY', 'the book declares no cover')
  const header = sniffCover(bytes)
  const { width, height } = header
  const wrapped = wrapPicture(bytes, header)
  if (wrapped) return { draw: (wanted) => drawWrapped(wrapped, Math.min(wanted, width)) }
  if (bytes.length > maxPassedBytes || Math.max(width, height) > maxPassedSide) {
    throw new FormatError('TOO_LARGE', `a cover of ${bytes.length} bytes`)
  }
  return { draw: async () => ({ ...header, bytes }) }
}

async function readCover(file: Uint8Array, limits: FormatLimits): Promise<Uint8Array | null> {
  const signature = signatureOf(file)
  if (signature === 'kindle') return (await import('../kindle/open-kindle.ts')).readKindleCover(file)
  if (signature === 'fb2') return (await import('../document/fb2/fb2-pictures.ts')).readFb2Cover(file)
  const archive = openZip(file, limits)
  const isEpub = archive.paths.includes('META-INF/container.xml')
  if (!isEpub && comicPages(archive.paths).length > 0) return readComicPage(archive, 1)
  const [fictionBook] = isEpub ? [] : archive.paths.filter((path) => /\.fb2$/i.test(path))
  if (fictionBook !== undefined) {
    const { readFb2Cover } = await import('../document/fb2/fb2-pictures.ts')
    return readFb2Cover(await archive.readPicture(fictionBook, maxFictionBookBytes))
  }
  await requireUnprotected(archive)
  const { cover } = await readPackage(archive, createPathResolver(archive.paths), limits)
  return cover === null ? null : archive.read(cover)
}

/**
 * Decodes a PNG or JPEG and scales its longer side to between `min` and `max`. Throws `BROKEN` if it cannot be decoded,
 * and the errors of `openCover`.
 */
export async function decodePicture(bytes: Uint8Array, { min, max }: { min: number; max: number }): Promise<Pixels> {
  const header = sniffCover(bytes)
  const wrapped = wrapPicture(bytes, header)
  const longer = Math.max(header.width, header.height)
  const side = Math.min(max, Math.max(min, longer))
  if (!wrapped) return decodeOwn(bytes, side)
  const page = await openDrawablePdf(wrapped)
  try {
    return await page.draw(1, Math.max(1, Math.round((header.width * side) / longer)))
  } finally {
    page.close()
  }
}

/**
 * Opens a PNG or JPEG file as a cover; transparency becomes white. Throws `BROKEN` if it cannot be decoded, and the
 * errors of `openCover`.
 */
export function openPictureFile(bytes: Uint8Array): Cover {
  const header = sniffCover(bytes)
  const wrapped = wrapPicture(bytes, header)
  if (wrapped) return { draw: (width) => drawWrapped(wrapped, Math.min(width, header.width)) }
  return { draw: async (width) => encodePicture(decodeOwn(bytes, sideFor(header, width))) }
}

function decodeOwn(bytes: Uint8Array, side: number): Pixels {
  const pixels = decodePng(bytes, side)
  if (!pixels) throw new FormatError('BROKEN', 'the picture cannot be decoded')
  return pixels
}

/** The longest side of a picture after scaling it to `width`, both in pixels. */
function sideFor(header: PictureHeader, width: number): number {
  return Math.ceil((Math.max(header.width, header.height) * Math.min(width, header.width)) / header.width)
}

function sniffCover(bytes: Uint8Array): PictureHeader {
  const header = sniffPicture(bytes)
  if (!header) throw new FormatError('EMPTY', 'the cover is not a PNG, JPEG, GIF or WebP')
  const { width, height } = header
  if (Math.max(width, height) > maxSide || width * height > maxPixels)
    throw new FormatError('TOO_LARGE', `a cover of ${width} × ${height} pixels`)
  return header
}

async function drawWrapped(pdf: Uint8Array, width: number): Promise<EncodedPicture> {
  const page = await openDrawablePdf(pdf)
  try {
    return encodePicture(await page.draw(1, width))
  } finally {
    page.close()
  }
}
