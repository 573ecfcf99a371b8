import { requireOwnListing } from './find-listing.ts'
import { refreshListing } from './refresh-listing.ts'
import type { ListingRef, Success } from './schema.ts'
import type { Call } from '../core/context.ts'
import type { ListingUpdateStores } from './refresh-listing.ts'
import type { AuditServices } from '../accounts/audit.ts'

/**
 * Withdraws one of the caller's listings from the marketplace. Subscribers keep the book and are notified. Idempotent.
 */
export async function withdrawListing(
  ctx: Call & ListingUpdateStores & AuditServices,
  { id }: ListingRef,
): Promise<Success> {
  const { itemId, ownerId } = await requireOwnListing(ctx, id)
  const at = ctx.now()
  const set = { status: 'WITHDRAWN' as const, withdrawnAt: at, announcedAt: null, updatedAt: at }
  const withdrawn = await ctx.listings.change(ownerId, id, { set, status: 'LIVE' })
  if (withdrawn) await ctx.audit.record({ type: 'listing_withdrawn', by: ctx, detail: { listing: id, item: itemId } })
  await refreshListing(ctx, { id: itemId, ownerId })
  return { success: true }
}
