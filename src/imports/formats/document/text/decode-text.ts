import { decodeUndeclared } from '../../decode-undeclared.ts'
import { FormatError } from '../../format.ts'
import { utf16Of } from '../../utf-16.ts'

/**
 * Decodes a text file: as UTF-16, by the escape sequences of ISO-2022-JP, as UTF-8, or in the most
 * probable older encoding. Throws `BROKEN` if the file is not text.
 */
export function decodeText(bytes: Uint8Array): string {
  const text = decode(bytes)
  if (text.includes('\0')) throw new FormatError('BROKEN', 'not a text file: it has NUL characters')
  return text
}

function decode(bytes: Uint8Array): string {
  const encoding = utf16Of(bytes)
  if (encoding !== null) return new TextDecoder(encoding).decode(bytes)
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return source.includes('\x1b$B') ? new TextDecoder('iso-2022-jp').decode(bytes) : decodeUndeclared(bytes)
}
