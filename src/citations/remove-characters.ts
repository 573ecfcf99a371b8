import { findLastAtMost } from '../runtime/find-last-at-most.ts'
import type { NormalizedText } from './normalize-text.ts'

/**
 * A normal form without the UTF-16 units at these positions, which ascend; its offsets lead to the same original. At `breaks`,
 * positions behind a removed hyphen, a word may end.
 */
export function removeCharacters(
  normal: NormalizedText,
  positions: readonly number[],
  breaks: ReadonlySet<number> = new Set(),
): NormalizedText {
  if (positions.length === 0) return normal
  const { text, offsets } = normal
  const parts: string[] = []
  /** Where each of them was, in the text without them. */
  const removed: number[] = []
  let end = 0
  for (const at of positions) {
    removed.push(at - removed.length)
    parts.push(text.slice(end, at))
    end = at + 1
  }
  parts.push(text.slice(end))
  const restore = (at: number): number => at + findLastAtMost(removed, at) + 1
  return {
    text: parts.join(''),
    offsets: {
      ...offsets,
      originalStart: (at) => offsets.originalStart(restore(at)),
      originalEnd: (at) => offsets.originalEnd(restore(at - 1) + 1),
      isWordBreak: (at) => breaks.has(restore(at)) || offsets.isWordBreak(restore(at)),
    },
  }
}
