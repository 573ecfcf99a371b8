import { requireShelf } from './find-shelf.ts'
import { presentShelfById } from './list-shelves.ts'
import { requireUniqueName } from './require-unique-name.ts'
import type { Shelf as ShelfResult, UpdateShelf } from './schema.ts'
import { uniqueSlug } from '../text/slugify.ts'
import type { Shelf, ShelfStores } from './store.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { PlacementStores } from './placement-store.ts'

/**
 * Changes the given fields of a shelf. A new name gives a new slug; a new position shifts the others. Refuses a taken
 * name with SHELF_NAME_TAKEN.
 */
export async function updateShelf(
  ctx: Call & BookAccessStores & ShelfStores & PlacementStores,
  { shelf: ref, ...changes }: UpdateShelf,
): Promise<ShelfResult> {
  let id = ''
  const change = (shelves: readonly Shelf[]): readonly Shelf[] => {
    const shelf = requireShelf(shelves, ref)
    id = shelf.id
    const from = shelves.indexOf(shelf)
    const others = shelves.filter((other) => other !== shelf)
    const changed = { ...shelf, ...rename(others, shelf, changes.name), ...recolor(changes.color) }
    return others.toSpliced(Math.min(changes.position ?? from, others.length), 0, changed)
  }
  return presentShelfById(ctx, await ctx.shelves.change(ctx.actor.id, change, ctx.now()), id)
}

function rename(others: readonly Shelf[], shelf: Shelf, name: string | undefined): Partial<Shelf> {
  if (name === undefined || name === shelf.name) return {}
  requireUniqueName(others, name)
  return { name, slug: uniqueSlug(name, new Set(others.map(({ slug }) => slug))) }
}

/** Null clears the colour. */
function recolor(color: string | null | undefined): Partial<Shelf> {
  return color === undefined ? {} : { color }
}
