import type { FoundBook } from './find-books.ts'

/** Books that match by title, author or description only; further ones are left out. */
const maxBooksWithoutPages = 10

/** The books with only those of their pages that are among the best so many of all. */
export function selectBestPages(found: readonly FoundBook[], count: number): FoundBook[] {
  const scores = found.flatMap(({ pages }) => pages.map(({ score }) => score)).sort((a, b) => b - a)
  const least = scores[count - 1] ?? -Infinity
  const withPages = found.map((each) => ({ ...each, pages: each.pages.filter(({ score }) => score >= least) }))
  const others = found.filter(({ pages }) => pages.length === 0).slice(0, maxBooksWithoutPages)
  return [...withPages.filter(({ pages }) => pages.length > 0), ...others]
}
