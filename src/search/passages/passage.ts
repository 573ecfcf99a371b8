import { occurrencesOn, type StrippedPage, type WordSearch } from './stripped-page.ts'
import { excerpt, maxPassageLength, type Occurrence } from './excerpt.ts'
import type { Query } from '../query/parse-query.ts'
import { conceptsOf, headingShare, maxScoreOf, scoreOf, sumOf, type Measures } from './score-passage.ts'
import { sentencesOf, type Range } from './sentences.ts'
import { stripMarkdownInSteps, type Block } from '../words/strip-markdown.ts'

/*
 * Finds the passage of a page for a query: its best sentence, or two neighbouring ones, at most 300 characters, word for word. A short
 * sentence is shown with one next to it. A heading, list item, table row or line of code counts as a sentence of its own. But a heading that
 * is followed by text is no passage: it is context for that text, and is put before it if only the heading contains the words.
 */

/** The query, and the weight of each of its words. */
export interface PassageQuery extends WordSearch {
  query: Query
  /** The weight of each concept: rare words weigh more. */
  weights: readonly number[]
}

/** The maximum number of blocks whose sentences are scored. */
const maxBlocks = 12
/** The number of sentences between two steps. */
const candidatesPerStep = 8

/** A passage of a page. */
export interface Passage {
  snippet: string
  /** Its place in the text of the page without markup. */
  start: number
}

/** Returns the best passage of a page, in steps; null if the page has none of the words. */
export function* findPassage(page: StrippedPage, searched: PassageQuery): Generator<void, Passage | null> {
  const { text, blocks } = page
  const occurrences = yield* occurrencesOn(page, searched)
  if (occurrences.length === 0) return null
  const weights = weightsOf(searched)
  yield
  let best: Candidate | null = null
  let seen = 0
  const measures = { weights, phrases: searched.query.phrases }
  for (const part of bestParts(blocks, { occurrences, weights })) {
    if (best !== null && maxScoreOf(part.inside, part.above, measures) * maxBonus < best.score) continue
    yield
    for (const candidate of candidatesOf(text, part, measures)) {
      if (best === null || isBetter(candidate, best)) best = candidate
      if (++seen % candidatesPerStep === 0) yield
    }
  }
  if (best === null) return null
  const { heading } = best
  const { start } = best
  const isCode = best.block.kind === 'code'
  if (heading && best.inside.length === 0 && heading.end - heading.start <= maxHeadingLength) {
    const range = withNeighbour(best, heading.start)
    return { snippet: excerpt(text, range, { occurrences: heading.inside, weights, isCode }), start }
  }
  const range = withNeighbour(best, start)
  return { snippet: excerpt(text, range, { occurrences: best.inside, weights, isCode }), start }
}

/** A shorter sentence is shown with a sentence next to it, UTF-16 units. */
const halfPassage = maxPassageLength / 2
/** The maximum length of two sentences together, UTF-16 units. Twenty hits with longer ones are too large for an agent. */
const maxPairLength = 240

/**
 * Returns the range from `from` to the end of a candidate. If it is one short sentence, adds the following sentence of the block, or else the
 * one before, if both are not too long: the answer to a question often follows the sentence with its words.
 */
function withNeighbour({ sentences, start, end }: Candidate, from: number): Range {
  if (end - from >= halfPassage) return { start: from, end }
  const at = sentences.findIndex((each) => each.start === start && each.end === end)
  const [before, next] = at < 0 ? [] : [sentences[at - 1], sentences[at + 1]]
  if (next && next.end - from <= maxPairLength) return { start: from, end: next.end }
  return before && end - before.start <= maxPairLength ? { start: before.start, end } : { start: from, end }
}

/** Longer headings are not put before their text, UTF-16 units. */
const maxHeadingLength = 120

/**
 * Compares by score. Among equal candidates without words of their own, prefers a sentence with content over an entry of a table of
 * contents.
 */
function isBetter(one: Candidate, other: Candidate): boolean {
  if (one.score !== other.score) return one.score > other.score
  return one.inside.length === 0 && lengthUpToShort(one) > lengthUpToShort(other)
}

function lengthUpToShort({ start, end }: Range): number {
  return Math.min(end - start, shortSentence)
}

/** Returns the opening of a page that was found by the title of its chapter. Omits a heading that is followed by text. */
export function* readOpening(markdown: string): Generator<void, string> {
  const blocks: Block[] = []
  const { text } = yield* stripMarkdownInSteps(markdown, blocks)
  const first = blocks.find(({ kind }) => kind !== 'heading') ?? blocks[0]
  if (!first) return ''
  const [one, two] = sentencesOf(text, first)
  if (!one) return ''
  const both = two && two.end - one.start <= openingLength ? { start: one.start, end: two.end } : one
  return excerpt(text, both, { occurrences: [], weights: [], isCode: first.kind === 'code' })
}

const openingLength = 200

const smallWordShare = 0.1

/** Gives every word a minimum weight, even a word that is on every page. Function words of phrases get a low weight. */
function weightsOf({ query, weights }: PassageQuery): number[] {
  const maxWeight = Math.max(...weights, 0) || 1
  return query.concepts.map(({ phraseOnly }, at) =>
    phraseOnly ? maxWeight * smallWordShare : Math.max(weights[at] ?? 0, maxWeight * smallWordShare),
  )
}

/** A block that may contain the passage. */
interface Part {
  block: Block
  inside: Occurrence[]
  /** The concepts in the headings directly above it. */
  above: ReadonlySet<number>
  /** The last heading directly above it that contains words of the query. */
  heading: Heading | null
  score: number
}

interface Heading extends Range {
  inside: Occurrence[]
}

interface Words {
  occurrences: readonly Occurrence[]
  weights: readonly number[]
}

const noConcepts: ReadonlySet<number> = new Set()

/** Returns the blocks whose words have the greatest total weight. */
function bestParts(blocks: readonly Block[], { occurrences, weights }: Words): Part[] {
  const parts: Part[] = []
  let at = 0
  let above = noConcepts
  let heading: Heading | null = null
  for (const [index, block] of blocks.entries()) {
    const inside: Occurrence[] = []
    for (; at < occurrences.length && (occurrences[at] as Occurrence).start < block.end; at++) {
      // Names of fields of the front matter are in no block.
      if ((occurrences[at] as Occurrence).start >= block.start) inside.push(occurrences[at] as Occurrence)
    }
    if (isAboveText(blocks, index)) {
      if (inside.length === 0) continue
      above = new Set([...above, ...conceptsOf(inside)])
      heading = { start: block.start, end: block.end, inside }
      continue
    }
    // Most blocks have no words of the query, and no heading with such words.
    if (inside.length === 0 && above.size === 0) continue
    const found = new Set(conceptsOf(inside))
    const score = sumOf(found, weights) + headingShare * sumOf(above, weights, found)
    if (score > 0) parts.push({ block, inside, above, heading, score })
    above = noConcepts
    heading = null
  }
  return parts.sort((a, b) => b.score - a.score).slice(0, maxBlocks)
}

/** The maximum number of consecutive headings above a text. */
const maxHeadings = 3

/** True for a heading that is followed by text, directly or after other headings. */
function isAboveText(blocks: readonly Block[], index: number): boolean {
  if (blocks[index]?.kind !== 'heading') return false
  const next = blocks.slice(index + 1, index + 1 + maxHeadings)
  return next.some(({ kind }) => kind !== 'heading')
}

interface Candidate extends Range {
  block: Block
  /** The sentences of the block. */
  sentences: readonly Range[]
  score: number
  inside: Occurrence[]
  /** The heading above the first sentence of the candidate. */
  heading: Heading | null
}

/** A shorter sentence says little on its own, UTF-16 units. */
const shortSentence = 60
/**
 * Small bonuses for joining a short sentence with a neighbour when the scores are otherwise equal. The following sentence is preferred to
 * the one before.
 */
const nextSentenceBonus = 1.02
const previousSentenceBonus = 1.01
const maxBonus = Math.max(nextSentenceBonus, previousSentenceBonus)
/** The minimum gain in score from the second sentence, as a share of the score of the better one. */
const pairCost = 0.25

/** Yields the sentences of a block, and pairs of neighbouring sentences, with their scores. */
function* candidatesOf(text: string, part: Part, measures: Measures): Generator<Candidate> {
  const { block, inside, above } = part
  let before: Candidate | null = null
  let at = 0
  const sentences = sentencesOf(text, block)
  for (const [index, sentence] of sentences.entries()) {
    const words: Occurrence[] = []
    while (at < inside.length && (inside[at] as Occurrence).start < sentence.end) words.push(inside[at++] as Occurrence)
    // A heading also counts as context for the first sentence below it.
    const context = index === 0 ? above : noConcepts
    const heading = index === 0 ? part.heading : null
    const one: Candidate = {
      ...sentence,
      block,
      sentences,
      inside: words,
      heading,
      score: scoreOf(words, context, measures),
    }
    if (before && sentence.end - before.start <= maxPairLength) {
      const both = [...before.inside, ...words]
      const main = before.score > one.score ? before : one
      const isShort = both.length > 0 && main.end - main.start < shortSentence
      const joined = scoreOf(both, index === 1 ? above : context, measures)
      const score = isShort
        ? joined * (main === before ? nextSentenceBonus : previousSentenceBonus)
        : joined - pairCost * main.score
      if (joined > 0) yield { ...before, end: sentence.end, inside: both, score }
    }
    if (one.score > 0) yield one
    before = one
  }
}
