import { isUtf8 } from 'node:buffer'
import { decodeUndeclared } from '../decode-undeclared.ts'
import { FormatError } from '../format.ts'
import { utf16Of } from '../utf-16.ts'

/**
 * Decodes a Markdown file: UTF-8, keeping a byte order mark, UTF-16, or the most probable older encoding. Throws `BROKEN`
 * if the file is not text.
 */
export function decodeMarkdown(bytes: Uint8Array): string {
  const text = decode(bytes)
  const nul = text.indexOf('\0')
  if (nul >= 0) throw new FormatError('BROKEN', `not a text file: a NUL character at position ${nul}`)
  return text
}

function decode(bytes: Uint8Array): string {
  const label = utf16Of(bytes)
  if (label !== null) {
    try {
      return new TextDecoder(label, { fatal: true }).decode(bytes)
    } catch (cause) {
      throw new FormatError('BROKEN', `the file looks like ${label.toUpperCase()} but is not valid`, { cause })
    }
  }
  if (isUtf8(bytes)) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  if (bytes.some(isControl)) throw new FormatError('BROKEN', 'not a text file: it has control characters')
  return decodeUndeclared(bytes)
}

/** Whether a byte is a control character that no text contains; tabs, line breaks and escapes are allowed. */
function isControl(byte: number): boolean {
  return byte < 9 || (byte > 13 && byte < 32 && byte !== 27)
}
