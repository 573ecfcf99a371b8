import { LRUCache } from 'lru-cache'
import { analyseInSteps } from '../text/words/analyse.ts'
import type { Token } from '../text/words/token.ts'
import { isPlainKind, type SeenWord } from './did-you-mean.ts'
import type { Occurrence } from './excerpt.ts'
import { stripMarkdownInSteps, type Block } from './strip-markdown.ts'

/** A page without its markup, with the places of its words: what passages for any query are found by. */
export interface AnalysedPage {
  text: string
  blocks: readonly Block[]
  /** Its different words, each with one of its terms. */
  words: readonly PageWord[]
  /** For each of the words the first of its `tokens`; then their number. */
  firsts: Uint32Array
  /** The tokens of each word, by their number in the order of the text. */
  tokens: Uint32Array
  /** Start, end and position of each token, in the order of the text. */
  places: Uint32Array
}

export interface PageWord extends Pick<Token, 'word' | 'term'>, SeenWord {}

/** Analyses a page in Markdown, in steps. */
export function* analysePage(markdown: string): Generator<void, AnalysedPage> {
  const blocks: Block[] = []
  const { text } = yield* stripMarkdownInSteps(markdown, blocks)
  const words: PageWord[] = []
  const idOf = createNumbering(words)
  const [ids, places]: [number[], number[]] = [[], []]
  let isInOrder = true
  let last = 0
  yield* analyseInSteps(text, (token) => {
    const { start, end, position } = token
    ids.push(idOf(token))
    places.push(start, end, position)
    if (start < last) isInOrder = false
    last = start
  })
  yield
  return { text, blocks, words, ...(yield* (isInOrder ? groupTokens : sortTokens)(words, ids, places)) }
}

/** Numbers words with their terms in the order in which they are met, and adds them to `words`. */
function createNumbering(words: PageWord[]): (token: Token) => number {
  const byWord = new Map<string, number>()
  const byBoth = new Map<string, number>()
  return ({ word, term, kind }) => {
    const first = byWord.get(word)
    if (first !== undefined && words[first]?.term === term) return first
    // A word has a second term rarely.
    const name = `${word} ${term}`
    const known = first === undefined ? undefined : byBoth.get(name)
    if (known !== undefined) return known
    const id = words.push({ word, term, isPlain: isPlainKind(kind) }) - 1
    if (first === undefined) byWord.set(word, id)
    else byBoth.set(name, id)
    return id
  }
}

type Tokens = Pick<AnalysedPage, 'firsts' | 'tokens' | 'places'>

/** As `groupTokens`, from tokens that are not in the order of their places. */
function* sortTokens(
  words: readonly PageWord[],
  ids: readonly number[],
  places: readonly number[],
): Generator<void, Tokens> {
  const order = Array.from(ids.keys())
  order.sort((a, b) => (places[a * 3] as number) - (places[b * 3] as number))
  yield
  const sortedPlaces: number[] = []
  for (const token of order) for (let at = token * 3; at < token * 3 + 3; at++) sortedPlaces.push(places[at] as number)
  const sortedIds = order.map((token) => ids[token] as number)
  return yield* groupTokens(words, sortedIds, sortedPlaces)
}

/** A page of a megabyte has 200,000 tokens: one pass over them at a time. */
function* groupTokens(
  words: readonly PageWord[],
  ids: readonly number[],
  places: readonly number[],
): Generator<void, Tokens> {
  const firsts = new Uint32Array(words.length + 1)
  for (let token = 0; token < ids.length; token++) {
    const next = (ids[token] as number) + 1
    firsts[next] = (firsts[next] as number) + 1
  }
  for (let id = 0; id < words.length; id++) firsts[id + 1] = (firsts[id + 1] as number) + (firsts[id] as number)
  yield
  const next = firsts.slice()
  const tokens = new Uint32Array(ids.length)
  for (let token = 0; token < ids.length; token++) {
    const id = ids[token] as number
    const at = next[id] as number
    tokens[at] = token
    next[id] = at + 1
  }
  yield
  return { firsts, tokens, places: new Uint32Array(places) }
}

/** Words, or tokens, between two steps. */
const perStep = 4096

/** The words of a query on a page, in the order of the text, in steps; `find` tells which of them a word is. */
export function* occurrencesOn(
  { words, firsts, tokens, places }: AnalysedPage,
  find: (word: PageWord) => number | undefined,
): Generator<void, Occurrence[]> {
  /** For each token of the page the word of the query that it is, from 1; 0: none. */
  const concepts = new Uint16Array(tokens.length)
  let done = 0
  for (let id = 0; id < words.length; id++) {
    if (++done % perStep === 0) yield
    const concept = find(words[id] as PageWord)
    if (concept === undefined) continue
    const end = firsts[id + 1] as number
    for (let at = firsts[id] as number; at < end; at++) {
      concepts[tokens[at] as number] = concept + 1
      if (++done % perStep === 0) yield
    }
  }
  const occurrences: Occurrence[] = []
  for (let token = 0; token < concepts.length; token++) {
    const concept = concepts[token] as number
    if (concept === 0) continue
    const at = token * 3
    const [start, end, position] = [places[at], places[at + 1], places[at + 2]] as [number, number, number]
    occurrences.push({ start, end, concept: concept - 1, position })
    if (occurrences.length % perStep === 0) yield
  }
  return occurrences
}

/** Pages that were analysed, by the object that holds their text: a page that is read from the store anew is another one. */
export interface AnalysedPages {
  get(page: object): AnalysedPage | undefined
  keep(page: object, analysed: AnalysedPage): void
}

/** About 2,000 pages of 2,000 characters. */
const maxCachedBytes = 24 * 1024 * 1024
const bytesPerWord = 70

/** Creates a place for analysed pages, of a bounded size. */
export function createAnalysedPages(): AnalysedPages {
  const cache = new LRUCache<object, AnalysedPage>({ maxSize: maxCachedBytes, sizeCalculation: weightOf })
  return {
    get: (page) => cache.get(page),
    keep: (page, analysed) => void cache.set(page, analysed),
  }
}

/** The bytes of a page, with its text as it is stored. */
function weightOf({ text, blocks, words, firsts, tokens, places }: AnalysedPage): number {
  const arrays = firsts.byteLength + tokens.byteLength + places.byteLength
  return 1000 + text.length * 4 + blocks.length * 40 + words.length * bytesPerWord + arrays
}
