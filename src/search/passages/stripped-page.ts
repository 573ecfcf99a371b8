import { LRUCache } from 'lru-cache'
import { analyseInSteps } from '../../text/words/analyse.ts'
import type { Token } from '../../text/words/token.ts'
import { isPlainKind, type SeenWord } from '../query/did-you-mean.ts'
import type { Occurrence } from './excerpt.ts'
import type { Query } from '../query/parse-query.ts'
import { createWordFinder, type WordFinder } from '../query/query-words.ts'
import { stripMarkdownInSteps, type Block } from '../words/strip-markdown.ts'
import { createWordFilter, type SkipsWord } from './word-filter.ts'
import { createWordSkip, type SkipWords } from './word-skip.ts'

/** A page without its markup. Passages for any query are taken from it. */
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

/** How to find the words of a query in a text. */
export interface WordSearch {
  find: WordFinder
  /** True for words that need not be looked up. Null: every word is looked up, and positions are those of the text. */
  skipsWord: SkipsWord | null
  /** Skips most of these words without scanning them one by one; null like `skipsWord`. */
  skip: SkipWords | null
}

/** Prepares finding the words of a query in texts. */
export function searchWords(query: Query): WordSearch {
  const find = createWordFinder(query)
  return { find, skipsWord: createWordFilter(query), skip: createWordSkip(query, find) }
}

/** Returns the occurrences of a query's words on a page, in text order, in steps. */
export function* occurrencesOn(
  { text }: StrippedPage,
  { find, skipsWord, skip }: WordSearch,
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
    ...(skipsWord && { skipsWord }),
    ...(skip && { skip }),
  })
  return isInOrder ? occurrences : occurrences.sort((a, b) => a.start - b.start)
}

interface PageWord extends Pick<Token, 'word' | 'term'>, SeenWord {}

/** Returns the different words of a page, each with one of its terms, in steps. Omits the words that `skip` skips. */
export function* wordsOn({ text }: StrippedPage, skip: SkipWords | null = null): Generator<void, PageWord[]> {
  const words = new Map<string, PageWord>()
  const visit = ({ word, term, kind }: Token) => {
    const name = `${word} ${term}`
    if (!words.has(name)) words.set(name, { word, term, isPlain: isPlainKind(kind) })
  }
  yield* analyseInSteps(text, { visit, ...(skip && { skip }) })
  return [...words.values()]
}

/**
 * A cache of pages without their markup. The key is the object that holds the text, so a page that is read from the store again has a new
 * key.
 */
export interface StrippedPages {
  get(page: object): StrippedPage | undefined
  keep(page: object, stripped: StrippedPage): void
}

/** Enough for about 4,000 pages of 2,000 characters in western languages, or half as many in other languages. */
const maxCachedBytes = 24 * 1024 * 1024
const bytesPerBlock = 64

/** Creates a cache of limited size for pages without their markup. */
export function createStrippedPages(): StrippedPages {
  const cache = new LRUCache<object, StrippedPage>({ maxSize: maxCachedBytes, sizeCalculation: sizeOf })
  return {
    get: (page) => cache.get(page),
    keep: (page, stripped) => void cache.set(page, stripped),
  }
}

const nonLatin1 = /[^\0-\xff]/

/**
 * Returns the size of a page in bytes, including its stored text. V8 takes one byte per character for text in Latin-1, two for other text.
 */
function sizeOf({ text, blocks }: StrippedPage): number {
  return 1000 + text.length * (nonLatin1.test(text) ? 4 : 2) + blocks.length * bytesPerBlock
}
