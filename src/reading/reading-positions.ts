import { findAccessibleBooks, type AccessibleBook, type BookAccessStores } from '../books/access.ts'
import { loadLockCheck } from '../books/book-locks.ts'
import type { Call } from '../core/context.ts'
import type { OpenedVersion } from './open-version.ts'
import { lastReadablePage } from './present-book.ts'
import type { ReadingPosition, ReadingPositionStores } from './reading-position-store.ts'

/** Records that the caller reads this page. It is written a moment later; the call waits for nothing and never fails. */
export function saveReadingPosition(
  ctx: Call & ReadingPositionStores,
  { book, manifest, lastPage }: OpenedVersion,
  page: number,
): void {
  const position = { page, of: lastPage, version: manifest.version, at: ctx.now() }
  ctx.readingPositions.save(ctx.actor.id, book.id, position)
}

/** Where the caller is in each of these books, by book id; books that the caller has not opened are missing. One query. */
export function findReadingPositions(
  ctx: Call & ReadingPositionStores,
  bookIds: readonly string[],
): Promise<ReadonlyMap<string, ReadingPosition>> {
  return ctx.readingPositions.find(ctx.actor.id, bookIds)
}

/** Where the caller is in a book; null: not opened yet. */
export async function findReadingPosition(
  ctx: Call & ReadingPositionStores,
  bookId: string,
): Promise<ReadingPosition | null> {
  return (await findReadingPositions(ctx, [bookId])).get(bookId) ?? null
}

/** A book that somebody is in the middle of. */
export interface OpenReading {
  book: AccessibleBook
  /** A page that the book has now. */
  page: number
  /** Pages that the caller may read. */
  of: number
  at: Date
}

/** Books looked at for each that is listed: some are finished, locked or gone. */
const spareFactor = 4

/** The books that the caller has begun and not finished, latest first; leaves out those that cannot be read now. */
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
