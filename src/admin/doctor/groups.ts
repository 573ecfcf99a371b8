import type { Book } from '../../books/book.ts'
import type { BookStores } from '../../books/store.ts'

/** What is looked up together is in memory at once: these bound it. */
const [maxRows, maxWeight] = [100, 500]

/** Rows in groups that are looked up together: at most 100, which weigh at most 500 together unless one weighs more. */
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

/** Every book, in groups that are looked up together; each weighs as much as it has versions. */
export function bookGroups({ books }: BookStores): AsyncGenerator<Book[]> {
  return groupsOf(books.all(), ({ version }) => version)
}

/** The ids of books. */
export const idsOf = (books: readonly Book[]): string[] => books.map(({ id }) => id)
