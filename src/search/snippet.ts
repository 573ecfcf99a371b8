import { analyse } from '../text/words/analyse.ts'
import type { Query } from './parse-query.ts'
import { plainText } from './strip-markdown.ts'

const wanted = 200

interface Place {
  start: number
  end: number
  concept: number
}

/**
 * About 200 characters of a page around the passage that holds most of the query, without markup and line breaks. Null
 * when the page holds none of its words.
 */
export function makeSnippet(markdown: string, query: Query): string | null {
  const { text } = plainText(markdown)
  const places = findPlaces(text, query)
  const [first, last] = bestPassage(places, query)
  if (!first || !last) return null
  return cut(text, first.start, last.end)
}

/** The beginning of a page as a snippet: for a page that was found by the title of its chapter. */
export function openingOf(markdown: string): string {
  const { text } = plainText(markdown)
  return cut(text, 0, 0)
}

function findPlaces(text: string, { concepts }: Query): Place[] {
  const byTerm = new Map<string, number>()
  for (const [at, { terms, light }] of concepts.entries()) {
    for (const term of terms) if (!light || !byTerm.has(term)) byTerm.set(term, at)
  }
  const places: Place[] = []
  analyse(text, ({ term, start, end }) => {
    const concept = byTerm.get(term)
    if (concept !== undefined) places.push({ start, end, concept })
  })
  return places.sort((a, b) => a.start - b.start)
}

/** The first and the last word of the passage with the most different words, and of those the densest. */
function bestPassage(places: readonly Place[], { concepts }: Query): (Place | undefined)[] {
  let best: { from: number; to: number; worth: number } | null = null
  let from = 0
  const inside = new Map<number, number>()
  for (const [to, place] of places.entries()) {
    inside.set(place.concept, (inside.get(place.concept) ?? 0) + 1)
    while (place.end - (places[from] as Place).start > wanted) {
      const { concept } = places[from] as Place
      const left = (inside.get(concept) as number) - 1
      if (left === 0) inside.delete(concept)
      else inside.set(concept, left)
      from++
    }
    let worth = 0
    for (const [concept, count] of inside) worth += (concepts[concept]?.light ? 0.2 : 1) + Math.min(0.3, count * 0.05)
    for (let at = from + 1; at <= to; at++) {
      const [one, other] = [places[at - 1] as Place, places[at] as Place]
      if (one.concept !== other.concept && other.start - one.end <= 2) worth += 0.25
    }
    if (!best || worth > best.worth) best = { from, to, worth }
  }
  return best ? [places[best.from], places[best.to]] : []
}

/** Text around a passage, cut between words where the script has spaces, with an ellipsis where something is left out. */
function cut(text: string, start: number, end: number): string {
  const spare = Math.max(0, wanted - (end - start))
  let from = Math.max(0, start - Math.ceil(spare / 3))
  const to = Math.min(text.length, Math.min(from, start) + Math.max(wanted, end - start))
  from = Math.max(0, Math.min(from, to - wanted))
  const head = from === 0 ? 0 : afterBreak(text, from, start)
  const tail = to === text.length ? to : beforeBreak(text, to, end)
  const body = text.slice(head, tail).replaceAll(/\s+/g, ' ').trim()
  return `${head > 0 ? '… ' : ''}${body}${tail < text.length ? ' …' : ''}`
}

const nearestBreak = 30

function afterBreak(text: string, from: number, limit: number): number {
  const found = /\s/.exec(text.slice(from, Math.min(limit, from + nearestBreak)))
  return found ? from + found.index + 1 : wholeCharacter(text, from)
}

function beforeBreak(text: string, to: number, limit: number): number {
  const found = /\s\S*$/.exec(text.slice(Math.max(limit, to - nearestBreak), to))
  return found ? to - found[0].length : wholeCharacter(text, to)
}

/** The next place at or before `at` that is not inside a surrogate pair or before a mark of the character it follows. */
function wholeCharacter(text: string, at: number): number {
  let place = at
  while (place > 0 && /^[\udc00-\udfff\p{M}\u200d]/u.test(text.slice(place, place + 2))) place--
  return place
}
