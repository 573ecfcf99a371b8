import { unknownCursor } from '../core/pagination.ts'
import {
  findAccessibleBooks,
  addedAt,
  compareNewestFirst,
  withOwnAccess,
  type AccessibleBook,
} from '../books/access.ts'
import type { LibraryPosition } from '../books/library-store.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'

interface LibraryRequest {
  /** Id of the first book; undefined: the newest one. */
  cursor: string | undefined
  /** Number of books per store query. */
  batchSize: number
  /** Books of other accounts in the library. */
  granted: Promise<readonly AccessibleBook[]>
}

/**
 * Yields the books of the library from the cursor on, newest first, in batches. Refuses a cursor that is not in the
 * library with INVALID_INPUT.
 */
export async function* iterateLibrary(
  ctx: Call & BookAccessStores,
  { cursor, batchSize, granted }: LibraryRequest,
): AsyncGenerator<AccessibleBook[]> {
  const first = cursor === undefined ? null : await findCursorBook(ctx, cursor)
  let after = first && positionOf(first)
  let others: readonly AccessibleBook[] | null = null
  for (let head = first ? [first] : []; ; head = []) {
    const [found, all] = await Promise.all([ctx.books.listNewest(ctx.actor.id, { after, limit: batchSize }), granted])
    const own = found.map((book) => withOwnAccess(ctx, book))
    others ??= [...all].sort(compareNewestFirst).filter((book) => !first || compareNewestFirst(book, first) > 0)
    const last = own.length === batchSize ? own.at(-1) : undefined
    const inBatch = last ? others.filter((book) => compareNewestFirst(book, last) < 0) : others
    others = others.slice(inBatch.length)
    yield [...head, ...[...own, ...inBatch].sort(compareNewestFirst)]
    if (!last) return
    after = positionOf(last)
  }
}

async function findCursorBook(ctx: Call & BookAccessStores, id: string): Promise<AccessibleBook> {
  const [book] = await findAccessibleBooks(ctx, [id])
  if (!book) throw unknownCursor()
  return book
}

function positionOf(book: AccessibleBook): LibraryPosition {
  return { at: addedAt(book), id: book.id }
}
