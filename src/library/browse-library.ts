import { listGrantedBooks, type AccessibleBook, type BookAccessStores } from '../books/access.ts'
import { findBookLocks, type BookLocks } from '../books/book-locks.ts'
import type { Call } from '../core/context.ts'
import type { ReadingPositionStores } from '../reading/reading-position-store.ts'
import type { PlacementStores } from '../shelves/placement-store.ts'
import type { ShelfStores } from '../shelves/store.ts'
import { countLibrary, type LibraryFacets } from './count-library.ts'
import { resolveFilter, titleTest, type FilteredBooks, type LibraryFilter } from './library-filter.ts'
import {
  comparePositions,
  firstUnread,
  formatCursor,
  parseCursor,
  placeBook,
  type LibraryPosition,
  type LibrarySort,
  type PlacedBook,
} from './library-order.ts'
import { nextPart, sortPlaced } from './walk-library.ts'

export interface BrowseLibrary {
  sort: LibrarySort
  filter: LibraryFilter
  /** Words of the title; omitted or empty: any title. */
  title?: string | undefined
  /** The `next` cursor of the previous page. */
  after?: string | undefined
  limit: number
}

/** One page of a library. */
export interface LibraryPage {
  books: readonly AccessibleBook[]
  /** Cursor of the next page; null: this is the last one. */
  next: string | null
  /** True if the page is short because the search limit was spent on books that do not match; continue with `next`. */
  unfinished: boolean
  facets: LibraryFacets
  isLocked: BookLocks['isLocked']
}

/** Maximum number of books that one page examines when it searches for matches. */
const maxExamined = 3000
const searchedPart = 300

/**
 * One page of the caller's library: owned and built-in books, those from the marketplace and those shared by teams, in
 * one order. Its cost depends on the page and on the number of other accounts' books and of shelves, not on the size of
 * the library. Refuses an unknown cursor with INVALID_INPUT and an unknown shelf with SHELF_NOT_FOUND.
 */
export async function browseLibrary(
  ctx: Call & BookAccessStores & ReadingPositionStores & ShelfStores & PlacementStores,
  { sort, filter, title = '', after, limit }: BrowseLibrary,
): Promise<LibraryPage> {
  const position = after === undefined ? null : parseCursor(sort, after)
  const [granted, locks, shelves] = await Promise.all([
    listGrantedBooks(ctx),
    findBookLocks(ctx),
    ctx.shelves.list(ctx.actor.id),
  ])
  const [filtered, facets] = await Promise.all([
    resolveFilter(ctx, { filter, granted, locks, shelves }),
    countLibrary(ctx, { granted, locks, shelves }),
  ])
  const matches = title.trim() === '' ? null : titleTest(title)
  const request = { sort, after: position, limit, granted, matches }
  const { books, end, unfinished } =
    'books' in filtered
      ? await pageOfGiven(ctx, request, filtered.books)
      : await pageOfWalk(ctx, request, filtered.keep)
  const next = end && formatCursor(sort, end)
  return { books: books.map(({ book }) => book), next, unfinished, facets, isLocked: locks.isLocked }
}

interface PageRequest {
  sort: LibrarySort
  after: LibraryPosition | null
  limit: number
  granted: readonly AccessibleBook[]
  /** The title filter; null: any title matches. */
  matches: ((book: AccessibleBook) => boolean) | null
}

interface FoundPage {
  books: PlacedBook[]
  /** The end of this page, where the next one begins; null: there is none. */
  end: LibraryPosition | null
  unfinished: boolean
}

/** A page of a complete list of books. */
async function pageOfGiven(
  ctx: Call & ReadingPositionStores,
  { sort, after, limit, matches }: PageRequest,
  given: readonly AccessibleBook[],
): Promise<FoundPage> {
  const books = matches ? given.filter(matches) : given
  const reads =
    sort === 'read'
      ? await ctx.readingPositions.find(
          ctx.actor.id,
          books.map(({ id }) => id),
        )
      : null
  const placed = books
    .map((book) => placeBook(book, sort, reads?.get(book.id)?.at))
    .filter(({ position }) => !after || comparePositions(position, after) > 0)
  return cutPage(sortPlaced(placed), limit)
}

/** A page of books found by walking through the ordered library. */
async function pageOfWalk(
  ctx: Call & BookAccessStores & ReadingPositionStores,
  { sort, after: first, limit, granted, matches }: PageRequest,
  keep: Extract<FilteredBooks, { keep: unknown }>['keep'],
): Promise<FoundPage> {
  const isSearching = keep !== null || matches !== null
  const found: PlacedBook[] = []
  let after = first
  let size = isSearching ? searchedPart : limit + 1
  for (let examined = size; ; examined += size) {
    const part = await nextPart(ctx, { sort, after, granted, size })
    const titled = matches ? part.books.filter(({ book }) => matches(book)) : part.books
    const kept = keep && new Set((await keep(titled.map(({ book }) => book))).map(({ id }) => id))
    found.push(...titled.filter(({ book }) => kept === null || kept.has(book.id)))
    if (found.length > limit || !part.resume) return cutPage(found, limit)
    if (examined >= maxExamined) return { books: found, end: part.resume, unfinished: true }
    // At books that were never read, the search continues with large parts.
    if (part.resume !== firstUnread) size = searchedPart
    after = part.resume
  }
}

function cutPage(found: PlacedBook[], limit: number): FoundPage {
  const books = found.slice(0, limit)
  return { books, end: found.length > limit ? (books.at(-1)?.position ?? null) : null, unfinished: false }
}
