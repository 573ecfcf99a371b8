import { parseQuery, type Phrase } from '../../search/parse-query.ts'
import { createWordFinder } from '../../search/query-words.ts'
import { analyse } from '../../text/words/analyse.ts'
import { detectLanguage } from '../../text/words/detect-language.ts'
import { defaultLanguage } from '../../text/words/languages.ts'
import type { Token } from '../../text/words/token.ts'

const maxMarks = 500
/** Characters by which the language of a text is told. */
const sampleLength = 4000
const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }
const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/**
 * Marks the words of a search in sanitised HTML, as the search found them: in any inflection, and phrases as one, small
 * words in them too. Leaves formulas alone.
 */
export function markWords(html: string, query: string): string {
  if (query.trim() === '') return html
  const searched = readQuery(query, html.slice(0, sampleLength * 2).replaceAll(/<[^>]*>/g, ' '))
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
  return markText(text, readQuery(query, text), { most: maxMarks, isFirst: false }).html
}

/** What of a query is marked. */
interface Searched {
  /** Which word of the query a word of the text is. */
  find(token: Token): number | undefined
  /** Words that are marked wherever they stand. */
  words: ReadonlySet<number>
  /** The words of each phrase, with their distances from the first. */
  phrases: readonly Phrase[]
}

/** The query in the language of the text, and in English. */
function readQuery(query: string, text: string): Searched {
  const languages = [...new Set([detectLanguage(text.slice(0, sampleLength), null), defaultLanguage])]
  const { concepts, phrases } = parseQuery(query, languages)
  const words = new Set<number>()
  for (const [at, { phraseOnly }] of concepts.entries()) if (!phraseOnly) words.add(at)
  return { find: createWordFinder({ concepts, languages }), words, phrases }
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
function findSearched(text: string, { find, words, phrases }: Searched): Span[] {
  const found: Span[] = []
  const placeOf = new Map<string, Span>()
  const positions = new Map<number, number[]>()
  analyse(text, (token) => {
    const word = find(token)
    if (word === undefined) return
    const { start, end, position } = token
    if (words.has(word)) found.push({ start, end })
    placeOf.set(`${position} ${word}`, { start, end })
    const known = positions.get(word)
    if (known) known.push(position)
    else positions.set(word, [position])
  })
  for (const { concepts, offsets } of phrases) {
    for (const position of positions.get(concepts[0] ?? -1) ?? []) {
      const spans = concepts.map((word, at) => placeOf.get(`${position + (offsets[at] ?? 0)} ${word}`))
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
