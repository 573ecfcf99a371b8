import { isUtf8 } from 'node:buffer'
import { decodeUndeclared } from '../decode-undeclared.ts'

/** How many bytes are searched for a declaration, and how many of a file that is not UTF-8. */
const declarationBytes = 1024
const longDeclarationBytes = 64 * 1024
/** The least number of bytes above 127 that are not valid UTF-8 by chance in a file with a multi-byte encoding. */
const certainBytes = 30
const declaration = /<\?xml[^>]{0,200}\bencoding\s*=\s*["']([\w.:-]+)|<meta[^>]{1,1000}charset\s*=\s*["']?([\w.:-]+)/gi
const multiByte = /^(?:gb|big5|euc|shift|iso-2022)/

/**
 * Decodes an XML or HTML file: by its byte order mark; as UTF-8 if it is valid, even if another encoding is declared;
 * otherwise by its declared encoding, in the file or else as `charset`; otherwise as a text of unknown encoding. Invalid
 * bytes become U+FFFD.
 */
export function decodeMarkup(bytes: Uint8Array, charset: string | null = null): string {
  const encoding = bomEncoding(bytes)
  if (encoding !== null) return new TextDecoder(encoding).decode(bytes)
  const isValid = isUtf8(bytes)
  const start = bytes.subarray(0, isValid ? declarationBytes : longDeclarationBytes)
  const declared = declaredEncoding(start) ?? supportedEncoding(charset)
  if (declared === null) return isValid ? new TextDecoder().decode(bytes) : decodeUndeclared(bytes)
  const isCertain = isValid && hasBytesAbove127(bytes, multiByte.test(declared) ? certainBytes : 1)
  return new TextDecoder(isCertain ? 'utf-8' : declared).decode(bytes)
}

/**
 * The encoding by a byte order mark, or by the zero byte next to the first `<` (XML 1.0, appendix F); null for neither.
 */
function bomEncoding(bytes: Uint8Array): string | null {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le'
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be'
  return null
}

/** The first declared encoding that is supported and not Unicode; null if there is none. */
function declaredEncoding(start: Uint8Array): string | null {
  for (const [, ofXml, ofHtml = ''] of new TextDecoder('latin1').decode(start).matchAll(declaration)) {
    const encoding = supportedEncoding(ofXml ?? ofHtml)
    if (encoding !== null) return encoding
  }
  return null
}

/** The standard name of an encoding; null if it is not supported or is Unicode. */
function supportedEncoding(label: string | null): string | null {
  try {
    const { encoding } = new TextDecoder(label ?? 'utf-8')
    return encoding.startsWith('utf-') ? null : encoding
  } catch {
    return null
  }
}

function hasBytesAbove127(bytes: Uint8Array, least: number): boolean {
  let count = 0
  for (const byte of bytes) if (byte > 127 && ++count >= least) return true
  return false
}
