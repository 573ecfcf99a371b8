/** Counts of two neighbouring syllables: written as one word, and with a space between them. */
interface Counts {
  joined: number
  spaced: number
}

const syllable = /[\uac00-\ud7a3]/
const neighbours = /([\uac00-\ud7a3])(?=( ?)([\uac00-\ud7a3]))/g

/** Limits on what a book can make it remember. */
const maxPairs = 200_000
const maxLineEnds = 5000
/** How many observations of a pair weigh as much as what is known of its two syllables. */
const priorWeight = 2
/** The estimate of the share of broken words converges in fewer rounds. */
const rounds = 20
const minShare = 0.001

/**
 * Learns where a book in Korean writes spaces. Many books break their lines between any two syllables, without a
 * hyphen, others only at spaces. The lines themselves tell which syllables stand in one word, and the ends of lines
 * tell which of the two the book does.
 */
export class HangulSpacing {
  readonly #pairs = new Map<string, Counts>()
  readonly #first = new Map<string, Counts>()
  readonly #second = new Map<string, Counts>()
  readonly #all: Counts = { joined: 0, spaced: 0 }
  readonly #lineEnds: string[] = []
  #brokenShare: number | undefined

  /** Learns from a line. */
  learn(line: string): void {
    for (const [, first = '', space, second = ''] of line.matchAll(neighbours)) {
      const kind = space === '' ? 'joined' : 'spaced'
      this.#all[kind] += 1
      count(this.#first, first, kind)
      count(this.#second, second, kind)
      if (this.#pairs.size < maxPairs) count(this.#pairs, first + second, kind)
    }
  }

  /** Learns from two lines of which the second follows the first. */
  learnLineEnd(above: string, below: string): void {
    const pair = pairAt(above, below)
    if (pair === null || this.#lineEnds.length >= maxLineEnds) return
    this.#lineEnds.push(pair)
    this.#brokenShare = undefined
  }

  /** Whether a word probably continues from one line to the next. */
  isOneWord(above: string, below: string): boolean {
    const pair = pairAt(above, below)
    if (pair === null || this.#all.joined === 0 || this.#all.spaced === 0) return false
    this.#brokenShare ??= this.#estimateBrokenShare()
    return this.#likelihoodOfJoin(pair, this.#brokenShare) > 0.5
  }

  /** The share of the ends of lines that are within a word, by expectation maximisation; half if none is known. */
  #estimateBrokenShare(): number {
    let share = 0.5
    if (this.#lineEnds.length === 0) return share
    for (let round = 0; round < rounds; round += 1) {
      const expected = this.#lineEnds.reduce((sum, pair) => sum + this.#likelihoodOfJoin(pair, share), 0)
      share = Math.min(1 - minShare, Math.max(minShare, expected / this.#lineEnds.length))
    }
    return share
  }

  /** The probability that a pair at the end of a line is within a word, if that share of all ends is. */
  #likelihoodOfJoin(pair: string, share: number): number {
    const { joined, spaced } = this.#pairs.get(pair) ?? { joined: 0, spaced: 0 }
    const prior = this.#all.spaced / this.#all.joined
    const syllables = (this.#oddsOf(this.#first, pair.charAt(0)) * this.#oddsOf(this.#second, pair.charAt(1))) / prior
    const expected = syllables / (1 + syllables)
    const spacedShare = (spaced + priorWeight * expected) / (joined + spaced + priorWeight)
    // Between two lines the share of broken words takes the place of the share within lines.
    const odds = ((1 - spacedShare) / spacedShare) * (share / (1 - share)) * prior
    return odds / (1 + odds)
  }

  /** The odds of a space beside a syllable, with one observation of the whole book added. */
  #oddsOf(counts: ReadonlyMap<string, Counts>, letter: string): number {
    const { joined, spaced } = counts.get(letter) ?? { joined: 0, spaced: 0 }
    const share = this.#all.spaced / (this.#all.joined + this.#all.spaced)
    return (spaced + share) / (joined + 1 - share)
  }
}

/** The syllables on both sides of a line end; null if there is none on either side. */
function pairAt(above: string, below: string): string | null {
  const [first, second] = [above.trimEnd().at(-1) ?? '', below.trimStart().charAt(0)]
  return syllable.test(first) && syllable.test(second) ? first + second : null
}

function count(counts: Map<string, Counts>, key: string, kind: keyof Counts): void {
  const found = counts.get(key)
  if (found) found[kind] += 1
  else counts.set(key, { joined: 0, spaced: 0, [kind]: 1 })
}
