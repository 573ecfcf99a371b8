import { findLastAtMost } from '../runtime/find-last-at-most.ts'
import type { NormalizedText } from './normalize-text.ts'

/**
 * Returns a normal form without the UTF-16 units at `positions`, which ascend. Its offsets map to the same original. A word may end at each
 * of `breaks`, the positions after a removed hyphen.
 */
export function removeCharacters(
  normal: NormalizedText,
  positions: readonly number[],
  breaks: ReadonlySet<number> = new Set(),
): NormalizedText {
  if (positions.length === 0) return normal
  const { text, offsets } = normal
  const parts: string[] = []
  /** The position of each removed unit in the text without the units. */
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
