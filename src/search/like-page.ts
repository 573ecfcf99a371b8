import type { BookAccessStores } from '../books/access.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import { openVersion } from '../reading/open-version.ts'
import { pageNotFoundError } from '../reading/page-not-found.ts'
import { previewOnlyError } from '../reading/preview-only-error.ts'
import { pageRefs, type ContentStores } from '../reading/store.ts'
import { loadPages } from '../reading/unfinished-manifest.ts'
import { runSteps, type Pacer } from '../runtime/turns.ts'
import { analyseInSteps } from '../text/words/analyse.ts'
import { fold } from '../text/words/fold.ts'
import { defaultLanguage, functionWordsOf, languageOf, type Language } from '../text/words/languages.ts'
import { loadRarities } from './ranking/match-books.ts'
import type { OpenedSource } from './ranking/open-libraries.ts'
import { matchesOf, type Concept, type Query } from './query/parse-query.ts'
import type { SearchStore } from './store.ts'
import { stripMarkdownInSteps } from './words/strip-markdown.ts'
import { alternativesOf } from './words/word-alternatives.ts'

/** A page for which a search finds similar pages. */
export interface LikedPage {
  bookId: string
  ownerId: string
  /** The version of the book that was opened. */
  version: number
  page: number
  content: string
  language: Language
}

/**
 * Opens the page named by `itemId:page`. Throws the same errors as reading: NOT_FOUND for a book or a page that does not exist, ITEM_LOCKED
 * for a locked book, FORBIDDEN beyond a preview. Charges no read, because the text is not part of the answer.
 */
export async function openLikedPage(
  ctx: Call & BookAccessStores & ContentStores & PublicAddress,
  like: string,
): Promise<LikedPage> {
  const [id = '', number] = like.split(':')
  const page = Number(number)
  const { book, manifest, lastPage } = await openVersion(ctx, id)
  const [ref] = page >= 1 ? pageRefs(manifest, page, page) : []
  if (!ref) throw pageNotFoundError(book, manifest.pageCount, `Pass like as ${id}:1 for the first one.`)
  if (page > lastPage) throw previewOnlyError(ctx, book)
  const [stored] = await loadPages(ctx, manifest, [ref])
  return {
    bookId: id,
    ownerId: book.ownerId,
    version: manifest.version,
    page,
    content: stored?.content ?? '',
    language: languageOf(book.language) ?? defaultLanguage,
  }
}

/** This much of a page is enough to find its topic, UTF-16 units. */
const maxLength = 60_000
/** The maximum number of words that are weighed: the most frequent ones of the page. */
const maxCandidates = 64
const maxWords = 20

interface PageWord {
  word: string
  count: number
  position: number
}

interface Collection {
  search: SearchStore
  sources: readonly OpenedSource[]
  languages: readonly Language[]
  pacer: Pacer
}

/** Returns the words that best describe what a page is about: frequent on the page, rare in the searched books. */
export async function bestWords(liked: LikedPage, collection: Collection): Promise<Concept[]> {
  const { search, sources, languages, pacer } = collection
  const found = await runSteps(pacer, wordsOf(liked))
  const frequent = found.sort((a, b) => b.count - a.count || b.word.length - a.word.length).slice(0, maxCandidates)
  const candidates = frequent.map((word) => toConcept(word, languages))
  const rarities = await loadRarities(search, sources, candidates)
  return candidates
    .map((concept, at) => ({ concept, weight: concept.count * (rarities[at] ?? 0) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, maxWords)
    .map(({ concept }) => concept)
    .sort((a, b) => a.position - b.position)
}

/** Returns the words of a page, each once, without function words, numbers and single letters. */
function* wordsOf({ content, language }: LikedPage): Generator<void, PageWord[]> {
  const { text } = yield* stripMarkdownInSteps(content.slice(0, maxLength))
  const functionWords = [functionWordsOf(language), functionWordsOf(defaultLanguage)]
  const byTerm = new Map<string, PageWord>()
  yield* analyseInSteps(text, ({ kind, term, word, position }) => {
    if (kind !== 'word' && kind !== 'bigram') return
    const known = byTerm.get(term)
    if (known) known.count++
    else if (isDistinctive(word) && !functionWords.some((words) => words.has(fold(word, language))))
      byTerm.set(term, { word, count: 1, position })
  })
  return [...byTerm.values()]
}

function isDistinctive(word: string): boolean {
  return /\p{L}/u.test(word) && [...word].length > 1
}

/** Dampens the count, so that repetitions of a word add less and less. */
function toConcept({ word, count, position }: PageWord, languages: readonly Language[]): Concept {
  const matches = matchesOf(alternativesOf(word, [], languages))
  return { ...matches, word: fold(word), corrections: [], position, phraseOnly: false, count: Math.sqrt(count) }
}

/** Returns the query with the words of a page added to its own. */
export function withWords(query: Query, words: readonly Concept[]): Query {
  const known = new Set(query.concepts.flatMap(({ terms, phraseOnly }) => (phraseOnly ? [] : terms)))
  const concepts = [...query.concepts, ...words.filter(({ terms }) => !terms.some((term) => known.has(term)))]
  return { ...query, concepts, manyMatches: Math.ceil(concepts.length / wordsPerMatch) }
}

/** A page that contains one in this many of the words counts as similar. */
const wordsPerMatch = 4
