import { sliceRows, fitsEntirely } from '../core/pagination.ts'
import { countBooksByShelf, countBooksOnShelf } from './count-books-by-shelf.ts'
import type { ListShelves, Shelf as ShelfResult, ShelfList } from './schema.ts'
import type { Shelf, ShelfStores } from './store.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { PlacementStores } from './placement-store.ts'

/** The caller's shelves in display order; paginated if they do not fit into the answer. */
export async function listShelves(
  ctx: Call & BookAccessStores & ShelfStores & PlacementStores,
  part: ListShelves,
): Promise<ShelfList> {
  const [shelves, counts] = await Promise.all([ctx.shelves.list(ctx.actor.id), countBooksByShelf(ctx)])
  const complete = { shelves: shelves.map((shelf, position) => presentShelf(shelf, position, counts.get(shelf.id))) }
  if (fitsEntirely(ctx, part, complete)) return complete
  const { rows, ...paging } = sliceRows(ctx, complete.shelves, part)
  return { shelves: rows, ...paging }
}

/** One shelf of a list with its book count. */
export async function presentShelfById(
  ctx: Call & BookAccessStores & PlacementStores,
  shelves: readonly Shelf[],
  id: string,
): Promise<ShelfResult> {
  const position = shelves.findIndex((shelf) => shelf.id === id)
  const shelf = shelves[position]
  if (!shelf) throw new Error(`The shelf ${id} is not in the list`)
  return presentShelf(shelf, position, await countBooksOnShelf(ctx, id))
}

/** A shelf in an answer. */
export function presentShelf({ id, name, slug, color }: Shelf, position: number, itemCount = 0): ShelfResult {
  return { id, name, slug, color, position, itemCount }
}
