import { isUtf8 } from 'node:buffer'
import { FormatError } from '../format.ts'

/**
 * Decodes a Markdown file: UTF-8, keeping a byte order mark, or UTF-16 with a byte order mark. Throws `BROKEN` for any
 * other encoding.
 */
export function decodeMarkdown(bytes: Uint8Array): string {
  const text = decode(bytes)
  const nul = text.indexOf('\0')
  if (nul >= 0) throw new FormatError('BROKEN', `not a text file: a NUL character at position ${nul}`)
  return text
}

function decode(bytes: Uint8Array): string {
  const label =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null
  if (label !== null) {
    try {
      return new TextDecoder(label, { fatal: true }).decode(bytes)
    } catch (cause) {
      throw new FormatError(
        'BROKEN',
        `the file has a byte order mark of ${label.toUpperCase()} but is not valid ${label.toUpperCase()}`,
        { cause },
      )
    }
  }
  if (!isUtf8(bytes)) throw new FormatError('BROKEN', 'the text is not UTF-8')
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}
