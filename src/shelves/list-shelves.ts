import { cutRows, fitsWhole } from '../core/pagination.ts'
import { countBooks, countBooksOn } from './count-books-by-shelf.ts'
import type { ListShelves, Shelf as ShownShelf, ShelfList } from './schema.ts'
import type { Shelf, ShelfStores } from './store.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { PlacementStores } from './placement-store.ts'

/** The caller's shelves in display order; part by part where they are too many for an answer. */
export async function listShelves(
  ctx: Call & BookAccessStores & ShelfStores & PlacementStores,
  part: ListShelves,
): Promise<ShelfList> {
  const [shelves, counts] = await Promise.all([ctx.shelves.list(ctx.actor.id), countBooks(ctx)])
  const whole = { shelves: shelves.map((shelf, position) => showShelf(shelf, position, counts.get(shelf.id))) }
  if (fitsWhole(ctx, part, whole)) return whole
  const { rows, ...place } = cutRows(ctx, whole.shelves, part)
  return { shelves: rows, ...place }
}

/** One shelf of a list, with its books counted. */
export async function showOneShelf(
  ctx: Call & BookAccessStores & PlacementStores,
  shelves: readonly Shelf[],
  id: string,
): Promise<ShownShelf> {
  const position = shelves.findIndex((shelf) => shelf.id === id)
  const shelf = shelves[position]
  if (!shelf) throw new Error(`The shelf ${id} is not in the list`)
  return showShelf(shelf, position, await countBooksOn(ctx, id))
}

/** A shelf as answers show it. */
export function showShelf({ id, name, slug, color }: Shelf, position: number, itemCount = 0): ShownShelf {
  return { id, name, slug, color, position, itemCount }
}
