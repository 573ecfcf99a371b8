import { unknownCursor } from '../core/pagination.ts'
import { accessibleBooks, arrivalOf, newestFirst, ownOrBuiltIn, type AccessibleBook } from '../books/access.ts'
import type { Place } from '../books/library-store.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'

interface Wanted {
  /** The book to begin with; undefined: the newest one. */
  cursor: string | undefined
  /** Books that are read from the store at a time. */
  atOnce: number
  /** The books of others in the library. */
  granted: Promise<readonly AccessibleBook[]>
}

/** The books of the library from a book on, newest first, in batches. Refuses a book that is not in it with INVALID_INPUT. */
export async function* libraryFrom(
  ctx: Call & BookAccessStores,
  { cursor, atOnce, granted }: Wanted,
): AsyncGenerator<AccessibleBook[]> {
  const first = cursor === undefined ? null : await bookAt(ctx, cursor)
  let behind = first && placeOf(first)
  let others: readonly AccessibleBook[] | null = null
  for (let head = first ? [first] : []; ; head = []) {
    const [found, all] = await Promise.all([ctx.books.newest(ctx.actor.id, { behind, limit: atOnce }), granted])
    const own = found.map((book) => ownOrBuiltIn(ctx, book))
    others ??= [...all].sort(newestFirst).filter((book) => !first || newestFirst(book, first) > 0)
    const last = own.length === atOnce ? own.at(-1) : undefined
    const here = last ? others.filter((book) => newestFirst(book, last) < 0) : others
    others = others.slice(here.length)
    yield [...head, ...[...own, ...here].sort(newestFirst)]
    if (!last) return
    behind = placeOf(last)
  }
}

async function bookAt(ctx: Call & BookAccessStores, id: string): Promise<AccessibleBook> {
  const [book] = await accessibleBooks(ctx, [id])
  if (!book) throw unknownCursor()
  return book
}

function placeOf(book: AccessibleBook): Place {
  return { at: arrivalOf(book), id: book.id }
}
