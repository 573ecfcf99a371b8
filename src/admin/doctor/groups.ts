import type { Book } from '../../books/book.ts'
import type { BookStores } from '../../books/store.ts'

/** Limits for the rows of one lookup, which are in memory together. */
const [maxRows, maxWeight] = [100, 500]

/**
 * Groups rows for joint lookups: at most 100 rows with a total weight of at most 500, unless a single row weighs more.
 */
export async function* groupsOf<Row>(
  rows: AsyncIterable<Row> | Iterable<Row>,
  weigh: (row: Row) => number = () => 1,
): AsyncGenerator<Row[]> {
  let group: Row[] = []
  let weight = 0
  for await (const row of rows) {
    if (group.length === maxRows || (group.length > 0 && weight + weigh(row) > maxWeight)) {
      yield group
      group = []
      weight = 0
    }
    group.push(row)
    weight += weigh(row)
  }
  if (group.length > 0) yield group
}

/** Every book, in groups for joint lookups; the weight of a book is its number of versions. */
export function bookGroups({ books }: BookStores): AsyncGenerator<Book[]> {
  return groupsOf(books.all(), ({ version }) => version)
}

/** The ids of books. */
export const idsOf = (books: readonly Book[]): string[] => books.map(({ id }) => id)
