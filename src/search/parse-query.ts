import { analyse, type Token } from '../text/words/analyse.ts'
import { fold } from '../text/words/fold.ts'
import { stopWords } from '../text/words/stop-words.ts'
import { termHash } from './term-hash.ts'

/** One word that is looked for. */
export interface Concept {
  /** Any of these will do: the word itself, and the compound that it is a part of. */
  terms: string[]
  hashes: number[]
  /** Its place in the query. */
  position: number
  /** It counts only as a part of a phrase. */
  light: boolean
}

/** Words that must stand together: concepts, and how far each is from the first. */
export interface Phrase {
  concepts: number[]
  offsets: number[]
}

export interface Query {
  concepts: Concept[]
  phrases: Phrase[]
  /** How many concepts that are not light a book must have. */
  needed: number
}

const mostConcepts = 32
const quoted = /["“”„«»「」『』]([^"“”„«»「」『』]*)["“”„«»「」『』]/g

/** Reads a query: words, and phrases in quotes. Everything else that may stand there is text without a meaning. */
export function parseQuery(text: string): Query {
  const concepts: Concept[] = []
  const phrases: Phrase[] = []
  const plain = text.normalize('NFC').replaceAll(quoted, (whole, phrase: string) => {
    addPhrase({ concepts, phrases }, tokensOf(phrase))
    // Blanked, so that words keep their order and what stands apart is not joined.
    return ' '.repeat(whole.length)
  })
  addWords(concepts, tokensOf(plain))
  const counted = concepts.filter(({ light }) => !light)
  if (counted.length === 0) for (const concept of concepts) concept.light = false
  return { concepts, phrases, needed: Math.ceil((counted.length || concepts.length) / 2) }
}

interface Looked extends Token {
  stop: boolean
}

/** The tokens of a query: a single character only where it has no neighbour to make a pair with. */
function tokensOf(text: string): Looked[] {
  const tokens: Looked[] = []
  const paired = new Set<number>()
  analyse(text, (token) => {
    if (token.kind === 'pair') for (let at = token.start; at < token.end; at++) paired.add(at)
    tokens.push({ ...token, stop: stopWords.has(fold(text.slice(token.start, token.end))) })
  })
  return tokens.filter(({ kind, start }) => kind !== 'single' || !paired.has(start))
}

type Draft = Pick<Query, 'concepts' | 'phrases'>

function addPhrase({ concepts, phrases }: Draft, tokens: readonly Looked[]): void {
  const parts = tokens.filter(({ kind }) => kind !== 'joined')
  if (parts.length === 0 || concepts.length + parts.length > mostConcepts) return
  const first = parts[0] as Looked
  phrases.push({
    concepts: parts.map((token) => addConcept(concepts, token, { terms: [token.term], light: token.stop })),
    offsets: parts.map(({ position }) => position - first.position),
  })
}

function addWords(concepts: Concept[], tokens: readonly Looked[]): void {
  const joined = tokens.filter(({ kind }) => kind === 'joined')
  const parts = tokens.filter(({ kind }) => kind !== 'joined')
  const telling = parts.filter(({ stop }) => !stop)
  const wanted = telling.length > 0 || concepts.some(({ light }) => !light) ? telling : parts
  for (const token of wanted) {
    if (concepts.length >= mostConcepts) return
    const compounds = joined.filter(({ start, end }) => start <= token.start && token.end <= end)
    addConcept(concepts, token, { terms: [token.term, ...compounds.map(({ term }) => term)], light: false })
  }
}

/** The same word twice is looked for once. */
function addConcept(
  concepts: Concept[],
  { position }: Token,
  { terms, light }: Pick<Concept, 'terms' | 'light'>,
): number {
  const known = concepts.findIndex((concept) => concept.terms.join(' ') === terms.join(' '))
  if (known >= 0) {
    const concept = concepts[known] as Concept
    concept.light &&= light
    return known
  }
  return concepts.push({ terms, hashes: terms.map(termHash), position, light }) - 1
}
