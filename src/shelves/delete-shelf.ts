import { requireShelf } from './find-shelf.ts'
import type { ShelfRequest, Success } from './schema.ts'
import type { Call } from '../core/context.ts'
import type { ShelfStores } from './store.ts'
import type { PlacementStores } from './placement-store.ts'

/** Deletes a shelf; its books stay in the library. Refuses an unknown shelf with SHELF_NOT_FOUND. */
export async function deleteShelf(
  ctx: Call & ShelfStores & PlacementStores,
  { shelf: ref }: ShelfRequest,
): Promise<Success> {
  let id = ''
  await ctx.shelves.change(
    ctx.actor.id,
    (shelves) => {
      id = requireShelf(shelves, ref).id
      return shelves.filter((shelf) => shelf.id !== id)
    },
    ctx.now(),
  )
  await ctx.placements.clear(ctx.actor.id, id)
  return { success: true }
}

/**
 * Removes the placements of shelves deleted before `before`: those left by a crash, and those added by a call during
 * the deletion.
 */
export async function clearDeletedShelves(
  { shelves, placements }: ShelfStores & PlacementStores,
  before: Date,
): Promise<void> {
  for await (const { accountId, shelfId } of shelves.listRemoved(before)) {
    await placements.clear(accountId, shelfId)
    await shelves.completeRemoval(accountId, shelfId)
  }
}
