import type { NormalizedText } from './normalize-text.ts'
import { removeCharacters } from './remove-characters.ts'

/** Signs that Markdown and a page write in different numbers; a star between two numbers or names multiplies. */
const foldable = /\\|(?<!(?:\p{N}|(?<![\p{L}\p{M}])\p{L}) ?)\*|\*(?! ?(?:\p{N}|\p{L}(?![\p{L}\p{M}])))/gu

/**
 * A normal form without backslashes and stars, apart from those of products, and with a space for the sign of a power: what
 * readers copy of code and formulas. Null if it has none of them.
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
