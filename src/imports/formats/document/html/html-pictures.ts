import type { ReadPicture } from '../../epub/make-figure.ts'
import { FormatError } from '../../format.ts'
import { elementsOf, textOfMarkup, type MarkupElement } from './markup-tree.ts'

/** Maximum number of pictures per page that are kept; further ones are described in words. */
const maxPictures = 5_000
const dataAddress = /^\s*data:image\/(?:png|jpe?g|gif|webp)(?:;[\w=.-]{1,100}){0,5};base64,/i

/** Maximum length of labels in drawings; longer texts are text. */
const maxLabels = 400

/**
 * Replaces SVG drawings by pictures that are described by their title or their labels, because isolated words are not
 * text. Keeps drawings with long texts.
 */
export function describeDrawings(root: MarkupElement): void {
  for (const element of elementsOf(root)) {
    if (element.name !== 'svg' || element.textLength > maxLabels) continue
    const title = element.children.find((child) => typeof child === 'object' && child.name === 'title')
    const label = element.attributes['aria-label'] ?? (typeof title === 'object' ? textOfMarkup(title) : '')
    element.name = label === '' && element.textLength === 0 ? 'template' : 'img'
    element.attributes = { alt: label === '' ? textOfMarkup(element) : label }
    element.children = []
  }
}

function decodeByte(escaped: string): string {
  return String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
}

/** A file inside the file of a page. */
export interface EmbeddedFile {
  /** Its size as stored, in bytes; at least its own size. */
  bytes: number
  read(): Uint8Array
}

/**
 * Extracts embedded pictures, which are `data:` URLs (RFC 2397) or found by `find`, giving each a short name in `src`
 * under which it can be read. Removes the addresses of other pictures, because nothing is fetched.
 */
export function takePictures(
  root: MarkupElement,
  find: (address: string) => EmbeddedFile | null = () => null,
): ReadPicture {
  const names = new Map<string, string>()
  const pictures: EmbeddedFile[] = []
  for (const { name, attributes } of elementsOf(root)) {
    if (name !== 'img' && name !== 'image') continue
    const own = attributes as Record<string, string>
    // Pages with lazy loading have a placeholder picture in `src`.
    const addresses = [own['src'], own['data-src'], own['href'], own['xlink:href']]
    for (const key of ['href', 'xlink:href']) delete own[key]
    own['src'] = ''
    for (const address of addresses) {
      const picture =
        address === undefined || pictures.length >= maxPictures ? null : (readData(address) ?? find(address))
      if (address === undefined || picture === null) continue
      own['src'] = names.get(address) ?? `${pictures.push(picture) - 1}`
      names.set(address, own['src'])
      break
    }
  }
  return async (name, maxBytes) => {
    const picture = pictures[Number(name)]
    if (picture === undefined || picture.bytes > maxBytes)
      throw new FormatError('BROKEN', `no picture ${name} of at most ${maxBytes} bytes`)
    return picture.read()
  }
}

/** The picture of a `data:` URL; null for any other address. */
function readData(address: string): EmbeddedFile | null {
  if (!dataAddress.test(address.slice(0, 600))) return null
  const from = address.indexOf(',') + 1
  return {
    bytes: (address.length - from) * 0.74,
    read: () => Buffer.from(address.slice(from).replace(/%[0-9a-f]{2}/gi, decodeByte), 'base64'),
  }
}
