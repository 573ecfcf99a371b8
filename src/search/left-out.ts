import type { BookPostings, MatchedPage } from './load-postings.ts'
import { metadataPages } from './metadata-index.ts'
import { containsPhrase, preparePage } from './proximity.ts'
import type { SearchRequest } from './search-work.ts'
import { unpackIntegers } from './varint.ts'

/**
 * The pages of a book with what a query leaves out, in their text or as the title of the chapter that begins there; `book`
 * when its title, author or description has it, null when the query leaves nothing out. The page that others are to be like is left out.
 */
export function* findLeftOut(
  { book, pages, metadata }: BookPostings,
  { query: { excluded }, liked, work }: SearchRequest,
): Generator<void, ReadonlySet<number> | 'book' | null> {
  if (excluded.length === 0) return liked ? new Set(liked.bookId === book.id ? [liked.page] : []) : null
  const isLeftOut = ({ postings }: MatchedPage) => {
    const words = preparePage(postings, work)
    return excluded.some((phrase) => containsPhrase(words, phrase))
  }
  const leftOut = new Set<number>(liked?.bookId === book.id ? [liked.page] : [])
  const targets = unpackIntegers(book.about.targets)
  for (const found of metadata) {
    yield
    if (!isLeftOut(found)) continue
    const target = targets[found.page - 1 - metadataPages.outline]
    if (target === undefined) return 'book'
    leftOut.add(target)
  }
  for (const found of pages) {
    yield
    if (isLeftOut(found)) leftOut.add(found.page)
  }
  return leftOut
}
