import { findLastAtMost } from '../runtime/find-last-at-most.ts'
import { unspacedScripts } from './characters.ts'
import type { NormalizedText } from './normalize-text.ts'

/** A space beside a sign, or beside a letter of a script without spaces. */
const foldableSpace = new RegExp(
  String.raw` (?=[[^\p{L}\p{N}\p{M}]${unspacedScripts}])|(?<=[[^\p{L}\p{N}\p{M}]${unspacedScripts}]) `,
  'gv',
)
const digit = /\p{Nd}/u

/**
 * A normal form without the spaces beside signs, which files set in many ways: `f( x )` is `f(x)`. A space between two numbers
 * stays, so that `5. 2` is not `5.2`.
 */
export function foldSpaces({ text, offsets }: NormalizedText): NormalizedText {
  const removed: number[] = []
  const parts: string[] = []
  let end = 0
  for (const { index } of text.matchAll(foldableSpace)) {
    if (dividesNumbers(text, index)) continue
    // Where the space was, in the folded text.
    removed.push(index - removed.length)
    parts.push(text.slice(end, index))
    end = index + 1
  }
  if (removed.length === 0) return { text, offsets }
  parts.push(text.slice(end))
  const unfold = (at: number): number => at + findLastAtMost(removed, at) + 1
  return {
    text: parts.join(''),
    offsets: {
      ...offsets,
      originalStart: (at) => offsets.originalStart(unfold(at)),
      originalEnd: (at) => offsets.originalEnd(unfold(at - 1) + 1),
      isWordBreak: (at) => offsets.isWordBreak(unfold(at)),
    },
  }
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
