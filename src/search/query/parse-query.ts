import { fold } from '../../text/words/fold.ts'
import { defaultLanguage, type Language } from '../../text/words/languages.ts'
import type { Token } from '../../text/words/token.ts'
import { prefixEndsOf, readSyntax, type ExcludedText, type MisspeltFilter, type QueryFilter } from './query-syntax.ts'
import { countWords, tokenizeQuery, type QueryToken } from './tokenize-query.ts'
import { fieldBits } from '../words/term-counts.ts'
import { termHash } from '../words/term-hash.ts'
import { isToneless } from '../../text/words/terms.ts'
import { alternativesOf, hasTones, type Alternative } from '../words/word-alternatives.ts'

/** A word of a query, with its alternatives. */
export interface Concept {
  /** Alternatives: the word in each language of the books, and other spellings of it. */
  terms: string[]
  hashes: number[]
  /** The languages of the texts in which each term is looked for; null: all. Missing: all languages for all terms. */
  termLanguages?: (ReadonlySet<Language> | null)[]
  /** The weight of each term, from 0 to 1. Missing: all weights are 1. */
  weights?: number[]
  /** The word before stemming, folded like the words of word lists. */
  word: string
  /** True if it matches all words that begin with it. */
  prefix?: true
  /** Words of the library that may have been meant, if it is a typo; the most likely first. Missing: not looked up. */
  corrections?: string[]
  /** The position of the word in the query. */
  position: number
  /** True if it counts only as part of a phrase. */
  phraseOnly: boolean
  /** How often the query contains the word. Pairs of characters that overlap count less: as much as pairs that do not. */
  count: number
  /** True if it is only used in a filter or an exclusion: other spellings do not match it. */
  exact?: true
  /** True for two characters of a script without spaces. Pairs at adjacent positions share a character. */
  pair?: true
}

/** Words that must be adjacent, as indexes of concepts, and the distance of each from the first. */
export interface Phrase {
  concepts: number[]
  offsets: number[]
}

/** Words of a filter by title or author: the field of a book must have all of them, or must not have all of them. */
export interface RequiredWords {
  concepts: number[]
  /** The field, from `fieldBits`. */
  field: number
  isExcluded: boolean
}

export interface Query {
  /** The languages of the searched books, the most frequent first. */
  languages: readonly Language[]
  concepts: Concept[]
  phrases: Phrase[]
  /** Half of the number of concepts, without phrase-only ones. A page with at least this many matches well. */
  manyMatches: number
  /** Words and phrases that a page must not have. */
  excluded: Phrase[]
  filters: QueryFilter[]
  /** The words of the filters by title and author. */
  required: RequiredWords[]
  /** Text that looks like a date filter but has no valid date. */
  undated: string[]
  /** Text that looks like a filter with a mistake in its name. */
  misspelt: MisspeltFilter[]
}

/** The maximum number of words in a query, and of words in its phrases. Ranking selects fewer. */
const maxConcepts = 128
const maxPhraseConcepts = 32
const maxExcluded = 16
/** The maximum number of words of one filter. */
const maxRequired = 16

/** A text with more words than this is a sentence. Its neighbouring words are not joined, and what it quotes need not be on a page. */
const maxWordsOfSearch = 6

/**
 * Parses a query for books in some languages: words, quoted phrases, and the syntax of `query-syntax.ts`. Everything else is plain text.
 * `additionalFilters` are those that are given in addition to the filters in the text.
 */
export function parseQuery(
  text: string,
  languages: readonly Language[] = [defaultLanguage],
  additionalFilters: readonly QueryFilter[] = [],
): Query {
  const {
    plain,
    unquoted,
    prefixEnds,
    phrases: quoted,
    excluded: excludedTexts,
    filters: written,
    undated,
    misspelt,
  } = readSyntax(text)
  const filters = [...written, ...additionalFilters]
  const draft: QueryDraft = { concepts: [], phrases: [], languages, hasTones: hasTones(text, languages) }
  const { concepts, phrases } = draft
  const excluded = addExcluded(draft, excludedTexts)
  const required = addRequired(draft, filters)
  const words = tokenizeQuery(plain, languages, prefixEnds)
  const isSentence = quoted.length > 0 && countWords(words) > maxWordsOfSearch
  if (!isSentence) for (const phrase of quoted) addPhrase(draft, tokenizeQuery(phrase, languages))
  addWords(draft, isSentence ? tokenizeQuery(unquoted, languages, prefixEnds) : words)
  const counted = concepts.filter(({ phraseOnly }) => !phraseOnly)
  const onlyInPhrases = concepts.filter(({ exact }) => !exact)
  if (counted.length === 0) for (const concept of onlyInPhrases) concept.phraseOnly = false
  const manyMatches = Math.ceil((counted.length || onlyInPhrases.length) / 2)
  return { languages, concepts, phrases, manyMatches, excluded, filters, required, undated, misspelt }
}

/** Returns the filters in a query, then those that are given in addition, without analysing its words. */
export function filtersInQuery(text: string, additionalFilters: readonly QueryFilter[]): QueryFilter[] {
  return [...readSyntax(text).filters, ...additionalFilters]
}

/** True if a query has a word or a phrase to search for. */
export function hasWords({ concepts }: Query): boolean {
  return concepts.some(({ phraseOnly }) => !phraseOnly)
}

/** Returns the query with the words of its phrases as ordinary words. */
export function withoutPhrases(query: Query): Query {
  return { ...query, phrases: [] }
}

interface QueryDraft extends Pick<Query, 'concepts' | 'phrases' | 'languages'> {
  /** True if words without Vietnamese tones match no words with them. */
  hasTones: boolean
}

/** Returns the terms that a word of the query matches. `others` are spellings that join it with its neighbours. */
function termsOf(
  word: string,
  others: readonly string[],
  { languages, hasTones: areExact }: QueryDraft,
): Alternative[] {
  const terms = alternativesOf(word, others, languages)
  return areExact ? terms.filter(({ term }) => !isToneless(term)) : terms
}

function addPhrase(draft: QueryDraft, tokens: readonly QueryToken[]): void {
  const { concepts, phrases } = draft
  const parts = tokens.filter(isPlain)
  if (parts.length === 0 || concepts.length + parts.length > maxPhraseConcepts) return
  const phrase = toPhrase(draft, parts, ({ stop }) => ({ phraseOnly: stop }))
  const name = JSON.stringify(phrase)
  if (!phrases.some((known) => JSON.stringify(known) === name)) phrases.push(phrase)
}

type ConceptMarks = Pick<Concept, 'phraseOnly' | 'exact'>

function isPlain({ kind }: Token): boolean {
  return kind === 'word' || kind === 'bigram' || kind === 'unigram'
}

function toPhrase(
  draft: QueryDraft,
  parts: readonly QueryToken[],
  marksOf: (token: QueryToken) => ConceptMarks,
): Phrase {
  const first = parts[0]?.position ?? 0
  return {
    concepts: parts.map((token) =>
      addConcept(draft.concepts, token, { terms: termsOf(token.word, [], draft), ...marksOf(token) }),
    ),
    offsets: parts.map(({ position }) => position - first),
  }
}

/** Adds the exclusions: a word with all its spellings, a phrase as a whole. They do not affect the ranking. */
function addExcluded(draft: QueryDraft, excludedTexts: readonly ExcludedText[]): Phrase[] {
  const marks = { phraseOnly: true, exact: true } as const
  return excludedTexts.flatMap(({ text, isPhrase, prefixEnds }) => {
    const tokens = tokenizeQuery(text, draft.languages, prefixEnds)
    const parts = tokens.filter(isPlain)
    const spellings = isPhrase ? [] : tokens.filter((token) => !isPlain(token))
    if (parts.length === 0 || draft.concepts.length + tokens.length > maxExcluded) return []
    return [parts, ...spellings.map((token) => [token])].map((one) => toPhrase(draft, one, () => marks))
  })
}

/** Adds the words of the filters by title and author. They affect neither the ranking nor which pages match. */
function addRequired(draft: QueryDraft, filters: readonly QueryFilter[]): RequiredWords[] {
  const marks = { phraseOnly: true, exact: true } as const
  return filters.flatMap(({ name, value, isExcluded }) => {
    if (name !== 'title' && name !== 'author') return []
    const text = value.normalize('NFC')
    const parts = tokenizeQuery(text, draft.languages, prefixEndsOf(text)).filter(isPlain)
    const places = toPhrase(draft, parts.slice(0, maxRequired), () => marks).concepts
    return [{ concepts: places, field: fieldBits[name], isExcluded }]
  })
}

function covers(one: Token, other: Token): boolean {
  return one.start <= other.start && other.end <= one.end
}

function addWords(draft: QueryDraft, tokens: readonly QueryToken[]): void {
  const { concepts } = draft
  const joined = tokens.filter(({ kind }) => kind === 'compound')
  const names = tokens.filter(({ kind }) => kind === 'name')
  const parts = tokens.filter(
    (token) => token.kind !== 'compound' && !(token.kind === 'word' && names.some((name) => covers(name, token))),
  )
  const significant = parts.filter(({ stop }) => !stop)
  const selected = significant.length > 0 || concepts.some(({ phraseOnly }) => !phraseOnly) ? significant : parts
  const neighbours = joinNeighbours(selected)
  for (const token of selected) {
    if (concepts.length >= maxConcepts) return
    const compounds = joined.filter((compound) => covers(compound, token)).map(({ word }) => word)
    const terms: readonly Alternative[] =
      token.kind === 'name'
        ? [{ term: fold(token.word), languages: null }]
        : termsOf(token.word, [...compounds, ...(neighbours.get(token) ?? [])], draft)
    addConcept(concepts, token, { terms, phraseOnly: false })
  }
}

const minPartLength = 2
const minJoinedLength = 6

/** Joins neighbouring words, for example "file system" to "filesystem". Returns the joined words for each token. */
function joinNeighbours(tokens: readonly QueryToken[]): Map<QueryToken, string[]> {
  const joined = new Map<QueryToken, string[]>()
  if (tokens.length > maxWordsOfSearch) return joined
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1]
    if (token.kind !== 'word' || next?.kind !== 'word' || next.position !== token.position + 1) continue
    const word = token.word + next.word
    if (Math.min(token.word.length, next.word.length) < minPartLength || word.length < minJoinedLength) continue
    for (const each of [token, next]) joined.set(each, [...(joined.get(each) ?? []), word])
  }
  return joined
}

/** Adds a concept and returns its index. A repeated word shares one concept. */
function addConcept(
  concepts: Concept[],
  { position, prefix, word, kind, share }: QueryToken,
  { terms: alternatives, phraseOnly, exact }: ConceptMarks & { terms: readonly Alternative[] },
): number {
  const { terms, hashes, termLanguages } = matchesOf(alternatives)
  const name = terms.join(' ')
  const existing = concepts.findIndex((concept) => concept.terms.join(' ') === name && !concept.prefix === !prefix)
  if (existing >= 0) {
    const concept = concepts[existing] as Concept
    if (!phraseOnly && !concept.phraseOnly) concept.count += share
    concept.phraseOnly &&= phraseOnly
    if (!exact) delete concept.exact
    return existing
  }
  const pair: Pick<Concept, 'pair'> = kind === 'bigram' ? { pair: true } : {}
  const marks = { ...(prefix ? { prefix } : {}), ...(exact ? { exact } : {}), ...pair }
  const concept = { terms, hashes, termLanguages, word: fold(word), position, phraseOnly, count: share, ...marks }
  return concepts.push(concept) - 1
}

/** Returns what a concept with these terms matches. */
export function matchesOf(
  alternatives: readonly Alternative[],
): Required<Pick<Concept, 'terms' | 'hashes' | 'termLanguages'>> {
  const terms = alternatives.map(({ term }) => term)
  return { terms, hashes: terms.map(termHash), termLanguages: alternatives.map(({ languages }) => languages) }
}
