import { findAccessibleBooks } from '../books/access.ts'
import type { Placement, PlacementStores } from './placement-store.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'

/**
 * Number of visible books on each of the caller's shelves; counts other accounts' books only while the caller may read
 * them.
 */
export async function countBooksByShelf(
  ctx: Call & BookAccessStores & PlacementStores,
): Promise<ReadonlyMap<string, number>> {
  const [own, granted] = await Promise.all([
    ctx.placements.countByShelf(ctx.actor.id),
    ctx.placements.listGranted(ctx.actor.id),
  ])
  const counts = new Map(own)
  const unreadable = new Set(await findUnreadablePlacements(ctx, granted))
  for (const placement of granted) {
    if (!unreadable.has(placement)) counts.set(placement.shelfId, (counts.get(placement.shelfId) ?? 0) + 1)
  }
  return counts
}

/** Number of visible books on one shelf. */
export async function countBooksOnShelf(
  ctx: Call & BookAccessStores & PlacementStores,
  shelfId: string,
): Promise<number> {
  const placements = await ctx.placements.list(ctx.actor.id, { shelfId })
  const granted = placements.filter((placement) => placement.granted)
  return placements.length - (await findUnreadablePlacements(ctx, granted)).length
}

/** The placements of books that the caller may no longer read. */
async function findUnreadablePlacements(
  ctx: Call & BookAccessStores,
  granted: readonly Placement[],
): Promise<Placement[]> {
  if (granted.length === 0) return []
  const books = await findAccessibleBooks(ctx, [...new Set(granted.map(({ itemId }) => itemId))])
  const readable = new Set(books.map(({ id }) => id))
  return granted.filter(({ itemId }) => !readable.has(itemId))
}
