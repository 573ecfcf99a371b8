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
  phraseOnly: boolean
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
  minimumMatches: number
}

const maxConcepts = 32
const quotedPattern = /["“”„«»「」『』]([^"“”„«»「」『』]*)["“”„«»「」『』]/g

/** Reads a query: words, and phrases in quotes. Everything else that may stand there is text without a meaning. */
export function parseQuery(text: string): Query {
  const concepts: Concept[] = []
  const phrases: Phrase[] = []
  const plain = text.normalize('NFC').replaceAll(quotedPattern, (whole, phrase: string) => {
    addPhrase({ concepts, phrases }, tokenizeQuery(phrase))
    // Blanked, so that words keep their order and what stands apart is not joined.
    return ' '.repeat(whole.length)
  })
  addWords(concepts, tokenizeQuery(plain))
  const counted = concepts.filter(({ phraseOnly }) => !phraseOnly)
  if (counted.length === 0) for (const concept of concepts) concept.phraseOnly = false
  return { concepts, phrases, minimumMatches: Math.ceil((counted.length || concepts.length) / 2) }
}

interface QueryToken extends Token {
  stop: boolean
}

/** The tokens of a query: a single character only where it has no neighbour to make a pair with. */
function tokenizeQuery(text: string): QueryToken[] {
  const tokens: QueryToken[] = []
  const paired = new Set<number>()
  analyse(text, (token) => {
    if (token.kind === 'bigram') for (let at = token.start; at < token.end; at++) paired.add(at)
    tokens.push({ ...token, stop: stopWords.has(fold(text.slice(token.start, token.end))) })
  })
  return tokens.filter(({ kind, start }) => kind !== 'unigram' || !paired.has(start))
}

type QueryDraft = Pick<Query, 'concepts' | 'phrases'>

function addPhrase({ concepts, phrases }: QueryDraft, tokens: readonly QueryToken[]): void {
  const parts = tokens.filter(({ kind }) => kind !== 'compound')
  if (parts.length === 0 || concepts.length + parts.length > maxConcepts) return
  const first = parts[0] as QueryToken
  phrases.push({
    concepts: parts.map((token) => addConcept(concepts, token, { terms: [token.term], phraseOnly: token.stop })),
    offsets: parts.map(({ position }) => position - first.position),
  })
}

function addWords(concepts: Concept[], tokens: readonly QueryToken[]): void {
  const joined = tokens.filter(({ kind }) => kind === 'compound')
  const parts = tokens.filter(({ kind }) => kind !== 'compound')
  const significant = parts.filter(({ stop }) => !stop)
  const selected = significant.length > 0 || concepts.some(({ phraseOnly }) => !phraseOnly) ? significant : parts
  for (const token of selected) {
    if (concepts.length >= maxConcepts) return
    const compounds = joined.filter(({ start, end }) => start <= token.start && token.end <= end)
    addConcept(concepts, token, { terms: [token.term, ...compounds.map(({ term }) => term)], phraseOnly: false })
  }
}

/** The same word twice is looked for once. */
function addConcept(
  concepts: Concept[],
  { position }: Token,
  { terms, phraseOnly }: Pick<Concept, 'terms' | 'phraseOnly'>,
): number {
  const known = concepts.findIndex((concept) => concept.terms.join(' ') === terms.join(' '))
  if (known >= 0) {
    const concept = concepts[known] as Concept
    concept.phraseOnly &&= phraseOnly
    return known
  }
  return concepts.push({ terms, hashes: terms.map(termHash), position, phraseOnly }) - 1
}
