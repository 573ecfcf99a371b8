import { findLastAtMost } from '../runtime/find-last-at-most.ts'

/** A piece of the original that the normal form replaces. */
interface Replacement {
  /** Position and length in the normal form. */
  normalStart: number
  normalLength: number
  originalStart: number
  originalLength: number
  /** True if a hyphen inside a word was removed here, so that a quotation may end here. */
  wordBreak: boolean
}

/** Maps offsets in a normal form to offsets in the original. Text between replacements is the same in both. */
export interface OffsetMap {
  /** Adds a replacement. Calls must be in ascending order. */
  add(piece: Replacement): void
  /** Where the character at `at` starts in the original. */
  originalStart(at: number): number
  /** Where the character before `at` ends in the original. */
  originalEnd(at: number): number
  /** True at a removed hyphen inside a word. */
  isWordBreak(at: number): boolean
  /** Number of replacements. */
  count(): number
}

/** Creates an empty map, which maps every offset to itself. It stores four numbers per replacement. */
export function createOffsetMap(): OffsetMap {
  const normalStarts: number[] = []
  const normalEnds: number[] = []
  const originalStarts: number[] = []
  const originalEnds: number[] = []
  const wordBreaks = new Set<number>()
  const findReplacement = (at: number) => findLastAtMost(normalStarts, at)
  return {
    add({ normalStart, normalLength, originalStart, originalLength, wordBreak }) {
      normalStarts.push(normalStart)
      normalEnds.push(normalStart + normalLength)
      originalStarts.push(originalStart)
      originalEnds.push(originalStart + originalLength)
      if (wordBreak) wordBreaks.add(normalStart)
    },
    originalStart(at) {
      const index = findReplacement(at)
      if (index < 0) return at
      const normalEnd = normalEnds[index] as number
      return at < normalEnd ? (originalStarts[index] as number) : (originalEnds[index] as number) + at - normalEnd
    },
    originalEnd(at) {
      const index = findReplacement(at - 1)
      if (index < 0) return at
      const normalEnd = normalEnds[index] as number
      return (originalEnds[index] as number) + Math.max(0, at - normalEnd)
    },
    isWordBreak: (at) => wordBreaks.has(at),
    count: () => normalStarts.length,
  }
}
