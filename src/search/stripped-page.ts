import { LRUCache } from 'lru-cache'
import { analyseInSteps } from '../text/words/analyse.ts'
import type { Token } from '../text/words/token.ts'
import { isPlainKind, type SeenWord } from './did-you-mean.ts'
import type { Occurrence } from './excerpt.ts'
import type { Query } from './parse-query.ts'
import { createWordFinder, type WordFinder } from './query-words.ts'
import { stripMarkdownInSteps, type Block } from './strip-markdown.ts'
import { createWordFilter, type PassesOver } from './word-filter.ts'
import { createWordSkip, type SkipWords } from './word-skip.ts'

/** A page without its markup: what passages for any query are found in. */
export interface StrippedPage {
  text: string
  blocks: readonly Block[]
}

/** Removes the markup of a page in Markdown, in steps. */
export function* stripPage(markdown: string): Generator<void, StrippedPage> {
  const blocks: Block[] = []
  const { text } = yield* stripMarkdownInSteps(markdown, blocks)
  return { text, blocks }
}

/** How the words of a query are found in a text. */
export interface WordSearch {
  find: WordFinder
  /** The words that need not be looked up; null: all are, and positions are those of the text. */
  passesOver: PassesOver | null
  /** Skips most of these at once; null like `passesOver`. */
  skip: SkipWords | null
}

/** How the words of a query are found. */
export function searchWords(query: Query): WordSearch {
  const find = createWordFinder(query)
  return { find, passesOver: createWordFilter(query), skip: createWordSkip(query, find) }
}

/** The words of a query on a page, in the order of the text, in steps. */
export function* occurrencesOn(
  { text }: StrippedPage,
  { find, passesOver, skip }: WordSearch,
): Generator<void, Occurrence[]> {
  const occurrences: Occurrence[] = []
  let isInOrder = true
  let last = 0
  const add = (occurrence: Occurrence) => {
    occurrences.push(occurrence)
    if (occurrence.start < last) isInOrder = false
    last = occurrence.start
  }
  yield* analyseInSteps(text, {
    visit(token) {
      const concept = find(token)
      const { start, end, position } = token
      if (concept !== undefined) add({ start, end, concept, position })
    },
    plain({ raw, word, terms }, position, start) {
      const concept = find({ word, term: terms[0] as string })
      if (concept !== undefined) add({ start, end: start + raw.length, concept, position })
    },
    ...(passesOver && { passesOver }),
    ...(skip && { skip }),
  })
  return isInOrder ? occurrences : occurrences.sort((a, b) => a.start - b.start)
}

interface PageWord extends Pick<Token, 'word' | 'term'>, SeenWord {}

/** The different words of a page, each with one of its terms, in steps; those that `skip` moves over left out. */
export function* wordsOn({ text }: StrippedPage, skip: SkipWords | null = null): Generator<void, PageWord[]> {
  const words = new Map<string, PageWord>()
  const visit = ({ word, term, kind }: Token) => {
    const name = `${word} ${term}`
    if (!words.has(name)) words.set(name, { word, term, isPlain: isPlainKind(kind) })
  }
  yield* analyseInSteps(text, { visit, ...(skip && { skip }) })
  return [...words.values()]
}

/** Pages without their markup, by the object that holds their text: a page that is read from the store anew is another one. */
export interface StrippedPages {
  get(page: object): StrippedPage | undefined
  keep(page: object, stripped: StrippedPage): void
}

/** About 4,000 pages of 2,000 characters of western languages, half as many of others. */
const maxCachedBytes = 24 * 1024 * 1024
const bytesPerBlock = 64

/** Creates a place for pages without their markup, of a bounded size. */
export function createStrippedPages(): StrippedPages {
  const cache = new LRUCache<object, StrippedPage>({ maxSize: maxCachedBytes, sizeCalculation: weightOf })
  return {
    get: (page) => cache.get(page),
    keep: (page, stripped) => void cache.set(page, stripped),
  }
}

const beyondLatin = /[^\0-\xff]/

/** The bytes of a page, with its text as it is stored. V8 takes one byte for a character of a text in Latin-1, two for others. */
function weightOf({ text, blocks }: StrippedPage): number {
  return 1000 + text.length * (beyondLatin.test(text) ? 4 : 2) + blocks.length * bytesPerBlock
}
