/* oxlint-disable no-control-regex -- finding these characters is what this file is for */
const mayNeedCleaning =
  /[\u0000-\u001f\u007f-\u00a0\u00ad\u2000-\u200f\u2028-\u202f\u205f-\u206f\ud800-\udfff\ue000-\uf8ff\ufb00-\ufb06\ufeff\ufff0-\uffff]/
const control =
  /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\ufffe\uffff]/g
const unreadablePattern = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufffd\ufffe\uffff\p{Co}]/gu
const space = /[\t-\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/g
const ligature = /[\ufb00-\ufb06]/g
/** Bullets of the Symbol, Wingdings and ZapfDingbats fonts, which appear as private-use characters. */
const symbolBullet = /[\uf0b7\uf0a7\uf0d8\uf076\uf0fc\uf06e\uf071\uf0a8]/g

/**
 * Removes control and format characters and replaces lone surrogates; spells out ligatures, and replaces every space by
 * U+0020.
 */
export function cleanText(text: string): string {
  if (!mayNeedCleaning.test(text)) return text
  return text
    .toWellFormed()
    .replace(symbolBullet, '•')
    .replace(space, ' ')
    .replace(control, '')
    .replace(ligature, (sign) => sign.normalize('NFKC'))
}

/** The number of unreadable characters: private-use, control and replacement characters, lone surrogates. */
export function countUnreadable(text: string): number {
  if (!mayNeedCleaning.test(text)) return 0
  return text.toWellFormed().replace(symbolBullet, '•').match(unreadablePattern)?.length ?? 0
}

const spacelessScripts =
  /[\u1100-\u115f\u2e80-\u303f\u3041-\u4dbf\u4e00-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]/

/** Whether a character belongs to a script without spaces between words (Chinese, Japanese), or to its punctuation. */
export function isSpacelessScript(character: string): boolean {
  return spacelessScripts.test(character) || (character.codePointAt(0) ?? 0) >= 0x20000
}

/** Whether any character belongs to such a script. */
export function hasSpacelessScript(text: string): boolean {
  return spacelessScripts.test(text)
}

/** The letters and digits of a text in lower case, for comparing differently formatted titles. */
export function comparisonKey(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
}

/** A row of dots before a page number. */
export const leader = /(?:\s?[.·…]){4,}\s*([\p{L}\p{N}, –-]{1,30})$/u
