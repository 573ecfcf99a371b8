/** A stretch of the original that is written differently in the normal form. */
interface Piece {
  /** Where it stands in the normal form, and how long it is there. */
  out: number
  outLength: number
  raw: number
  rawLength: number
  /** A hyphen inside a word was left out: the word may be quoted up to here. */
  broken: boolean
}

/** The way from places in a normal form back to the original; what lies between pieces is the same in both. */
export interface Pieces {
  /** Pieces come in order. */
  add(piece: Piece): void
  /** Where the character at `at` begins in the original. */
  start(at: number): number
  /** Where the character before `at` ends in the original. */
  end(at: number): number
  /** True where a hyphen inside a word was left out. */
  isBroken(at: number): boolean
  /** How many pieces there are. */
  count(): number
}

/** An empty way back: everything is the same. Holds four numbers for each piece. */
export function createPieces(): Pieces {
  const outs: number[] = []
  const outEnds: number[] = []
  const raws: number[] = []
  const rawEnds: number[] = []
  const broken = new Set<number>()
  const find = (at: number) => lastAtMost(outs, at)
  return {
    add({ out, outLength, raw, rawLength, broken: isBroken }) {
      outs.push(out)
      outEnds.push(out + outLength)
      raws.push(raw)
      rawEnds.push(raw + rawLength)
      if (isBroken) broken.add(out)
    },
    start(at) {
      const piece = find(at)
      if (piece < 0) return at
      const outEnd = outEnds[piece] as number
      return at < outEnd ? (raws[piece] as number) : (rawEnds[piece] as number) + at - outEnd
    },
    end(at) {
      const piece = find(at - 1)
      if (piece < 0) return at
      const outEnd = outEnds[piece] as number
      return (rawEnds[piece] as number) + Math.max(0, at - outEnd)
    },
    isBroken: (at) => broken.has(at),
    count: () => outs.length,
  }
}

/** The index of the last number that is at most `value`, or -1; `sorted` may hold equal ones. */
function lastAtMost(sorted: readonly number[], value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as number) <= value) low = middle + 1
    else high = middle
  }
  return low - 1
}
