import { positionsOf, type Posting } from './page-index.ts'
import type { Phrase, Query } from './parse-query.ts'
import type { PagePostings } from './load-postings.ts'

/** True when the words of a phrase are adjacent and in order on the page. */
export function containsPhrase(words: PagePostings, { concepts, offsets }: Phrase): boolean {
  const postings = concepts.map((concept) => words[concept])
  if (postings.some((posting) => posting === undefined)) return false
  const [first = [], ...others] = postings.map((posting) => positionsOf(posting as Posting))
  const sets = others.map((positions) => new Set(positions))
  return first.some((position) => sets.every((set, at) => set.has(position + (offsets[at + 1] as number))))
}

/**
 * Scores how close neighbouring query words are on a page: for each pair the lesser weight when they are as in the
 * query, less with every word between.
 */
export function proximityScore(postings: PagePostings, { concepts }: Query, weights: readonly number[]): number {
  let sum = 0
  let before: { posting: Posting; at: number } | null = null
  for (const [at, { phraseOnly, position }] of concepts.entries()) {
    const posting = postings[at]
    if (phraseOnly || !posting) continue
    if (before) {
      const expectedDistance = Math.min(4, Math.max(1, position - (concepts[before.at]?.position ?? 0)))
      const distance = smallestMiss(positionsOf(before.posting), positionsOf(posting), expectedDistance)
      sum += Math.min(weights[before.at] as number, weights[at] as number) / (1 + distance / 2)
    }
    before = { posting, at }
  }
  return sum
}

/** The smallest deviation of a pair of positions from the expected distance; the wrong order counts one more. */
function smallestMiss(one: readonly number[], other: readonly number[], expectedDistance: number): number {
  let best = Infinity
  let at = 0
  for (const position of one) {
    const target = position + expectedDistance
    while (
      at + 1 < other.length &&
      Math.abs((other[at + 1] as number) - target) <= Math.abs((other[at] as number) - target)
    )
      at++
    for (const index of [at - 1, at]) {
      const found = other[index]
      if (found === undefined) continue
      const deviation = found > position ? Math.abs(found - target) : position - found + 1
      if (deviation < best) best = deviation
    }
  }
  return best
}
