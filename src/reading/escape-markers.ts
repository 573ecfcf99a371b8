import { escapeTagCharacters } from '../runtime/escape-invisible.ts'

/** Characters that look like the start of a marker. */
const opener = /[<＜﹤‹❮˂ᐸ\u27e8\u2329\u3008]/u
/** What may stand in a marker without being seen. */
const unseen = String.raw`\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}`
/** A word in ASCII or in full width, whatever stands unseen between its letters. */
const spelled = (word: string) =>
  [...word].map((letter) => `[${letter}${String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)}]`).join(`[${unseen}]*`)
const names = ['book', 'page', 'outline'].map(spelled).join('|')
const marker = new RegExp(String.raw`${opener.source}(?=[\s/\\／＼∕⁄⧸╱${unseen}]*(?:${names})(?![\p{L}\p{N}_]))`, 'giu')

/**
 * Prevents book text from closing its own block: inserts a zero-width space into markers and lookalikes. Returns the
 * same string if there is none.
 */
export function escapeMarkers(text: string): string {
  const visible = escapeTagCharacters(text)
  return opener.test(visible) ? visible.replaceAll(marker, '$&\u200b') : visible
}
