/* oxlint-disable no-control-regex -- finding these characters is what this file is for */
const needsCleaning =
  /[\u0000-\u001f\u007f-\u00a0\u00ad\u014c\u019e\u019f\u01a9\u01ab\u1100-\u11ff\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2126\u212a\u212b\u2e9f\u2ef3\u2f00-\u2fd5\u3000\ud800-\udfff\ue000-\ufaff\ufb00-\ufeff\uff01-\uff5e\ufff0-\uffff]|\p{M}/u
const control =
  /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\ufffe\uffff]/g
const unreadablePattern = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufffd\ufffe\uffff\p{Co}]/gu
const space = /[\t-\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/g
/**
 * Ligatures, Hebrew and Arabic presentation forms, full-width letters and digits, and radicals that represent Chinese
 * characters.
 */
const form =
  /[\u2e9f\u2ef3\u2f00-\u2fd5\ufb00-\ufb4f\ufb50-\ufdfd\ufe70-\ufefc\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]/g
/** The space or tatweel that carries an Arabic vowel sign. Here the vowel sign follows its letter. */
const carrier = /^[ \u0640](?=[\u064b-\u0652])/
/** A hamza or madda before its letter. The engine returns this order if the file contains both in logical order. */
const hamzaFirst = /^([\u0653-\u0655])([\u0627\u0648\u0649\u064a])/
/** Bullets of the fonts Symbol, Wingdings and ZapfDingbats, which appear as private-use characters. */
const symbolBullet = /[\uf0b7\uf0a7\uf0d8\uf076\uf0fc\uf06e\uf071\uf0a8]/g
/**
 * Ligatures in Calibri and similar fonts. Many files map their glyphs to letters, mostly capitals, that do not occur inside
 * words.
 */
export const calibriLigatures: ReadonlyMap<string, string> = new Map([
  ['\u014c', 'ft'],
  ['\u019e', 'tf'],
  ['\u019f', 'ti'],
  ['\u01a9', 'tt'],
  ['\u01ab', 'tti'],
])
/** A long O begins words of some languages, but does not follow a small letter. */
const calibriLigature = /(?<=\p{Ll})[\u014c\u019f\u01a9]|[\u019f\u01a9](?=\p{Ll})|(?<=[a-z])[\u019e\u01ab](?=[a-z])/gu
/** Pieces of tall brackets, at the private-use code points of the Adobe Glyph List, from U+F8EB on. */
const bracketPart = /[\uf8eb-\uf8f4\uf8f6-\uf8fe]/g
const bracketParts = '⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ ⎞⎟⎠⎤⎥⎦⎫⎬⎭'

/**
 * Removes control and format characters except the two joiners, and replaces lone surrogates. Expands ligatures,
 * presentation forms and full-width letters, replaces every space with U+0020, and returns NFC.
 */
export function cleanText(text: string): string {
  if (!needsCleaning.test(text)) return composeHamza(text)
  return composeHamza(text.toWellFormed())
    .replace(symbolBullet, '•')
    .replace(calibriLigature, (sign) => calibriLigatures.get(sign) ?? sign)
    .replace(bracketPart, (sign) => bracketParts[sign.charCodeAt(0) - 0xf8eb] ?? sign)
    .replace(space, ' ')
    .replace(control, '')
    .replace(form, (sign) => sign.normalize('NFKC').replace(carrier, ''))
    .normalize('NFC')
}

function composeHamza(text: string): string {
  return hamzaFirst.test(text) ? text.replace(hamzaFirst, '$2$1').normalize('NFC') : text
}

/** The number of unreadable characters: private-use, control and replacement characters, and lone surrogates. */
export function countUnreadable(text: string): number {
  if (!needsCleaning.test(text)) return 0
  return text.toWellFormed().replace(symbolBullet, '•').replace(bracketPart, '|').match(unreadablePattern)?.length ?? 0
}

const spacelessScripts =
  /[\u2e80-\u303f\u3041-\u312f\u3190-\u4dbf\u4e00-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff60\uffe0-\uffe6]/
const eastAsian = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]/

/** Whether a character belongs to a script without spaces between words (Chinese, Japanese) or to its punctuation. */
export function isSpacelessScript(character: string): boolean {
  return spacelessScripts.test(character) || (character.codePointAt(0) ?? 0) >= 0x20000
}

/** The last character, or the one before a closing bracket, such as that of a reading. */
export function lastLetter(text: string): string {
  return (text.endsWith(')') ? text.at(-2) : text.at(-1)) ?? ''
}

/** Whether a text contains Chinese, Japanese or Korean characters, or full-width ones. */
export function hasEastAsian(text: string): boolean {
  return eastAsian.test(text)
}

/** The width of a text in characters, of which Chinese, Japanese and Korean ones count twice. */
export function widthOf(text: string): number {
  if (!eastAsian.test(text)) return text.length
  let wide = 0
  for (const character of text) if (eastAsian.test(character)) wide += 1
  return text.length + wide
}

/** The letters and digits of a text in lower case, for comparing differently formatted titles. */
export function comparisonKey(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
}

/** Leader dots before a page number. */
export const leader = /(?:\s?[.·…]){4,}\s*([\p{L}\p{N}, –-]{1,30})$/u

/** Matches a text that is a page number. */
export const pageNumber = /^(?:\d{1,4}|[ivxlc]{1,7})$/i

/** Minimum share of the lines of an index that end with a page number. Others are headings, references or continue on the next line. */
const minIndexEntries = 0.5

/** Whether lines of text are those of an index: terms with page numbers. */
export function isIndex(lines: readonly string[]): boolean {
  return lines.filter(isIndexEntry).length >= lines.length * minIndexEntries
}

/** Whether a line of an index is a whole entry, which ends with a page number. */
export function isIndexEntry(line: string): boolean {
  return /[\s,]\d{1,4}(?:[–-]\d{1,4})?$/.test(line) && /\p{L}/u.test(line)
}

/** Whether a code point is a space or a line end. */
export function isSpaceCode(code: number): boolean {
  return (
    code === 0x20 ||
    (code >= 0x9 && code <= 0xd) ||
    code === 0xa0 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x3000 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x2028 ||
    code === 0x2029
  )
}
