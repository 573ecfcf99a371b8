import { findAccessibleBooks, withOwnAccess, type AccessibleBook, type BookAccessStores } from '../books/access.ts'
import type { Book } from '../books/book.ts'
import type { Call } from '../core/context.ts'
import type { ReadingPositionStores } from '../reading/reading-position-store.ts'
import {
  comparePositions,
  firstUnread,
  placeBook,
  type LibraryPosition,
  type LibrarySort,
  type PlacedBook,
} from './library-order.ts'

/** A part of an ordered library. */
interface LibraryPart {
  books: PlacedBook[]
  /** The start of the next part; null at the end of the library. */
  resume: LibraryPosition | null
}

export interface WalkRequest {
  sort: LibrarySort
  after: LibraryPosition | null
  /** Books of other accounts in the library. */
  granted: readonly AccessibleBook[]
  /** Number of books to request from the store. */
  size: number
}

/** The next books of the library in an order: the account's, built-in ones and those of others, merged. */
export async function nextPart(
  ctx: Call & BookAccessStores & ReadingPositionStores,
  request: WalkRequest,
): Promise<LibraryPart> {
  const { sort, after } = request
  if (sort !== 'read') return nextMerged(ctx, request)
  if (!after || after.rank === 0) return nextRead(ctx, request)
  const part = await nextMerged(ctx, { ...request, sort: 'added' })
  const read = await ctx.readingPositions.find(
    ctx.actor.id,
    part.books.map(({ book }) => book.id),
  )
  return { ...part, books: part.books.filter(({ book }) => !read.has(book.id)) }
}

/** Books that were read, most recent first. */
async function nextRead(
  ctx: Call & BookAccessStores & ReadingPositionStores,
  { after, size }: WalkRequest,
): Promise<LibraryPart> {
  const last = after && { at: new Date(after.at), itemId: after.id }
  const reads = await ctx.readingPositions.listRecent(ctx.actor.id, size, last)
  const found = await findAccessibleBooks(
    ctx,
    reads.map(({ itemId }) => itemId),
  )
  const booksById = new Map(found.map((book) => [book.id, book]))
  const books = reads.flatMap(({ itemId, at }) => {
    const book = booksById.get(itemId)
    return book ? [placeBook(book, 'read', at)] : []
  })
  const end = reads.length === size ? reads.at(-1) : undefined
  return { books, resume: end ? { rank: 0, at: end.at.getTime(), keys: [], id: end.itemId } : firstUnread }
}

async function nextMerged(
  ctx: Call & BookAccessStores,
  { sort, after, granted, size }: WalkRequest,
): Promise<LibraryPart> {
  const own = (await listOwn(ctx, { sort, after, size })).map((book) => placeBook(withOwnAccess(ctx, book), sort))
  const end = own.length === size ? (own.at(-1)?.position ?? null) : null
  const others = granted
    .map((book) => placeBook(book, sort))
    .filter(({ position }) => !after || comparePositions(position, after) > 0)
    .filter(({ position }) => !end || comparePositions(position, end) < 0)
  return { books: sortPlaced([...own, ...others]), resume: end }
}

/** Sorts books by position. */
export function sortPlaced(books: readonly PlacedBook[]): PlacedBook[] {
  return books.toSorted((a, b) => comparePositions(a.position, b.position))
}

function listOwn(
  { books, actor }: Call & BookAccessStores,
  { sort, after, size: limit }: Omit<WalkRequest, 'granted'>,
): Promise<Book[]> {
  if (sort === 'added' || sort === 'read') {
    return books.listNewest(actor.id, { after: after && { at: new Date(after.at), id: after.id }, limit })
  }
  const [first = '', second = ''] = after?.keys ?? []
  if (sort === 'title')
    return books.listByTitle(actor.id, { after: after && { authorKey: '', titleKey: first, id: after.id }, limit })
  return books.listByAuthor(actor.id, { after: after && { authorKey: first, titleKey: second, id: after.id }, limit })
}
