import { listingNotFoundError, requireOwnListing, presentListingOfBook } from './find-listing.ts'
import { refreshListing } from './refresh-listing.ts'
import type { ListingResult, UpdateListing } from './schema.ts'
import { parseCategory, parseTags } from './listing-terms.ts'
import type { Call } from '../core/context.ts'
import type { ListingUpdateStores } from './refresh-listing.ts'

/**
 * Changes the given fields of one of the caller's listings, live or withdrawn. New terms apply to existing subscribers
 * at once.
 */
export async function updateListing(
  ctx: Call & ListingUpdateStores,
  { id, ...input }: UpdateListing,
): Promise<ListingResult> {
  const { category, tags, proOnly, freeUntil } = input
  const listingFields = {
    ...(category === undefined ? {} : { category: category === null ? null : parseCategory(category) }),
    ...(tags === undefined ? {} : { tags: parseTags(tags) }),
  }
  const { itemId, ownerId } = await requireOwnListing(ctx, id)
  const bookFields = {
    ...(proOnly === undefined ? {} : { proOnly }),
    ...(freeUntil === undefined ? {} : { freeUntil }),
  }
  if (Object.keys(input).length > 0) {
    // This marks the listing stale, so that the sweep refreshes it if this process dies before `refreshListing`.
    if (!(await ctx.listings.change(ownerId, id, { set: { ...listingFields, updatedAt: ctx.now() } })))
      throw listingNotFoundError()
    if (Object.keys(bookFields).length > 0) await ctx.books.change(ownerId, itemId, { set: bookFields })
    await refreshListing(ctx, { id: itemId, ownerId })
  }
  return presentListingOfBook(ctx, { id: itemId, ownerId })
}
