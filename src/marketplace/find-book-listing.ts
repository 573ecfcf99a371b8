import type { Call } from '../core/context.ts'
import type { Listing, ListingStores } from './listing-store.ts'

/** The listing of one of the caller's books, live or withdrawn; null if it was never published. */
export async function findBookListing(ctx: Call & ListingStores, itemId: string): Promise<Listing | null> {
  return ctx.listings.findByBook(ctx.actor.id, itemId)
}

/** The listing of a book that is on the marketplace, whoever owns it; null for every other book. */
export async function findLiveListing(ctx: ListingStores, itemId: string): Promise<Listing | null> {
  return ctx.listings.findLive(itemId)
}
