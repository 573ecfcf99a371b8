import { findShelf } from '../shelves/find-shelf.ts'
import { unknownShelfNote } from '../shelves/unknown-shelf-note.ts'
import { listBooksOnShelf } from './get-shelf.ts'
import { presentBookList } from './present-book-list.ts'
import { listLibrary } from './list-library.ts'
import type { ItemList, ListItems } from '../books/schema.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { ShelfStores } from '../shelves/store.ts'
import type { PlacementStores } from '../shelves/placement-store.ts'

/**
 * The caller's books, or those on one shelf, newest first. An unknown shelf gives an empty list (contract, GET /items); in
 * an answer with a budget a note says so.
 */
export async function listItems(
  ctx: Call & BookAccessStores & ShelfStores & PlacementStores & PublicAddress,
  { shelf: ref, ...part }: ListItems,
): Promise<ItemList> {
  if (ref === undefined) return listLibrary(ctx, part)
  const shelves = await ctx.shelves.list(ctx.actor.id)
  const shelf = findShelf(shelves, ref)
  if (!shelf) {
    const note = ctx.budget.maxListCost === Infinity ? {} : { note: unknownShelfNote(shelves, ref) }
    return { items: [], enrichmentQueue: [], ...note }
  }
  return presentBookList(ctx, await listBooksOnShelf(ctx, shelf.id), { ...part, enrichmentQueue: null })
}
