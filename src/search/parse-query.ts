import { analyse, type Token } from '../text/words/analyse.ts'
import { fold } from '../text/words/fold.ts'
import { stopWords } from '../text/words/stop-words.ts'
import { termHash } from './term-hash.ts'

/** One search word. */
export interface Concept {
  /** Alternatives: the word itself and the compound that contains it. */
  terms: string[]
  hashes: number[]
  /** Position in the query. */
  position: number
  /** Counts only as part of a phrase. */
  phraseOnly: boolean
  /** How often the query has the word. */
  count: number
}

/** Words that must be adjacent: concepts, and the distance of each from the first. */
export interface Phrase {
  concepts: number[]
  offsets: number[]
}

export interface Query {
  concepts: Concept[]
  phrases: Phrase[]
  /** Half of the concepts, without phrase-only ones: a page with so many is one that matches well. */
  manyMatches: number
}

const maxConcepts = 32
/** Not « » and 「 」, which quote names and titles in ordinary questions. */
const quotedPattern = /["“”„]([^"“”„]*)["“”„]/g

/** Parses a query of words and quoted phrases. There is no other syntax: everything else is plain text. */
export function parseQuery(text: string): Query {
  const concepts: Concept[] = []
  const phrases: Phrase[] = []
  const plain = text.normalize('NFC').replaceAll(quotedPattern, (whole, phrase: string) => {
    addPhrase({ concepts, phrases }, tokenizeQuery(phrase))
    // Replaced by spaces, so that words keep their positions and separate words are not joined.
    return ' '.repeat(whole.length)
  })
  addWords(concepts, tokenizeQuery(plain))
  const counted = concepts.filter(({ phraseOnly }) => !phraseOnly)
  if (counted.length === 0) for (const concept of concepts) concept.phraseOnly = false
  return { concepts, phrases, manyMatches: Math.ceil((counted.length || concepts.length) / 2) }
}

/** The same query with the words of its phrases as ordinary words. */
export function withoutPhrases({ concepts, manyMatches }: Query): Query {
  return { concepts, phrases: [], manyMatches }
}

interface QueryToken extends Token {
  stop: boolean
}

/** The tokens of a query. A single character counts only when no bigram covers it. */
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
  const phrase = {
    concepts: parts.map((token) => addConcept(concepts, token, { terms: [token.term], phraseOnly: token.stop })),
    offsets: parts.map(({ position }) => position - first.position),
  }
  const name = JSON.stringify(phrase)
  if (!phrases.some((known) => JSON.stringify(known) === name)) phrases.push(phrase)
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

/** Adds a concept; a repeated word gives the same concept. */
function addConcept(
  concepts: Concept[],
  { position }: Token,
  { terms, phraseOnly }: Pick<Concept, 'terms' | 'phraseOnly'>,
): number {
  const existing = concepts.findIndex((concept) => concept.terms.join(' ') === terms.join(' '))
  if (existing >= 0) {
    const concept = concepts[existing] as Concept
    if (!phraseOnly && !concept.phraseOnly) concept.count += 1
    concept.phraseOnly &&= phraseOnly
    return existing
  }
  return concepts.push({ terms, hashes: terms.map(termHash), position, phraseOnly, count: 1 }) - 1
}
