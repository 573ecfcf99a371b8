/** Encodings by code page number. */
const encodings: Readonly<Record<number, string>> = {
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  1250: 'windows-1250',
  1251: 'windows-1251',
  1252: 'windows-1252',
  1253: 'windows-1253',
  1254: 'windows-1254',
  1255: 'windows-1255',
  1256: 'windows-1256',
  1257: 'windows-1257',
  1258: 'windows-1258',
  10000: 'macintosh',
  10007: 'x-mac-cyrillic',
  65001: 'utf-8',
}

/** Code pages by font character set (`\fcharset`). */
const charsets: Readonly<Record<number, number>> = {
  0: 1252,
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
}

/** The default code page, for files that declare none or an unknown one. */
export const defaultCodePage = 1252

/** The code page of a font by its character set; null if it is that of the file. */
export function codePageOfCharset(charset: number): number | null {
  return charsets[charset] ?? null
}

/** Decodes bytes that are given as Latin-1 characters. */
export function decodeBytes(bytes: string, codePage: number): string {
  // oxlint-disable-next-line no-control-regex -- ASCII is the same everywhere
  if (/^[\u0000-\u007f]*$/.test(bytes)) return bytes
  return new TextDecoder(encodings[codePage] ?? encodings[defaultCodePage]).decode(Buffer.from(bytes, 'latin1'))
}

/**
 * The character with the number of a `\u` word. The number has 16 bits, but Calibre writes emoji and other characters
 * beyond the basic plane as one number.
 */
export function decodeUnicode(number: number): string {
  return number > 0xffff && number <= 0x10ffff ? String.fromCodePoint(number) : String.fromCharCode(number & 0xffff)
}
