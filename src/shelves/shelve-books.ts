import { findAccessibleBooks } from '../books/access.ts'
import { requireShelf } from './find-shelf.ts'
import type { AddedToShelf, RemovedFromShelf, ShelfBooks } from './schema.ts'
import type { Placement, PlacementStores } from './placement-store.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { ShelfStores } from './store.ts'

/**
 * Puts books on a shelf. Idempotent. Returns the ids of newly placed books, and in `notFound` those that the caller
 * cannot see.
 */
export async function addToShelf(
  ctx: Call & BookAccessStores & ShelfStores & PlacementStores,
  { shelf: ref, itemIds }: ShelfBooks,
): Promise<AddedToShelf> {
  const shelf = requireShelf(await ctx.shelves.list(ctx.actor.id), ref)
  const requestedIds = [...new Set(itemIds)]
  const found = new Map(
    (await findAccessibleBooks(ctx, requestedIds)).map(({ id, access }) => [id, access.kind === 'granted']),
  )
  const { accessible, added } = await addPlacements(
    ctx,
    [...found].map(([itemId, granted]) => ({ shelfId: shelf.id, itemId, ...(granted ? { granted } : {}) })),
  )
  return {
    added: requestedIds.filter((id) => added.has(id)),
    notFound: requestedIds.filter((id) => !accessible.has(id)),
  }
}

/** Takes books off a shelf and returns how many were on it; they stay in the library. */
export async function removeFromShelf(
  ctx: Call & ShelfStores & PlacementStores,
  { shelf: ref, itemIds }: ShelfBooks,
): Promise<RemovedFromShelf> {
  const { id } = requireShelf(await ctx.shelves.list(ctx.actor.id), ref)
  return { removed: await ctx.placements.remove(ctx.actor.id, id, [...new Set(itemIds)]) }
}

/** Puts a book on every shelf of the caller that contains another book. */
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

interface PlacedBooks {
  /** Ids of all books that are still in the library. */
  accessible: ReadonlySet<string>
  /** Ids of newly placed books. */
  added: ReadonlySet<string>
}

/** Adds placements, and removes those whose books have left the library in the meantime. */
async function addPlacements(
  ctx: Call & BookAccessStores & PlacementStores,
  placements: readonly Placement[],
): Promise<PlacedBooks> {
  if (placements.length === 0) return { accessible: new Set(), added: new Set() }
  const placed = await ctx.placements.add(ctx.actor.id, placements)
  const itemIds = [...new Set(placements.map(({ itemId }) => itemId))]
  const accessible = new Set((await findAccessibleBooks(ctx, itemIds)).map(({ id }) => id))
  const inaccessible = itemIds.filter((id) => !accessible.has(id))
  if (inaccessible.length > 0) await removeInaccessible(ctx, inaccessible)
  const added = new Set(placed.flatMap(({ itemId }) => (accessible.has(itemId) ? itemId : [])))
  return { accessible, added }
}

/** Takes books off the caller's shelves that the caller cannot see, but not those that are back by now. */
async function removeInaccessible(ctx: Call & BookAccessStores & PlacementStores, itemIds: readonly string[]) {
  const removals = new Map<string, () => Promise<void>>()
  for (const id of itemIds) removals.set(id, await ctx.placements.planRemoval(id, ctx.actor.id))
  // After the plans: what they have found is from before a book is brought back.
  for (const { id } of await findAccessibleBooks(ctx, itemIds)) removals.delete(id)
  for (const remove of removals.values()) await remove()
}
