import type { FormatLimits } from '../format.ts'
import { FormatError } from '../format.ts'
import type { Archive } from '../zip/open-zip.ts'
import { idOfPlace, type BookText, type TextFile } from './book-text.ts'
import type { Heading } from './indented-text.ts'
import type { KindleHeader } from './kindle-header.ts'
import type { Pictures } from './pictures.ts'

/** A target of the table of contents. */
export interface Anchor extends Heading {
  /** The id that is generated for it. */
  id: string
}

interface KindleParts {
  text: BookText
  pictures: Pictures
  /** The targets of the table of contents, by byte offset in the text. */
  anchors: ReadonlyMap<number, Anchor>
  encoding: KindleHeader['encoding']
  limits: FormatLimits
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/** The files and pictures of a book as an archive like that of an EPUB. Each file is generated when it is read. */
export function kindleArchive({ text, pictures, anchors, encoding, limits }: KindleParts): Archive {
  const files = new Map(text.files.map((file) => [file.path, file]))
  const styles = new Map(text.styles.map((sheet, index) => [`style${index + 1}.css`, sheet]))
  const placed = placesOf(text, anchors)
  const write = (file: TextFile): Buffer => {
    if (file.to - file.from > limits.entryBytes) throw new FormatError('TOO_LARGE', `${file.path} is too long`)
    return inUtf8(markupWithAnchors(text, file, placed), encoding)
  }
  const read = (path: string, maxBytes: number): Uint8Array => {
    const file = files.get(path)
    const bytes = file ? write(file) : (styles.get(path) ?? pictures.bytes(path))
    if (bytes.length > maxBytes) throw new FormatError('TOO_LARGE', `${path} has more than ${maxBytes} bytes`)
    return bytes
  }
  return {
    paths: [...files.keys(), ...styles.keys(), ...pictures.names],
    read: async (path) => read(path, Number.POSITIVE_INFINITY),
    readPicture: async (path, maxBytes) => read(path, maxBytes),
  }
}

interface PlacedAnchor {
  at: number
  id: string
  /** The heading that begins there according to the table of contents; null for a link target. */
  heading: Heading | null
}

/** The offsets that get ids, in text order; at the same offset, the target of the table of contents comes last. */
function placesOf(text: BookText, anchors: KindleParts['anchors']): PlacedAnchor[] {
  const linked = [...text.linkedPlaces].filter((position) => !anchors.has(position))
  const places = linked.map((position): PlacedAnchor => ({
    at: text.startOfTag(position),
    id: idOfPlace(position),
    heading: null,
  }))
  for (const [position, anchor] of anchors)
    places.push({ at: text.startOfTag(position), id: anchor.id, heading: anchor })
  return places.toSorted((one, other) => one.at - other.at)
}

function markupWithAnchors(text: BookText, { from, to }: TextFile, anchors: readonly PlacedAnchor[]): string {
  let markup = ''
  let begin = from
  let heading: Heading | null = null
  for (let next = firstFrom(anchors, from); next < anchors.length; next++) {
    const anchor = anchors[next] as PlacedAnchor
    if (anchor.at >= to) break
    if (anchor.at > begin) {
      markup += text.markup({ from: begin, to: anchor.at }, heading)
      heading = null
    }
    markup += `<a id="${anchor.id}"></a>`
    begin = anchor.at
    heading = anchor.heading ?? heading
  }
  return markup + text.markup({ from: begin, to }, heading)
}

/** The index of the first anchor at or after a byte. */
function firstFrom(anchors: readonly { at: number }[], from: number): number {
  let [low, high] = [0, anchors.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((anchors[middle]?.at ?? 0) < from) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Converts bytes (one per character of `markup`) to UTF-8 with a byte order mark, because the encoding that the HTML
 * declares may be wrong.
 */
function inUtf8(markup: string, encoding: KindleParts['encoding']): Buffer {
  const bytes = Buffer.from(markup, 'latin1')
  return Buffer.concat([
    byteOrderMark,
    encoding === 'utf-8' ? bytes : Buffer.from(new TextDecoder(encoding).decode(bytes)),
  ])
}
