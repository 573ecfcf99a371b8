import { isSpacelessScript } from './text.ts'

/** Minimum number of letters that are spaced out, and their minimum share of the words of a text. */
const [minLetters, minShare] = [4, 0.8]
/** A gap that is narrower than every space between words, in ems. */
const narrowestSpace = 0.2
/** How much wider than the gaps between letters the gaps between words are, in ems. */
const minDifference = 0.15

/**
 * The text without the spaces between letters that are spaced out, as in "C H A P T E R  O N E". `gaps` are the widths of
 * its spaces in ems. Letters that are as far apart as words, such as those of a list, stay as they are.
 */
export function joinSpacedLetters(text: string, gaps: readonly number[]): string {
  // Most texts have long words, and need no further look.
  if (gaps.length < minLetters - 1 || text.length > gaps.length * 3 + 1) return text
  const words = text.split(' ')
  const letters = words.filter((word) => /^\p{L}\p{M}*$/u.test(word))
  if (words.length !== gaps.length + 1 || letters.length < Math.max(minLetters, words.length * minShare)) return text
  const usual = gaps.toSorted((a, b) => a - b)[gaps.length >> 1] ?? 0
  if (usual >= narrowestSpace) return text
  return words.map((word, index) => ((gaps[index - 1] ?? 0) > usual + minDifference ? ` ${word}` : word)).join('')
}

/** Text of a line with the places of its wide gaps, and the number of its narrow gaps. */
interface Gaps {
  text: string
  wideGaps: readonly number[]
  narrowGaps: number
}

/**
 * The text with spaces at its wide gaps, whose places are `wideGaps`; null if it has none, or if its characters are spaced
 * out. Ghostscript writes the space before a word of one letter as the distance of the characters around it.
 */
export function addWideSpaces({ text, wideGaps, narrowGaps }: Gaps): string | null {
  if (wideGaps.length === 0 || wideGaps.length > narrowGaps) return null
  const parts = [0, ...wideGaps].map((from, index) => text.slice(from, wideGaps[index]))
  return parts.map((part, index) => (beginsWord(part, parts[index - 1] ?? '') ? ` ${part}` : part)).join('')
}

function beginsWord(part: string, before: string): boolean {
  const [letter, last] = [part[0] ?? '', before.at(-1) ?? '']
  return last !== '' && /[\p{L}\p{N}]/u.test(letter) && !isSpacelessScript(letter) && !isSpacelessScript(last)
}
