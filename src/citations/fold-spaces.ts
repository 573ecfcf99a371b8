import { isDigit, unboundedScripts } from './characters.ts'
import type { NormalizedText } from './normalize-text.ts'
import { removeCharacters } from './remove-characters.ts'

/**
 * A space next to a sign, or next to a letter of a script without spaces or of Hangul: Korean authors, and programs that
 * join broken lines, differ in the spaces.
 */
const foldableSpace = new RegExp(
  String.raw` (?=[[^\p{L}\p{N}\p{M}]${unboundedScripts}])|(?<=[[^\p{L}\p{N}\p{M}]${unboundedScripts}]) `,
  'gv',
)
/** A hyphen or dash between two words. Files, and programs that read them, put spaces around hyphens or leave them out. */
const betweenWords = /(?<=[\p{L}\p{M}]{2}) ?- ?(?=\p{L}{2})/gu

/**
 * Returns a normal form without the spaces next to signs, because files differ in them: `f( x )` becomes `f(x)`. Hyphens between words are
 * removed as well: `up- and` and `up-and` become `upand`. A space between two numbers stays, so that `5. 2` does not become `5.2`.
 */
export function foldSpaces(normal: NormalizedText): NormalizedText {
  const spaces = [...normal.text.matchAll(foldableSpace)].map(({ index }) => index)
  const removable = spaces.filter((at) => !dividesNumbers(normal.text, at))
  const removed = new Set(removable)
  const breaks = new Set<number>()
  for (const { 0: hyphen, index } of normal.text.matchAll(betweenWords)) {
    for (let at = index; at < index + hyphen.length; at++) removed.add(at)
    breaks.add(index + hyphen.length)
  }
  const positions = breaks.size === 0 ? removable : [...removed].sort((a, b) => a - b)
  return removeCharacters(normal, positions, breaks)
}

/** True if a space is next to a point or comma between two numbers. */
function dividesNumbers(text: string, at: number): boolean {
  const [before, after] = [text[at - 1] ?? '', text[at + 1] ?? '']
  if (isPoint(before)) return isDigit(after) && isDigit(text[at - 2] === ' ' ? text[at - 3] : text[at - 2])
  return isPoint(after) && isDigit(before) && isDigit(text[at + 2])
}

function isPoint(unit: string): boolean {
  return unit === '.' || unit === ','
}
