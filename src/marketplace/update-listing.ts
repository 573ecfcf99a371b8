import { listingNotFound, ownListing, showListing } from './find-listing.ts'
import { refreshListing } from './refresh-listing.ts'
import type { OneListing, UpdateListing } from './schema.ts'
import { readCategory, tagsOf } from './listing-terms.ts'
import type { Call } from '../core/context.ts'
import type { ListingUpdateStores } from './refresh-listing.ts'

/** Changes what is given of an own listing, withdrawn or not; those who have added the book are bound by it at once. */
export async function updateListing(
  ctx: Call & ListingUpdateStores,
  { id, ...input }: UpdateListing,
): Promise<OneListing> {
  const { category, tags, proOnly, freeUntil } = input
  const wanted = {
    ...(category === undefined ? {} : { category: category === null ? null : readCategory(category) }),
    ...(tags === undefined ? {} : { tags: tagsOf(tags) }),
  }
  const { itemId, ownerId } = await ownListing(ctx, id)
  const terms = {
    ...(proOnly === undefined ? {} : { proOnly }),
    ...(freeUntil === undefined ? {} : { freeUntil }),
  }
  if (Object.keys(input).length > 0) {
    // This marks the listing: what follows reaches it also when this process dies in between.
    if (!(await ctx.listings.change(ownerId, id, { set: { ...wanted, updatedAt: ctx.now() } }))) throw listingNotFound()
    if (Object.keys(terms).length > 0) await ctx.books.change(ownerId, itemId, { set: terms })
    await refreshListing(ctx, { id: itemId, ownerId })
  }
  return showListing(ctx, { id: itemId, ownerId })
}
