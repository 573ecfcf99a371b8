/** A stretch of the original that is written differently in the normal form. */
interface Replacement {
  /** Where it stands in the normal form, and how long it is there. */
  normalStart: number
  normalLength: number
  originalStart: number
  originalLength: number
  /** A hyphen inside a word was left out: the word may be quoted up to here. */
  wordBreak: boolean
}

/** The way from places in a normal form back to the original; what lies between pieces is the same in both. */
export interface OffsetMap {
  /** Pieces come in order. */
  add(piece: Replacement): void
  /** Where the character at `at` begins in the original. */
  originalStart(at: number): number
  /** Where the character before `at` ends in the original. */
  originalEnd(at: number): number
  /** True where a hyphen inside a word was left out. */
  isWordBreak(at: number): boolean
  /** How many pieces there are. */
  count(): number
}

/** An empty way back: everything is the same. Holds four numbers for each piece. */
export function createOffsetMap(): OffsetMap {
  const normalStarts: number[] = []
  const normalEnds: number[] = []
  const originalStarts: number[] = []
  const originalEnds: number[] = []
  const wordBreaks = new Set<number>()
  const findReplacement = (at: number) => findLastAtMost(normalStarts, at)
  return {
    add({ normalStart, normalLength, originalStart, originalLength, wordBreak: isBroken }) {
      normalStarts.push(normalStart)
      normalEnds.push(normalStart + normalLength)
      originalStarts.push(originalStart)
      originalEnds.push(originalStart + originalLength)
      if (isBroken) wordBreaks.add(normalStart)
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

/** The index of the last number that is at most `value`, or -1; `sorted` may hold equal ones. */
function findLastAtMost(sorted: readonly number[], value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as number) <= value) low = middle + 1
    else high = middle
  }
  return low - 1
}
