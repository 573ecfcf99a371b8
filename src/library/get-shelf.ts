import { findAccessibleBooks, compareNewestFirst, type AccessibleBook } from '../books/access.ts'
import { presentBookList } from './present-book-list.ts'
import { requireShelf } from '../shelves/find-shelf.ts'
import { presentShelf } from '../shelves/list-shelves.ts'
import type { GetShelf, ShelfView } from '../shelves/schema.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { ShelfStores } from '../shelves/store.ts'
import type { PlacementStores } from '../shelves/placement-store.ts'

/** A shelf with its books as list items, newest first. Refuses an unknown shelf with SHELF_NOT_FOUND. */
export async function getShelf(
  ctx: Call & BookAccessStores & ShelfStores & PlacementStores & PublicAddress,
  { shelf: ref, ...part }: GetShelf,
): Promise<ShelfView> {
  const shelves = await ctx.shelves.list(ctx.actor.id)
  const found = requireShelf(shelves, ref)
  const books = await listBooksOnShelf(ctx, found.id)
  const shelf = presentShelf(found, shelves.indexOf(found), books.length)
  return { shelf, ...(await presentBookList(ctx, books, { ...part, enrichmentQueue: null })) }
}

const batchSize = 1000

/** The books on one of the caller's shelves, newest first. */
export async function listBooksOnShelf(
  ctx: Call & BookAccessStores & PlacementStores,
  shelfId: string,
): Promise<AccessibleBook[]> {
  const placements = await ctx.placements.list(ctx.actor.id, { shelfId })
  const books: AccessibleBook[] = []
  for (let start = 0; start < placements.length; start += batchSize) {
    const ids = placements.slice(start, start + batchSize).map(({ itemId }) => itemId)
    books.push(...(await findAccessibleBooks(ctx, ids)))
  }
  return books.sort(compareNewestFirst)
}
