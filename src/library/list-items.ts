import { findShelf } from '../shelves/find-shelf.ts'
import { listBooksOnShelf } from './get-shelf.ts'
import { presentBookList } from './present-book-list.ts'
import { listLibrary } from './list-library.ts'
import type { ItemList, ListItems } from '../books/schema.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { ShelfStores } from '../shelves/store.ts'
import type { PlacementStores } from '../shelves/placement-store.ts'

/**
 * The caller's books, or those on one shelf, newest first. An unknown shelf gives an empty list (contract, GET /items).
 */
export async function listItems(
  ctx: Call & BookAccessStores & ShelfStores & PlacementStores & PublicAddress,
  { shelf: ref, ...part }: ListItems,
): Promise<ItemList> {
  if (ref === undefined) return listLibrary(ctx, part)
  const shelf = findShelf(await ctx.shelves.list(ctx.actor.id), ref)
  if (!shelf) return { items: [], enrichmentQueue: [] }
  return presentBookList(ctx, await listBooksOnShelf(ctx, shelf.id), { ...part, enrichmentQueue: null })
}
