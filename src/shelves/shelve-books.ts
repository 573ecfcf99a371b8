import { findAccessibleBooks } from '../books/access.ts'
import { requireShelf } from './find-shelf.ts'
import type { AddedToShelf, RemovedFromShelf, ShelfBooks } from './schema.ts'
import type { Placement, PlacementStores } from './placement-store.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { ShelfStores } from './store.ts'

/** Puts books on a shelf. Idempotent. Returns ids that the caller cannot see in `notFound`. */
export async function addToShelf(
  ctx: Call & BookAccessStores & ShelfStores & PlacementStores,
  { shelf: ref, itemIds }: ShelfBooks,
): Promise<AddedToShelf> {
  const shelf = requireShelf(await ctx.shelves.list(ctx.actor.id), ref)
  const requestedIds = [...new Set(itemIds)]
  const found = new Map(
    (await findAccessibleBooks(ctx, requestedIds)).map(({ id, access }) => [id, access.kind === 'granted']),
  )
  const placed = await addPlacements(
    ctx,
    [...found].map(([itemId, granted]) => ({ shelfId: shelf.id, itemId, ...(granted ? { granted } : {}) })),
  )
  return { added: placed.size, notFound: requestedIds.filter((id) => !placed.has(id)) }
}

/** Takes books off a shelf and returns how many were on it; they stay in the library. */
export async function removeFromShelf(
  ctx: Call & ShelfStores & PlacementStores,
  { shelf: ref, itemIds }: ShelfBooks,
): Promise<RemovedFromShelf> {
  const { id } = requireShelf(await ctx.shelves.list(ctx.actor.id), ref)
  return { removed: await ctx.placements.remove(ctx.actor.id, id, [...new Set(itemIds)]) }
}

/** Puts a book on every shelf of the caller that has another book. */
export async function copyShelves(
  ctx: Call & BookAccessStores & PlacementStores,
  itemId: string,
  sourceItemId: string,
): Promise<void> {
  const placements = await ctx.placements.list(ctx.actor.id, { itemIds: [sourceItemId] })
  await addPlacements(
    ctx,
    placements.map(({ shelfId }) => ({ shelfId, itemId })),
  )
}

/**
 * Adds placements and returns the ids of their books, except those that left the library in the meantime, whose
 * placements it removes again.
 */
async function addPlacements(
  ctx: Call & BookAccessStores & PlacementStores,
  placements: readonly Placement[],
): Promise<Set<string>> {
  if (placements.length === 0) return new Set()
  await ctx.placements.add(ctx.actor.id, placements)
  const itemIds = [...new Set(placements.map(({ itemId }) => itemId))]
  const accessible = new Set((await findAccessibleBooks(ctx, itemIds)).map(({ id }) => id))
  const inaccessible = itemIds.filter((id) => !accessible.has(id))
  if (inaccessible.length > 0) await ctx.placements.removeFromAllShelves(ctx.actor.id, inaccessible)
  return accessible
}
