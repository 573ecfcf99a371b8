import type { Heading } from './indented-text.ts'

/** A file of a book: a range of its text. */
export interface TextFile {
  path: string
  from: number
  to: number
}

/** The text of a book as files of HTML. */
export interface BookText {
  files: readonly TextFile[]
  /** The HTML of a range of the text that ends at no byte within a tag; each letter is one byte of it. `heading`: what it begins with. */
  markup(range: { from: number; to: number }, heading: Heading | null): string
  /** The begin of the tag in which a byte of the text lies; the byte itself outside of tags. */
  startOfTag(position: number): number
  /** The byte of the text at which a place of the table of contents lies; null where that is none. */
  positionOf(place: { fragment?: number; offset: number }): number | null
  /** The byte at which the page of contents begins that the guide names; null without one. */
  contentsAt: number | null
  /** The bytes to which links lead that name no id. */
  linkedPlaces: ReadonlySet<number>
}

/** The id that a place of the text gets, to which the table of contents or a link leads. */
export const idOfPlace = (position: number): string => `at${position}`

/** The file in which a byte of the text lies; null for none. */
export function fileAt(files: readonly TextFile[], position: number): TextFile | null {
  let [low, high] = [0, files.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((files[middle] as TextFile).from <= position) low = middle
    else high = middle - 1
  }
  const file = files[low]
  return file && file.from <= position && position < file.to ? file : null
}

const maxTagLength = 4096

/** The begin of the tag in which a byte lies; the byte itself outside of tags. */
export function tagStart(text: Buffer, position: number): number {
  for (let at = position; at >= 0 && at > position - maxTagLength; at--) {
    const byte = text[at]
    if (byte === 0x3c) return at
    if (byte === 0x3e && at < position) return position
  }
  return position
}

/** The id of the tag that begins at a byte; null without one. */
export function idAt(text: Buffer, position: number): string | null {
  const end = text.indexOf('>', position)
  const isTag = text[position] === 0x3c && end >= 0 && end - position < maxTagLength
  const found = isTag ? /\s(?:id|name)\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(text.toString('utf8', position, end)) : null
  return found?.[1] ?? found?.[2] ?? null
}
