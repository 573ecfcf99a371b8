import type { AccessibleBook } from '../books/access.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import { openVersion } from '../reading/open-version.ts'
import { previewOnlyError } from '../reading/preview-only-error.ts'
import { pageRefs, type ContentStores } from '../reading/store.ts'
import { loadPages } from '../reading/unfinished-manifest.ts'
import { runSteps, type Pacer } from '../runtime/turns.ts'
import { analyseInSteps } from '../text/words/analyse.ts'
import { fold } from '../text/words/fold.ts'
import { defaultLanguage, functionWordsOf, languageOf, type Language } from '../text/words/languages.ts'
import { weighWords } from './match-books.ts'
import type { OpenedSource } from './open-libraries.ts'
import type { Concept, Query } from './parse-query.ts'
import type { SearchStore } from './store.ts'
import { stripMarkdownInSteps } from './strip-markdown.ts'
import { termHash } from './term-hash.ts'
import { alternativesOf } from './word-alternatives.ts'

/** The page that others are to be like. */
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
 * Opens the page that `itemId:page` names. Refuses it as reading does: NOT_FOUND for a book or a page that is not there, ITEM_LOCKED
 * for a locked book, FORBIDDEN beyond a preview. Charges no read: its text is not answered.
 */
export async function openLikedPage(
  ctx: Call & BookAccessStores & ContentStores & PublicAddress,
  like: string,
): Promise<LikedPage> {
  const [id = '', number] = like.split(':')
  const page = Number(number)
  const { book, manifest, lastPage } = await openVersion(ctx, id)
  const [ref] = page >= 1 ? pageRefs(manifest, page, page) : []
  if (!ref) throw pageNotFound(book, manifest.pageCount)
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

function pageNotFound({ id }: AccessibleBook, pageCount: number): AppError {
  return new AppError('NOT_FOUND', `This book has ${pageCount} pages. Pass like as ${id}:1 for the first one.`)
}

/** So much of a page tells what it is about, UTF-16 units. */
const maxLength = 60_000
/** Words that are weighed, those that the page has most often. */
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

/** The words that tell most of what a page is about: which it has often, and the searched books have seldom. */
export async function bestWords(liked: LikedPage, collection: Collection): Promise<Concept[]> {
  const { search, sources, languages, pacer } = collection
  const found = await runSteps(pacer, wordsOf(liked))
  const frequent = found.sort((a, b) => b.count - a.count || b.word.length - a.word.length).slice(0, maxCandidates)
  const candidates = frequent.map((word) => toConcept(word, languages))
  const rarities = await weighWords(search, sources, candidates)
  return candidates
    .map((concept, at) => ({ concept, weight: concept.count * (rarities[at] ?? 0) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, maxWords)
    .map(({ concept }) => concept)
    .sort((a, b) => a.position - b.position)
}

/** The words of a page but its function words, numbers and single letters, each once. */
function* wordsOf({ content, language }: LikedPage): Generator<void, PageWord[]> {
  const { text } = yield* stripMarkdownInSteps(content.slice(0, maxLength))
  const functionWords = [functionWordsOf(language), functionWordsOf(defaultLanguage)]
  const byTerm = new Map<string, PageWord>()
  yield* analyseInSteps(text, ({ kind, term, word, position }) => {
    if (kind !== 'word' && kind !== 'bigram') return
    const known = byTerm.get(term)
    if (known) known.count++
    else if (isTelling(word) && !functionWords.some((words) => words.has(fold(word, language))))
      byTerm.set(term, { word, count: 1, position })
  })
  return [...byTerm.values()]
}

function isTelling(word: string): boolean {
  return /\p{L}/u.test(word) && [...word].length > 1
}

/** A word counts less with every further time. */
function toConcept({ word, count, position }: PageWord, languages: readonly Language[]): Concept {
  const terms = alternativesOf(word, [], languages)
  const hashes = terms.map(termHash)
  return { terms, hashes, word: fold(word), corrections: [], position, phraseOnly: false, count: Math.sqrt(count) }
}

/** A query with the words of a page beside its own. */
export function withWords(query: Query, words: readonly Concept[]): Query {
  const known = new Set(query.concepts.flatMap(({ terms, phraseOnly }) => (phraseOnly ? [] : terms)))
  const concepts = [...query.concepts, ...words.filter(({ terms }) => !terms.some((term) => known.has(term)))]
  return { ...query, concepts, manyMatches: Math.ceil(concepts.length / fewMatches) }
}

/** A page with so large a part of the words is much like the other. */
const fewMatches = 4
