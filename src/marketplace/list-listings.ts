import type { NoInput } from '../accounts/schema.ts'
import type { OwnListings } from './schema.ts'
import { presentOwnListing } from './present-listing.ts'
import type { Call } from '../core/context.ts'
import type { ListingStores } from './listing-store.ts'
import type { BookStores } from '../books/store.ts'

/** The caller's listings, including withdrawn ones, newest first. */
export async function listListings(ctx: Call & ListingStores & BookStores, _: NoInput): Promise<OwnListings> {
  const listings = await ctx.listings.list(ctx.actor.id)
  const books = await ctx.books.findOwned(
    ctx.actor.id,
    listings.map(({ itemId }) => itemId),
  )
  const byId = new Map(books.map((book) => [book.id, book]))
  return {
    listings: listings.flatMap((listing) => {
      const book = byId.get(listing.itemId)
      return book ? [presentOwnListing(ctx, listing, book)] : []
    }),
  }
}
