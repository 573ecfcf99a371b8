import type { FoundBook } from './find-books.ts'

/** The maximum number of books that match only by title, author or description. */
const maxBooksWithoutPages = 10

/** Keeps only the `count` best pages of all books. Books that lose all their pages are omitted. */
export function selectBestPages(found: readonly FoundBook[], count: number): FoundBook[] {
  const scores = found.flatMap(({ pages }) => pages.map(({ score }) => score)).sort((a, b) => b - a)
  const minScore = scores[count - 1] ?? -Infinity
  const withPages = found.map((each) => ({ ...each, pages: each.pages.filter(({ score }) => score >= minScore) }))
  const others = found.filter(({ pages }) => pages.length === 0).slice(0, maxBooksWithoutPages)
  return [...withPages.filter(({ pages }) => pages.length > 0), ...others]
}
