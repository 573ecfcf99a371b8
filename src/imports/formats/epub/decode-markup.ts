import { isUtf8 } from 'node:buffer'

/**
 * Decodes an XML or HTML file: by its byte order mark, otherwise by its declared encoding, otherwise as UTF-8 if it is
 * valid, otherwise as Windows-1252. Invalid bytes become U+FFFD.
 */
export function decodeMarkup(bytes: Uint8Array): string {
  const encoding = bomEncoding(bytes)
  if (encoding !== null) return new TextDecoder(encoding).decode(bytes)
  const declared = decodeDeclared(bytes)
  if (declared !== null) return declared
  return new TextDecoder(isUtf8(bytes) ? 'utf-8' : 'windows-1252').decode(bytes)
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

function decodeDeclared(bytes: Uint8Array): string | null {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 1024))
  const label = /\bencoding\s*=\s*["']([\w.:-]+)|<meta[^>]+charset\s*=\s*["']?([\w.:-]+)/i.exec(head)
  const name = label?.[1] ?? label?.[2]
  if (name === undefined || /^utf-?16/i.test(name)) return null
  try {
    return new TextDecoder(name).decode(bytes)
  } catch {
    return null
  }
}
