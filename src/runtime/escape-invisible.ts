/**
 * Invisible characters that programs read: control, zero-width and bidirectional characters, fillers, and repeated
 * variation selectors.
 */
const invisible =
  /[\u{e0100}-\u{e01ef}\u{1d173}-\u{1d17a}[\p{Cc}--[\t\n\r]]\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]/gv

/** Joiners, except between letters of joining scripts and inside emoji. */
const isolatedJoiners =
  /(?<![\p{M}\p{Emoji_Modifier}\p{Extended_Pictographic}[\p{L}--[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hani}]]])[\u200c\u200d]|[\u200c\u200d](?![\p{Extended_Pictographic}[\p{L}--[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hani}]]])/gv

/** Tag characters, except those that name the region of a flag (UTS #51, emoji tag sequences). */
const tagCharacters = /(\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{4,6}\u{e007f})|[\u{e0000}-\u{e007f}]/gu

/** Replaces invisible characters with JSON escapes to make them visible; inside JSON, the value stays the same. */
export function escapeInvisible(text: string): string {
  return replaceInvisible(text, toJsonEscape)
}

/** Removes the characters that `escapeInvisible` escapes. */
export function removeInvisible(text: string): string {
  return replaceInvisible(text, () => '')
}

/** Like `escapeInvisible`, for tag characters only. */
export function escapeTagCharacters(text: string): string {
  return replaceTagCharacters(text, toJsonEscape)
}

type Replace = (character: string) => string

function replaceInvisible(text: string, replace: Replace): string {
  return replaceTagCharacters(text, replace)
    .replaceAll(invisible, (found) => replace(found))
    .replaceAll(isolatedJoiners, (found) => replace(found))
}

function replaceTagCharacters(text: string, replace: Replace): string {
  return text.includes('\udb40')
    ? text.replaceAll(tagCharacters, (found, flagSequence?: string) => flagSequence ?? replace(found))
    : text
}

function toJsonEscape(character: string): string {
  return Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('')
}
