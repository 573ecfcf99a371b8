import { findAccessibleBooks, type AccessibleBook } from '../books/access.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { FoundItems } from '../search/schema.ts'
import type { SearchServices } from '../search/prepare-search.ts'
import { searchPart, type SearchScope } from '../search/search-items.ts'
import type { SearchSource } from '../search/list-search-sources.ts'
import { requireShelf } from '../shelves/find-shelf.ts'
import type { Shelf } from '../shelves/store.ts'

/** Whose books to search: all, the caller's own, or those of others in the caller's library. */
export const searchedOwners = ['all', 'own', 'others'] as const
export type SearchedOwners = (typeof searchedOwners)[number]

export interface LibrarySearch {
  query: string
  /** `itemId:page` to search for similar pages, in combination with the words, if any. */
  like?: string | null
  owners: SearchedOwners
  /** Slug or id; null: all books, whether on a shelf or not. */
  shelf: string | null
  cursor: string | null
  limit: number
}

/** A book that was found, with the passages of its best pages. */
export interface FoundInLibrary {
  book: AccessibleBook
  /** Number of pages with these words. */
  matched: number
  hits: FoundItems['items'][number]['hits']
}

export interface LibrarySearchResult extends Pick<
  FoundItems,
  'total' | 'nextCursor' | 'incomplete' | 'relaxed' | 'note' | 'didYouMean'
> {
  books: FoundInLibrary[]
  /** The shelves that the search can be restricted to. */
  shelves: readonly Shelf[]
  shelf: Shelf | null
}

/**
 * Searches the books that the caller may read in full, or those on one shelf, like `searchItems`. Books found by their
 * titles come first. Refuses an unknown shelf with SHELF_NOT_FOUND. Charges no read.
 */
export async function searchLibrary(
  ctx: Call & SearchServices & PublicAddress,
  { query, like = null, owners, shelf: ref, cursor, limit }: LibrarySearch,
): Promise<LibrarySearchResult> {
  const shelves = await ctx.shelves.list(ctx.actor.id)
  const shelf = ref === null ? null : requireShelf(shelves, ref)
  const placed = shelf && (await ctx.placements.list(ctx.actor.id, { shelfId: shelf.id }))
  const scope = scopeOf(ctx, { owners, shelf, onShelf: placed && new Set(placed.map(({ itemId }) => itemId)) })
  const asked = { ...(query === '' ? {} : { query }), ...(like === null ? {} : { like }) }
  const input = { ...asked, limit, detail: 'detailed', ...(cursor === null ? {} : { cursor }) } as const
  const { items, total, nextCursor, incomplete, relaxed, note, didYouMean } = await searchPart(ctx, input, scope)
  const found = new Map(
    (
      await findAccessibleBooks(
        ctx,
        items.map(({ id }) => id),
      )
    ).map((book) => [book.id, book]),
  )
  const books = items.flatMap(({ id, matched, hits }) => {
    const book = found.get(id)
    return book ? [{ book, matched, hits }] : []
  })
  return {
    books,
    total,
    shelves,
    shelf,
    ...(nextCursor === undefined ? {} : { nextCursor }),
    ...(incomplete === undefined ? {} : { incomplete }),
    ...(relaxed === undefined ? {} : { relaxed }),
    ...(note === undefined ? {} : { note }),
    ...(didYouMean === undefined ? {} : { didYouMean }),
  }
}

/** The books to search. */
function scopeOf(
  { actor }: Call,
  { owners, shelf, onShelf }: { owners: SearchedOwners; shelf: Shelf | null; onShelf: ReadonlySet<string> | null },
): SearchScope {
  const isWanted = ({ ownerId }: SearchSource) => owners === 'all' || (ownerId === actor.id) === (owners === 'own')
  return {
    name: owners === 'all' && shelf === null ? '' : `${owners} ${shelf?.id ?? ''}`,
    narrow: (sources) =>
      sources.filter(isWanted).map(({ ownerId, includes, granted }) => ({
        ownerId,
        granted,
        includes: onShelf === null ? includes : (id: string) => onShelf.has(id) && (includes === null || includes(id)),
      })),
  }
}
