import type { NormalizedText } from './normalize-text.ts'
import { removeCharacters } from './remove-characters.ts'

/**
 * Backslashes and stars, of which Markdown and the visible page may have different numbers. A star between two numbers or one-letter names
 * is a multiplication sign and stays.
 */
const foldable = /\\|(?<!(?:\p{N}|(?<![\p{L}\p{M}])\p{L}) ?)\*|\*(?! ?(?:\p{N}|\p{L}(?![\p{L}\p{M}])))/gu

/**
 * Returns a normal form without backslashes and stars (except multiplication signs), and with a space for each power sign, like code and
 * formulas that readers have copied. Null if the text has none of these signs.
 */
export function foldSigns(normal: NormalizedText): NormalizedText | null {
  if (!/[\\*^]/.test(normal.text)) return null
  const spaced = { ...normal, text: normal.text.replaceAll('^', ' ') }
  const { text } = spaced
  const removed: number[] = []
  let before = ' '
  for (let at = 0, next = nextFoldable(0); at < text.length; at++) {
    if (at === next) {
      removed.push(at)
      next = nextFoldable(at + 1)
    } else if (text[at] === ' ' && before === ' ') removed.push(at)
    else before = text[at] ?? ''
  }
  return removeCharacters(spaced, removed)

  function nextFoldable(from: number): number {
    foldable.lastIndex = from
    return foldable.exec(text)?.index ?? Infinity
  }
}
