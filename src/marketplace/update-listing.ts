import { listingNotFoundError, requireOwnListing, presentListingOfBook } from './find-listing.ts'
import { refreshListing } from './refresh-listing.ts'
import type { ListingResult, UpdateListing } from './schema.ts'
import { parseCategory, parseTags } from './listing-terms.ts'
import type { Call } from '../core/context.ts'
import type { ListingUpdateStores } from './refresh-listing.ts'

/** Changes what is given of an own listing, withdrawn or not; those who have added the book are bound by it at once. */
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
    // This marks the listing: what follows reaches it also when this process dies in between.
    if (!(await ctx.listings.change(ownerId, id, { set: { ...listingFields, updatedAt: ctx.now() } })))
      throw listingNotFoundError()
    if (Object.keys(bookFields).length > 0) await ctx.books.change(ownerId, itemId, { set: bookFields })
    await refreshListing(ctx, { id: itemId, ownerId })
  }
  return presentListingOfBook(ctx, { id: itemId, ownerId })
}
