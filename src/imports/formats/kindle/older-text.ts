import { FormatError, type FormatLimits } from '../format.ts'
import { isIndented, withHeading, withListings, withoutIndents } from './indented-text.ts'
import { fileAt, idOfPlace, tagStart, type BookText, type TextFile } from './book-text.ts'
import { linkTargets, withAddresses } from './link-targets.ts'

const pageBreak = /<\s*\/?\s*mbp:pagebreak[^<>]{0,200}>/gi
const maxHead = 64 * 1024
/** Maximum size of an empty part between two page breaks, bytes; longer parts contain text. */
const maxEmpty = 1000

interface OlderParts {
  /** Names a picture by its number (from 1). */
  pictureName: (number: number) => string | null
  encoding: string
  limits: FormatLimits
}

/** The text of a book in the older format: one HTML file, split at page breaks. */
export function olderText(text: Buffer, { pictureName, encoding, limits }: OlderParts): BookText {
  const indented = isIndented(text.toString('latin1', 0, maxHead))
  const decode = (letters: string) => new TextDecoder(encoding).decode(Buffer.from(letters, 'latin1'))
  const files = divide(text, limits)
  const linkedPlaces = linkTargets(text)
  const addressOf = (position: number): string | null => {
    const file = linkedPlaces.has(position) ? fileAt(files, position) : null
    return file && `${file.path}#${idOfPlace(position)}`
  }
  return {
    files,
    linkedPlaces,
    styles: [],
    positionOf: ({ offset }) => offset,
    contentsAt: placeOfContents(text),
    startOfTag: (position) => tagStart(text, position),
    markup({ from, to }, heading) {
      const written = text
        .toString('latin1', from, to)
        .replaceAll(
          /\brecindex\s*=\s*["']?0{0,10}(\d{1,6})["']?/gi,
          (_, number: string) => `src="${pictureName(Number(number)) ?? ''}"`,
        )
      const linked = linkedPlaces.size === 0 ? written : withAddresses(written, addressOf)
      const flat = withListings(indented ? withoutIndents(linked) : linked)
      return heading ? withHeading(flat, heading, decode) : flat
    },
  }
}

function divide(text: Buffer, limits: FormatLimits): TextFile[] {
  const files: TextFile[] = []
  const add = (from: number, to: number) => {
    if (to - from < maxEmpty && isEmpty(text.toString('latin1', from, to))) return
    if (files.length === limits.entries) throw new FormatError('TOO_LARGE', `more than ${limits.entries} files`)
    files.push({ path: `part${String(files.length + 1).padStart(4, '0')}.html`, from, to })
  }
  let from = 0
  for (const { 0: written, index } of text.toString('latin1').matchAll(pageBreak)) {
    add(from, index)
    from = index + written.length
  }
  add(from, text.length)
  return files
}

/** True if the markup between two breaks displays nothing: only closing tags. */
function isEmpty(markup: string): boolean {
  return !/<(?:img|svg)\b/i.test(markup) && markup.replaceAll(/<[^<>]*>/g, '').trim() === ''
}

/** Where the contents page begins according to the guide in the head. */
function placeOfContents(text: Buffer): number | null {
  const head = text.toString('latin1', 0, maxHead)
  for (const [tag] of head.matchAll(/<reference\b[^<>]{0,500}>/gi)) {
    const place = /\bfilepos\s*=\s*["']?(\d{1,10})/i.exec(tag)?.[1]
    if (/\btype\s*=\s*["']?toc\b/i.test(tag) && place !== undefined) return Number(place)
  }
  return null
}
