import { decodeUndeclared } from '../../decode-undeclared.ts'
import { FormatError } from '../../format.ts'

/**
 * Decodes a text file: by its byte order mark, by the escape sequences of ISO-2022-JP, as UTF-8, or in the most
 * probable older encoding. Throws `BROKEN` if the file is not text.
 */
export function decodeText(bytes: Uint8Array): string {
  const text = decode(bytes)
  if (text.includes('\0')) throw new FormatError('BROKEN', 'not a text file: it has NUL characters')
  return text
}

function decode(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return source.includes('\x1b$B') ? new TextDecoder('iso-2022-jp').decode(bytes) : decodeUndeclared(bytes)
}
