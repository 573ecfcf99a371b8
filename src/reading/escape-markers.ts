import { escapeTagCharacters } from '../runtime/escape-invisible.ts'

/** Characters that can start a marker or something that looks like one. */
const openers = ['<', '＜', '﹤', '‹', '〈']

/**
 * Prevents book text from closing its own block: inserts a zero-width space into markers and lookalikes. Returns the
 * same string if there is none.
 */
export function escapeMarkers(text: string): string {
  const visible = escapeTagCharacters(text)
  if (!openers.some((opener) => visible.includes(opener))) return visible
  return visible.replaceAll(/[<＜﹤‹〈](?=[\s/\\\p{Cf}]*(?:book|page|outline)\b)/giu, '$&\u200b')
}
