import type { ReadPicture } from '../epub/make-figure.ts'
import { FormatError } from '../format.ts'

const maxPictures = 10_000

/** Reads the pictures of a FictionBook (`binary`) by their ids; each is decoded when it is asked for. */
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
    // Base64 has four characters for three bytes, and line ends.
    if (from === undefined || end < 0 || end - from > maxBytes * 1.4)
      throw new FormatError('BROKEN', `no picture ${id} of at most ${maxBytes} bytes`)
    return Buffer.from(source.slice(from, end), 'base64')
  }
}
