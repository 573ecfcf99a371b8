import { nameKey } from '../shelves/require-unique-name.ts'
import { shelvesOfCatalogueBook } from './describe-catalogue-book.ts'
import { shelfNameOfFolder } from './shelf-name.ts'
import type { WalkedBook } from './walk-catalogue.ts'

/**
 * The shelves of a book out of a catalogue: its series, its tags, and the sections that lead to it, as folders do. A section that leads to
 * all books ("By author") says nothing about them, nor does what is in it; and a section that is called like the author, series, tag,
 * language or publisher of the book ("Tags / Fiction") says what the book says itself.
 */
export function shelvesOfWays(books: readonly WalkedBook[]): (book: WalkedBook) => string[] {
  const counts = new Map<string, number>()
  for (const { ways } of books)
    for (const first of new Set(ways.map(([title = '']) => title))) counts.set(first, (counts.get(first) ?? 0) + 1)
  const saysNothing = (title: string) => books.length > 1 && counts.get(title) === books.length
  return ({ book, ways }) => {
    const own = [...book.authors, book.series ?? '', book.publisher ?? '', ...book.tags, ...book.languages]
    const said = new Set(own.map(nameKey))
    const names = ways
      .filter(([first = '', ...rest]) => !saysNothing(first) && !said.has(nameKey([first, ...rest].at(-1) ?? '')))
      .map(shelfNameOfFolder)
    const shelves = [...shelvesOfCatalogueBook(book), ...names.filter((name) => name !== null)]
    return [...new Map(shelves.map((name) => [nameKey(name), name])).values()]
  }
}
