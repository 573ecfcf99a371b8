import type { ReadPicture } from '../../epub/make-figure.ts'
import { decodeMarkup } from '../../epub/decode-markup.ts'
import { FormatError } from '../../format.ts'

const maxPictures = 10_000
/** Maximum size of a cover in bytes, and how much of the file is searched for its name, in UTF-16 units. */
const maxCoverBytes = 24 * 1024 * 1024
const maxDescription = 1024 * 1024

/** Reads the pictures of a FictionBook (`binary`) by their ids; each is decoded on demand. */
export function fb2Pictures(source: string): ReadPicture {
  const places = new Map<string, number>()
  for (let at = source.indexOf('<binary'); at >= 0 && places.size < maxPictures;) {
    const end = source.indexOf('>', at)
    if (end < 0) break
    const id = /\sid\s*=\s*["']([^"']{1,200})["']/.exec(source.slice(at, Math.min(end, at + 1_000)))?.[1]
    if (id !== undefined && !places.has(id)) places.set(id, end + 1)
    at = source.indexOf('<binary', end)
  }
  return async (id, maxBytes) => {
    const from = places.get(id)
    const end = from === undefined ? -1 : source.indexOf('<', from)
    // Base64 takes four characters for three bytes, plus line ends.
    if (from === undefined || end < 0 || end - from > maxBytes * 1.4)
      throw new FormatError('BROKEN', `no picture ${id} of at most ${maxBytes} bytes`)
    return Buffer.from(source.slice(from, end), 'base64')
  }
}

/** The id of the cover picture in the description of a FictionBook; null if it declares none. */
export function fb2CoverId(source: string): string | null {
  const head = source.slice(0, maxDescription)
  const from = head.indexOf('<coverpage')
  const end = head.indexOf('</coverpage', from)
  if (from < 0 || end < 0) return null
  return /<image\s[^>]{0,300}?href\s*=\s*["']#([^"']{1,200})["']/.exec(head.slice(from, end))?.[1] ?? null
}

/** The cover of a FictionBook; null if it declares none. Throws `BROKEN` if the picture is missing or too large. */
export async function readFb2Cover(bytes: Uint8Array): Promise<Uint8Array | null> {
  const source = decodeMarkup(bytes)
  const id = fb2CoverId(source)
  return id === null ? null : fb2Pictures(source)(id, maxCoverBytes)
}
