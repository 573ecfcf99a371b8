import { unspacedScripts } from './characters.ts'
import type { NormalizedText } from './normalize-text.ts'
import { removeCharacters } from './remove-characters.ts'

/** A space beside a sign, or beside a letter of a script without spaces. */
const foldableSpace = new RegExp(
  String.raw` (?=[[^\p{L}\p{N}\p{M}]${unspacedScripts}])|(?<=[[^\p{L}\p{N}\p{M}]${unspacedScripts}]) `,
  'gv',
)
/** A hyphen or dash between two words: files and programs that read them set spaces on either side, or leave a hyphen out. */
const betweenWords = /(?<=[\p{L}\p{M}]{2}) ?- ?(?=\p{L}{2})/gu
const digit = /\p{Nd}/u

/**
 * A normal form without the spaces beside signs, which files set in many ways: `f( x )` is `f(x)`, and `up- and` is `upand`, as
 * `up-and` is. A space between two numbers stays, so that `5. 2` is not `5.2`.
 */
export function foldSpaces(normal: NormalizedText): NormalizedText {
  const spaces = [...normal.text.matchAll(foldableSpace)].map(({ index }) => index)
  const beside = spaces.filter((at) => !dividesNumbers(normal.text, at))
  const removed = new Set(beside)
  const breaks = new Set<number>()
  for (const { 0: hyphen, index } of normal.text.matchAll(betweenWords)) {
    for (let at = index; at < index + hyphen.length; at++) removed.add(at)
    breaks.add(index + hyphen.length)
  }
  const positions = breaks.size === 0 ? beside : [...removed].sort((a, b) => a - b)
  return removeCharacters(normal, positions, breaks)
}

/** Whether a space and a point or comma beside it stand between two numbers. */
function dividesNumbers(text: string, at: number): boolean {
  const [before, after] = [text[at - 1] ?? '', text[at + 1] ?? '']
  if (isPoint(before)) return isDigit(after) && isDigit(text[at - 2] === ' ' ? text[at - 3] : text[at - 2])
  return isPoint(after) && isDigit(before) && isDigit(text[at + 2])
}

function isPoint(unit: string): boolean {
  return unit === '.' || unit === ','
}

function isDigit(unit: string | undefined): boolean {
  return unit !== undefined && digit.test(unit)
}
