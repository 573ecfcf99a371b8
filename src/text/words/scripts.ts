/**
 * Characters of Thai, Lao, Myanmar, Khmer, Hangul, kana and Han: scripts without spaces, or with long words that people search for by their
 * parts.
 */
export const unspacedPattern =
  /[\p{sc=Thai}\p{sc=Lao}\p{sc=Myanmar}\p{sc=Khmer}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}\p{sc=Bopomofo}ー\uff9e\uff9f]/u

/** True if a word has characters of a script without spaces. */
export function hasUnspaced(raw: string): boolean {
  for (let i = 0; i < raw.length; i++) if (raw.charCodeAt(i) >= 0x0e00) return unspacedPattern.test(raw)
  return false
}
