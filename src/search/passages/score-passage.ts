import type { Phrase } from '../query/parse-query.ts'
import type { Occurrence } from './excerpt.ts'

/** What the words of a query are worth in a passage. */
export interface Measures {
  weights: readonly number[]
  phrases: readonly Phrase[]
}

/** The concepts of words, in the order of the text. */
export function conceptsOf(words: readonly Occurrence[]): number[] {
  return words.map(({ concept }) => concept)
}

/** The weight of a word that is only in a heading above the text. */
export const headingShare = 0.4

/** The total weight of concepts, except for those in `but`. */
export function sumOf(concepts: ReadonlySet<number>, weights: readonly number[], but?: ReadonlySet<number>): number {
  let sum = 0
  for (const concept of concepts) if (!but?.has(concept)) sum += weights[concept] ?? 0
  return sum
}

const repeatShare = 0.05
const maxRepeats = 6
const nearShare = 0.25
/** The number of characters between two words at which the proximity bonus is halved. */
const halvingDistance = 10

/**
 * Scores a part of a text by the weights of the different words, with bonuses for repeated words, for words close together, and for
 * phrases. `above` are the concepts of the headings directly above it.
 */
export function scoreOf(
  words: readonly Occurrence[],
  above: ReadonlySet<number>,
  { weights, phrases }: Measures,
): number {
  if (words.length === 0) return headingShare * sumOf(above, weights)
  const counts = new Uint8Array(weights.length)
  let score = 0
  for (const [at, word] of words.entries()) {
    const { concept } = word
    const weight = weights[concept] ?? 0
    const count = counts[concept] ?? 0
    if (count <= maxRepeats) {
      counts[concept] = count + 1
      score += count === 0 ? weight : weight * repeatShare
    }
    const last = words[at - 1]
    if (last && count <= maxRepeats) score += nearBonus(last, word, weights)
  }
  if (phrases.length > 0) {
    const places = new Set(words.map(placeOf))
    for (const phrase of phrases)
      if (hasPhrase(words, places, phrase)) score += sumOf(new Set(phrase.concepts), weights)
  }
  let context = 0
  for (const concept of above) if (!counts[concept]) context += weights[concept] ?? 0
  return score + headingShare * context
}

/** The bonus for a word that follows another one; 0 for the same word. */
function nearBonus(last: Occurrence, { concept, start }: Occurrence, weights: readonly number[]): number {
  if (last.concept === concept) return 0
  const gap = Math.max(0, start - last.end)
  return (nearShare * Math.min(weights[concept] ?? 0, weights[last.concept] ?? 0)) / (1 + gap / halvingDistance)
}

/** A score that no part of a text with these words exceeds. */
export function maxScoreOf(
  words: readonly Occurrence[],
  above: ReadonlySet<number>,
  { weights, phrases }: Measures,
): number {
  let score = sumOf(new Set(conceptsOf(words)), weights) * (1 + maxRepeats * repeatShare)
  for (const [at, word] of words.entries()) {
    const last = words[at - 1]
    if (last) score += nearBonus(last, word, weights)
  }
  for (const { concepts } of phrases) score += sumOf(new Set(concepts), weights)
  return score + headingShare * sumOf(above, weights) + rounding
}

/** More than the error of adding up a score. */
const rounding = 1e-6

/** Greater than the number of words in any query. */
const maxConcepts = 256

/** Returns a unique number for each query word at each position. */
function placeOf({ concept, position }: Pick<Occurrence, 'concept' | 'position'>): number {
  return position * maxConcepts + concept
}

function hasPhrase(words: readonly Occurrence[], places: ReadonlySet<number>, { concepts, offsets }: Phrase): boolean {
  if (concepts.length < 2) return false
  return words.some(
    ({ concept, position }) =>
      concept === concepts[0] &&
      concepts.every((each, at) =>
        places.has(placeOf({ concept: each, position: position + (offsets[at] as number) })),
      ),
  )
}
