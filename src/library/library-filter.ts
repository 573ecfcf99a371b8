import type { AccessibleBook, BookAccessStores } from '../books/access.ts'
import { findAccessibleBooks, withOwnAccess } from '../books/access.ts'
import type { BookLocks } from '../books/book-locks.ts'
import { needsAttention } from '../books/library-store.ts'
import { plainWords } from '../books/sort-keys.ts'
import type { Call } from '../core/context.ts'
import { requireShelf } from '../shelves/find-shelf.ts'
import type { PlacementStores } from '../shelves/placement-store.ts'
import type { Shelf } from '../shelves/store.ts'

export const libraryViews = ['all', 'shared', 'marketplace', 'attention', 'importing'] as const

/** A filter of a library; `shelf` is an id or a slug. */
export type LibraryFilter = { view: (typeof libraryViews)[number] } | { shelf: string }

/**
 * The books that pass a filter: all of them, if they are few enough to be sorted in memory, or a predicate for books of
 * the ordered library.
 */
export type FilteredBooks =
  | { books: readonly AccessibleBook[] }
  | { keep: ((books: readonly AccessibleBook[]) => Promise<readonly AccessibleBook[]>) | null }

export interface FilterRequest {
  filter: LibraryFilter
  granted: readonly AccessibleBook[]
  locks: BookLocks
  shelves: readonly Shelf[]
}

/** Up to this number of books, a filter returns them all; with more, a walk finds matches often enough. */
const maxFilteredBooks = 1000

/** Determines how to list the books of a filter. Refuses an unknown shelf with SHELF_NOT_FOUND. */
export async function resolveFilter(
  ctx: Call & BookAccessStores & PlacementStores,
  request: FilterRequest,
): Promise<FilteredBooks> {
  const { filter, granted, shelves } = request
  if ('shelf' in filter) return booksOfShelf(ctx, requireShelf(shelves, filter.shelf).id)
  switch (filter.view) {
    case 'all':
      return { keep: null }
    case 'shared':
      return { books: granted.filter(({ access }) => access.teamAccess !== null) }
    case 'marketplace':
      return { books: granted.filter(({ access }) => access.subscribedAt !== null) }
    case 'importing':
      return filterOwnBooks(await ctx.books.listImporting(ctx.actor.id, maxFilteredBooks + 1), ctx, isImporting)
    case 'attention':
      return booksNeedingAttention(ctx, request)
  }
}

/** True for a book that waits for its file or is being imported. */
export function isImporting({ status }: Pick<AccessibleBook, 'status'>): boolean {
  return status === 'DRAFT' || status === 'PROCESSING'
}

/** True for a book of the caller that needs attention. */
export function isAttentionNeeded(book: AccessibleBook, { isLocked }: Pick<BookLocks, 'isLocked'>): boolean {
  return isLocked(book) || (book.access.kind === 'own' && needsAttention(book))
}

/** Returns a predicate for books whose title contains these words in this order. */
export function titleTest(title: string): (book: Pick<AccessibleBook, 'title'>) => boolean {
  const words = plainWords(title)
  return (book) => plainWords(book.title).includes(words)
}

async function booksNeedingAttention(ctx: Call & BookAccessStores, { locks }: FilterRequest): Promise<FilteredBooks> {
  const keep = (book: AccessibleBook) => isAttentionNeeded(book, locks)
  if (locks.usableIds !== null) return { keep: async (books) => books.filter(keep) }
  return filterOwnBooks(await ctx.books.listNeedingAttention(ctx.actor.id, maxFilteredBooks + 1), ctx, keep)
}

function filterOwnBooks(
  found: Awaited<ReturnType<BookAccessStores['books']['findOwned']>>,
  ctx: Call,
  test: (book: AccessibleBook) => boolean,
): FilteredBooks {
  if (found.length <= maxFilteredBooks) return { books: found.map((book) => withOwnAccess(ctx, book)) }
  return { keep: async (books) => books.filter((book) => book.access.kind === 'own' && test(book)) }
}

async function booksOfShelf(ctx: Call & BookAccessStores & PlacementStores, shelfId: string): Promise<FilteredBooks> {
  return (await listFewOnShelf(ctx, shelfId)) ?? { keep: (books) => filterByShelf(ctx, shelfId, books) }
}

/** All books of a shelf with few; null for a larger one, whose placements are not read. */
async function listFewOnShelf(
  ctx: Call & BookAccessStores & PlacementStores,
  shelfId: string,
): Promise<{ books: readonly AccessibleBook[] } | null> {
  const countsByShelf = await ctx.placements.countByShelf(ctx.actor.id)
  if ((countsByShelf.get(shelfId) ?? 0) > maxFilteredBooks) return null
  const placements = await ctx.placements.list(ctx.actor.id, { shelfId, limit: maxFilteredBooks + 1 })
  if (placements.length > maxFilteredBooks) return null
  const itemIds = placements.map(({ itemId }) => itemId)
  return { books: await findAccessibleBooks(ctx, itemIds) }
}

async function filterByShelf(
  ctx: Call & PlacementStores,
  shelfId: string,
  books: readonly AccessibleBook[],
): Promise<readonly AccessibleBook[]> {
  const itemIds = books.map(({ id }) => id)
  const placements = await ctx.placements.list(ctx.actor.id, { shelfId, itemIds })
  const placedIds = new Set(placements.map(({ itemId }) => itemId))
  return books.filter(({ id }) => placedIds.has(id))
}
