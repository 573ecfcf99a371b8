import { parseQuery } from '../../search/parse-query.ts'
import { analyse } from '../../text/words/analyse.ts'

const maxMarks = 500
const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }
const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/**
 * Marks the words of a search in sanitised HTML, as the search found them: in any inflection, and phrases as one, small
 * words in them too. Leaves formulas alone.
 */
export function markWords(html: string, query: string): string {
  const searched = readQuery(query)
  if (searched.words.size === 0) return html
  let marks = 0
  let inMath = false
  return html.replaceAll(/<[^>]*>|[^<]+/g, (piece) => {
    if (piece.startsWith('<')) {
      if (piece.startsWith('<math')) inMath = true
      else if (piece === '</math>') inMath = false
      return piece
    }
    if (inMath || marks >= maxMarks) return piece
    const marked = markText(decodeEntities(piece), searched, { most: maxMarks - marks, isFirst: marks === 0 })
    marks += marked.count
    return marked.count === 0 ? piece : marked.html
  })
}

/** Plain text as HTML, with the words of a search marked. */
export function markPlainText(text: string, query: string): string {
  return markText(text, readQuery(query), { most: maxMarks, isFirst: false }).html
}

/** What of a query is marked. */
interface Searched {
  /** Terms that are marked wherever they stand. */
  words: ReadonlySet<string>
  /** The terms of each phrase, with their distances from the first. */
  phrases: { terms: string[]; offsets: number[] }[]
}

function readQuery(query: string): Searched {
  const { concepts, phrases } = parseQuery(query)
  return {
    words: new Set(concepts.flatMap(({ terms, phraseOnly }) => (phraseOnly ? [] : terms))),
    phrases: phrases.map(({ concepts: places, offsets }) => ({
      terms: places.map((place) => concepts[place]?.terms[0] ?? ''),
      offsets,
    })),
  }
}

interface MarkOptions {
  /** Marks that may still be made. */
  most: number
  /** The first mark of the page gets an id, so that a link can lead to it. */
  isFirst: boolean
}

function markText(text: string, searched: Searched, { most, isFirst }: MarkOptions): { html: string; count: number } {
  const found = findSearched(text, searched)
  const parts: string[] = []
  let [at, count] = [0, 0]
  for (const { start, end } of found) {
    if (start < at || count >= most) continue
    parts.push(
      escapeText(text.slice(at, start)),
      count === 0 && isFirst ? '<mark id="p-mark">' : '<mark>',
      escapeText(text.slice(start, end)),
      '</mark>',
    )
    at = end
    count++
  }
  parts.push(escapeText(text.slice(at)))
  return { html: parts.join(''), count }
}

interface Span {
  start: number
  end: number
}

/** Where the words and phrases stand, from left to right; of two that begin together the longer first. */
function findSearched(text: string, { words, phrases }: Searched): Span[] {
  const inPhrases = new Set(phrases.flatMap(({ terms }) => terms))
  const found: Span[] = []
  const placeOf = new Map<string, Span>()
  const positions = new Map<string, number[]>()
  analyse(text, ({ term, start, end, position }) => {
    if (words.has(term)) found.push({ start, end })
    if (!inPhrases.has(term)) return
    placeOf.set(`${position} ${term}`, { start, end })
    const known = positions.get(term)
    if (known) known.push(position)
    else positions.set(term, [position])
  })
  for (const { terms, offsets } of phrases) {
    for (const position of positions.get(terms[0] ?? '') ?? []) {
      const spans = terms.map((term, at) => placeOf.get(`${position + (offsets[at] ?? 0)} ${term}`))
      const [first, last] = [spans[0], spans.at(-1)]
      if (first && last && !spans.includes(undefined)) found.push({ start: first.start, end: last.end })
    }
  }
  return found.sort((a, b) => a.start - b.start || b.end - a.end)
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot);/g, (entity) => entities[entity] ?? entity)
}

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? character)
}
