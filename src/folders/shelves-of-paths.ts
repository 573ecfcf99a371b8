import { nameKey } from '../shelves/require-unique-name.ts'
import { shelvesOfCatalogueBook } from './describe-catalogue-book.ts'
import { shelfNameOfFolder } from './shelf-name.ts'
import type { WalkedBook } from './walk-catalogue.ts'

/**
 * The shelves of a book from a catalogue: its series, its tags, and the paths of the sections that contain it. Leaves
 * out sections that contain all books ("By author"), with everything in them, and sections named like an author,
 * series, tag, language or publisher of the book ("Tags / Fiction"), because they only repeat its metadata.
 */
export function shelvesOfPaths(books: readonly WalkedBook[]): (book: WalkedBook) => string[] {
  const counts = new Map<string, number>()
  for (const { paths } of books)
    for (const first of new Set(paths.map(([title = '']) => title))) counts.set(first, (counts.get(first) ?? 0) + 1)
  const isUninformative = (title: string) => books.length > 1 && counts.get(title) === books.length
  return ({ book, paths }) => {
    const own = [...book.authors, book.series ?? '', book.publisher ?? '', ...book.tags, ...book.languages]
    const said = new Set(own.map(nameKey))
    const names = paths
      .filter(([first = '', ...rest]) => !isUninformative(first) && !said.has(nameKey([first, ...rest].at(-1) ?? '')))
      .map(shelfNameOfFolder)
    const shelves = [...shelvesOfCatalogueBook(book), ...names.filter((name) => name !== null)]
    return [...new Map(shelves.map((name) => [nameKey(name), name])).values()]
  }
}
