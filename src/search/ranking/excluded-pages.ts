import type { BookPostings, MatchedPage } from './load-postings.ts'
import { metadataPages } from '../index/metadata-index.ts'
import { containsPhrase, hasWordsOf, preparePage } from './proximity.ts'
import type { Phrase } from '../query/parse-query.ts'
import type { SearchRequest, SearchWork } from './search-work.ts'
import { unpackIntegers } from '../words/varint.ts'

/**
 * Returns the pages of a book that a query excludes: pages with an excluded word in their text or in the title of a chapter that begins
 * there, and the liked page. Returns `book` if the title, author or description has an excluded word; null if nothing is excluded.
 */
export function* findExcludedPages(
  { book, pages, metadata }: BookPostings,
  { query: { excluded }, liked, work }: SearchRequest,
): Generator<void, ReadonlySet<number> | 'book' | null> {
  if (excluded.length === 0) return liked ? new Set(liked.bookId === book.id ? [liked.page] : []) : null
  const isExcluded = (found: MatchedPage) => hasAnyPhrase(found, excluded, work)
  const excludedPages = new Set<number>(liked?.bookId === book.id ? [liked.page] : [])
  const targets = unpackIntegers(book.about.targets)
  for (const found of metadata) {
    yield
    if (!(yield* isExcluded(found))) continue
    const target = targets[found.page - 1 - metadataPages.outline]
    if (target === undefined) return 'book'
    excludedPages.add(target)
  }
  for (const found of pages) {
    yield
    if (yield* isExcluded(found)) excludedPages.add(found.page)
  }
  return excludedPages
}

function* hasAnyPhrase(
  { postings }: MatchedPage,
  phrases: readonly Phrase[],
  work: SearchWork,
): Generator<void, boolean> {
  const words = preparePage(postings, work)
  for (const phrase of phrases) if (hasWordsOf(phrase, postings) && (yield* containsPhrase(words, phrase))) return true
  return false
}
