import { upgradeUrl } from '../accounts/charge-reads.ts'
import { AppError } from '../core/errors.ts'
import { presentShelfById } from './list-shelves.ts'
import { requireUniqueName } from './require-unique-name.ts'
import type { CreateShelf, Shelf as ShelfResult } from './schema.ts'
import { uniqueSlug } from '../text/slugify.ts'
import type { Shelf, ShelfStores } from './store.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { PlacementStores } from './placement-store.ts'

/**
 * Adds an empty shelf at the end. Refuses a taken name with SHELF_NAME_TAKEN, and any name at the plan's limit with
 * SHELF_LIMIT_EXCEEDED.
 */
export async function createShelf(
  ctx: Call & BookAccessStores & ShelfStores & PublicAddress & PlacementStores,
  { name, color }: CreateShelf,
): Promise<ShelfResult> {
  const id = ctx.newId()
  const at = ctx.now()
  const addShelf = (shelves: readonly Shelf[]): readonly Shelf[] => {
    if (shelves.some((shelf) => shelf.id === id)) return shelves
    requireUniqueName(shelves, name)
    if (shelves.length >= ctx.actor.plan.shelfLimit) throw shelfLimitError(ctx)
    const slug = uniqueSlug(name, new Set(shelves.map((shelf) => shelf.slug)))
    return [...shelves, { id, name, slug, color: color ?? null, createdAt: at }]
  }
  return presentShelfById(ctx, await ctx.shelves.change(ctx.actor.id, addShelf, at), id)
}

function shelfLimitError(ctx: Call & PublicAddress): AppError {
  const { shelfLimit, tier, tierDisplay } = ctx.actor.plan
  const message =
    `Shelf limit reached: the ${tierDisplay} plan allows ${shelfLimit}. ` +
    `Delete a shelf or upgrade: ${upgradeUrl(ctx)}`
  return new AppError('SHELF_LIMIT_EXCEEDED', message, {
    details: { tier, limit: shelfLimit, upgradeUrl: upgradeUrl(ctx) },
  })
}
