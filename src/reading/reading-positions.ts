import { findAccessibleBooks, type AccessibleBook, type BookAccessStores } from '../books/access.ts'
import { loadLockCheck } from '../books/book-locks.ts'
import type { Call } from '../core/context.ts'
import type { OpenedVersion } from './open-version.ts'
import { lastReadablePage } from './present-book.ts'
import type { ReadingPosition, ReadingPositionStores } from './reading-position-store.ts'

/** Records that the caller reads this page. The write is asynchronous: the call neither waits nor fails. */
export function saveReadingPosition(
  ctx: Call & ReadingPositionStores,
  { book, manifest, lastPage }: OpenedVersion,
  page: number,
): void {
  const position = { page, of: lastPage, version: manifest.version, at: ctx.now() }
  ctx.readingPositions.save(ctx.actor.id, book.id, position)
}

/** The caller's positions in these books, by book id; omits unopened books. One query. */
export function findReadingPositions(
  ctx: Call & ReadingPositionStores,
  bookIds: readonly string[],
): Promise<ReadonlyMap<string, ReadingPosition>> {
  return ctx.readingPositions.find(ctx.actor.id, bookIds)
}

/** The caller's position in a book; null if it has not been opened. */
export async function findReadingPosition(
  ctx: Call & ReadingPositionStores,
  bookId: string,
): Promise<ReadingPosition | null> {
  return (await findReadingPositions(ctx, [bookId])).get(bookId) ?? null
}

/** A book that a reader has begun and not finished. */
export interface OpenReading {
  book: AccessibleBook
  /** The page, limited to the book's current pages. */
  page: number
  /** Number of pages that the caller may read. */
  of: number
  at: Date
}

/** Number of books to examine per listed book: some are finished, locked or gone. */
const spareFactor = 4

/** The books that the caller has begun and not finished, most recent first; omits unreadable ones. */
export async function listOpenReadings(
  ctx: Call & BookAccessStores & ReadingPositionStores,
  limit: number,
): Promise<OpenReading[]> {
  const positions = await ctx.readingPositions.listRecent(ctx.actor.id, limit * spareFactor)
  if (positions.length === 0) return []
  const [books, isLocked] = await Promise.all([
    findAccessibleBooks(
      ctx,
      positions.map(({ itemId }) => itemId),
    ),
    loadLockCheck(ctx),
  ])
  const readable = new Map(books.filter((book) => book.version > 0 && !isLocked(book)).map((book) => [book.id, book]))
  const readings = positions.flatMap(({ itemId, page, at }) => {
    const book = readable.get(itemId)
    const of = book ? lastReadablePage(book) : 0
    return book && page < of ? [{ book, page, of, at }] : []
  })
  return readings.slice(0, limit)
}
