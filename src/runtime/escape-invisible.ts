/**
 * Characters that nobody sees and that programs read: controls, zero-width and bidirectional ones, fillers, and variant
 * selectors beyond the one that a character can have.
 */
const invisible =
  /[\u{e0100}-\u{e01ef}\u{1d173}-\u{1d17a}[\p{Cc}--[\t\n\r]]\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]/gv

/** Joiners, but for those between letters of scripts that are joined and inside of emoji. */
const strayJoiners =
  /(?<![\p{M}\p{Emoji_Modifier}\p{Extended_Pictographic}[\p{L}--[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hani}]]])[\u200c\u200d]|[\u200c\u200d](?![\p{Extended_Pictographic}[\p{L}--[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hani}]]])/gv

/** Tag characters, but for those that name the region of a flag (UTS #51, emoji tag sequences). */
const tagCharacters = /(\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{4,6}\u{e007f})|[\u{e0000}-\u{e007f}]/gu

/** A text with its invisible characters written as JSON escapes: whoever reads it sees them, and JSON stays the same value. */
export function escapeInvisible(text: string): string {
  return escapeTagCharacters(text).replaceAll(invisible, toJsonEscape).replaceAll(strayJoiners, toJsonEscape)
}

/** As `reveal`, for the tag characters alone, which no book needs. */
export function escapeTagCharacters(text: string): string {
  return text.includes('\udb40')
    ? text.replaceAll(tagCharacters, (found, flagSequence?: string) => flagSequence ?? toJsonEscape(found))
    : text
}

function toJsonEscape(character: string): string {
  return Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('')
}
