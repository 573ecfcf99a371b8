import { escapeTagCharacters } from '../runtime/escape-invisible.ts'

/** Characters that can start a marker or something that looks like one. */
const openers = ['<', '＜', '﹤', '‹', '〈']

/**
 * Keeps book text from closing its own block: a zero-width space breaks up markers inside it, and what looks like one.
 * Returns the same string if there is none.
 */
export function escapeMarkers(text: string): string {
  const visible = escapeTagCharacters(text)
  if (!openers.some((opener) => visible.includes(opener))) return visible
  return visible.replaceAll(/[<＜﹤‹〈](?=[\s/\\\p{Cf}]*(?:book|page|outline)\b)/giu, '$&\u200b')
}
