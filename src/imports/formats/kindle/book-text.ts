import type { Heading } from './indented-text.ts'

/** A file of a book: a range of its text. */
export interface TextFile {
  path: string
  from: number
  to: number
}

/** The text of a book as HTML files. */
export interface BookText {
  files: readonly TextFile[]
  /**
   * The HTML of a range of the text whose ends are outside tags; each byte becomes one character. `heading`: the
   * heading at its start.
   */
  markup(range: { from: number; to: number }, heading: Heading | null): string
  /** The start of the tag that contains a byte of the text; the byte itself outside tags. */
  startOfTag(position: number): number
  /** The byte offset of a table of contents target; null if the target is invalid. */
  positionOf(place: { fragment?: number; offset: number }): number | null
  /** The byte offset of the contents page that the guide names; null if there is none. */
  contentsAt: number | null
  /** The byte offsets of link targets without an id. */
  linkedPlaces: ReadonlySet<number>
  /** The style sheets. */
  styles: readonly Buffer[]
}

/** The id that is generated for an offset of the text that the table of contents or a link refers to. */
export const idOfPlace = (position: number): string => `at${position}`

/** The file that contains a byte of the text; null if there is none. */
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

/** The start of the tag that contains a byte; the byte itself outside tags. */
export function tagStart(text: Buffer, position: number): number {
  for (let at = position; at >= 0 && at > position - maxTagLength; at--) {
    const byte = text[at]
    if (byte === 0x3c) return at
    if (byte === 0x3e && at < position) return position
  }
  return position
}

/** The id of the tag that begins at a byte; null if it has none. */
export function idAt(text: Buffer, position: number): string | null {
  const end = text.indexOf('>', position)
  const isTag = text[position] === 0x3c && end >= 0 && end - position < maxTagLength
  const found = isTag ? /\s(?:id|name)\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(text.toString('utf8', position, end)) : null
  return found?.[1] ?? found?.[2] ?? null
}
