import { analyseInSteps } from '../text/words/analyse.ts'
import type { Query } from './parse-query.ts'
import { stripMarkdown, stripMarkdownInSteps } from './strip-markdown.ts'

const targetLength = 200
/** Occurrences between two steps. */
const occurrencesPerStep = 256

interface TermOccurrence {
  start: number
  end: number
  concept: number
}

/**
 * About 200 characters of a page around the passage with most of the query, without markup and line breaks, in steps.
 * Null when the page has none of its words.
 */
export function* makeSnippet(markdown: string, query: Query): Generator<void, string | null> {
  const { text } = yield* stripMarkdownInSteps(markdown)
  const occurrences = yield* findOccurrences(text, query)
  const [first, last] = yield* bestPassage(occurrences, query)
  if (!first || !last) return null
  return excerpt(text, first.start, last.end)
}

/** The beginning of a page as a snippet, for a page found by its chapter title. */
export function makeOpening(markdown: string): string {
  const { text } = stripMarkdown(markdown)
  return excerpt(text, 0, 0)
}

function* findOccurrences(text: string, { concepts }: Query): Generator<void, TermOccurrence[]> {
  const byTerm = new Map<string, number>()
  for (const [at, { terms, phraseOnly }] of concepts.entries()) {
    for (const term of terms) if (!phraseOnly || !byTerm.has(term)) byTerm.set(term, at)
  }
  const occurrences: TermOccurrence[] = []
  yield* analyseInSteps(text, ({ term, start, end }) => {
    const concept = byTerm.get(term)
    if (concept !== undefined) occurrences.push({ start, end, concept })
  })
  return occurrences.sort((a, b) => a.start - b.start)
}

/** The first and last word of the passage with the most different words; among those, the densest. */
function* bestPassage(
  occurrences: readonly TermOccurrence[],
  { concepts }: Query,
): Generator<void, (TermOccurrence | undefined)[]> {
  let best: { from: number; to: number; score: number } | null = null
  let from = 0
  const inside = new Map<number, number>()
  /** Neighbouring pairs of different words between `from` and `to`. */
  let pairs = 0
  for (const [to, occurrence] of occurrences.entries()) {
    if (to % occurrencesPerStep === 0) yield
    inside.set(occurrence.concept, (inside.get(occurrence.concept) ?? 0) + 1)
    if (to > from && areNeighbours(occurrences, to)) pairs++
    while (occurrence.end - (occurrences[from] as TermOccurrence).start > targetLength) {
      if (from < to && areNeighbours(occurrences, from + 1)) pairs--
      const { concept } = occurrences[from] as TermOccurrence
      const remaining = (inside.get(concept) as number) - 1
      if (remaining === 0) inside.delete(concept)
      else inside.set(concept, remaining)
      from++
    }
    let score = 0
    for (const [concept, count] of inside)
      score += (concepts[concept]?.phraseOnly ? 0.2 : 1) + Math.min(0.3, count * 0.05)
    score += 0.25 * pairs
    if (!best || score > best.score) best = { from, to, score }
  }
  return best ? [occurrences[best.from], occurrences[best.to]] : []
}

/** True when an occurrence follows the one before it directly and is of another word. */
function areNeighbours(occurrences: readonly TermOccurrence[], at: number): boolean {
  const [one, other] = [occurrences[at - 1] as TermOccurrence, occurrences[at] as TermOccurrence]
  return one.concept !== other.concept && other.start - one.end <= 2
}

/** Text around a passage, cut between words where the script has spaces, with an ellipsis for omitted text. */
function excerpt(text: string, start: number, end: number): string {
  const spare = Math.max(0, targetLength - (end - start))
  let from = Math.max(0, start - Math.ceil(spare / 3))
  const to = Math.min(text.length, Math.min(from, start) + Math.max(targetLength, end - start))
  from = Math.max(0, Math.min(from, to - targetLength))
  const head = from === 0 ? 0 : afterBreak(text, from, start)
  const tail = to === text.length ? to : beforeBreak(text, to, end)
  const body = text.slice(head, tail).replaceAll(/\s+/g, ' ').trim()
  return `${head > 0 ? '… ' : ''}${body}${tail < text.length ? ' …' : ''}`
}

const maxBreakDistance = 30

function afterBreak(text: string, from: number, limit: number): number {
  const found = /\s/.exec(text.slice(from, Math.min(limit, from + maxBreakDistance)))
  return found ? from + found.index + 1 : characterStart(text, from)
}

function beforeBreak(text: string, to: number, limit: number): number {
  const found = /\s\S*$/.exec(text.slice(Math.max(limit, to - maxBreakDistance), to))
  return found ? to - found[0].length : characterStart(text, to)
}

/** The last offset at or before `at` that splits neither a surrogate pair nor a combining sequence. */
function characterStart(text: string, at: number): number {
  let start = at
  while (start > 0 && /^[\udc00-\udfff\p{M}\u200d]/u.test(text.slice(start, start + 2))) start--
  return start
}
