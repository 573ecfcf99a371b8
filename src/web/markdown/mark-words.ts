import { parseQuery, type Phrase } from '../../search/query/parse-query.ts'
import { createWordFinder } from '../../search/query/query-words.ts'
import { analyse } from '../../text/words/analyse.ts'
import { detectLanguage } from '../../text/words/detect-language.ts'
import { defaultLanguage } from '../../text/words/languages.ts'
import type { Token } from '../../text/words/token.ts'

const maxMarks = 500
/** Number of characters used to detect the language of a text. */
const sampleLength = 4000
const entities: ReadonlyMap<string, string> = new Map(
  Object.entries({ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }),
)
const escapes: ReadonlyMap<string, string> = new Map(
  Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }),
)

/**
 * Marks the words of a search in sanitised HTML in the way the search matches them: in any inflection, and phrases as a
 * unit, including their small words. Leaves formulas unchanged.
 */
export function markWords(html: string, query: string): string {
  if (query.trim() === '') return html
  // The letters of formulas would be taken for words, such as the Czech `s` and `i`.
  const sample = html.slice(0, sampleLength * 2).replaceAll(/<math\b[^]*?<\/math>|<[^>]*>/g, ' ')
  const searched = readQuery(query, sample)
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

/** Escapes plain text to HTML and marks the words of a search. */
export function markPlainText(text: string, query: string): string {
  return markText(text, readQuery(query, text), { most: maxMarks, isFirst: false }).html
}

/** The part of a query that is marked. */
interface Searched {
  /** Returns the index of the query word that a word of the text matches, if any. */
  find(token: Token): number | undefined
  /** Indexes of words that are marked everywhere. */
  words: ReadonlySet<number>
  /** The words of each phrase, with their distances from the first. */
  phrases: readonly Phrase[]
}

/** Analyses the query in the language of the text, and in English. */
function readQuery(query: string, text: string): Searched {
  const languages = [...new Set([detectLanguage(text.slice(0, sampleLength), null), defaultLanguage])]
  const { concepts, phrases } = parseQuery(query, languages)
  const words = new Set<number>()
  for (const [at, { phraseOnly }] of concepts.entries()) if (!phraseOnly) words.add(at)
  return { find: createWordFinder({ concepts, languages }), words, phrases }
}

interface MarkOptions {
  /** Number of marks that may still be made. */
  most: number
  /** True until the first mark of the page, which gets an id for links. */
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

/** The ranges of words and phrases, from left to right; of two that begin together, the longer comes first. */
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
  return text.replaceAll(/&(?:amp|lt|gt|quot);/g, (entity) => entities.get(entity) ?? entity)
}

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => escapes.get(character) ?? character)
}
