import type { NoInput } from '../accounts/schema.ts'
import type { Context } from '../core/context.ts'
import type { OwnListings } from './schema.ts'
import { showOwnListing } from './show-listing.ts'

/** The caller's listings, withdrawn ones too, newest first. */
export async function listListings(ctx: Context, _: NoInput): Promise<OwnListings> {
  const listings = await ctx.listings.list(ctx.actor.id)
  const books = await ctx.books.owned(
    ctx.actor.id,
    listings.map(({ itemId }) => itemId),
  )
  const byId = new Map(books.map((book) => [book.id, book]))
  return {
    listings: listings.flatMap((listing) => {
      const book = byId.get(listing.itemId)
      return book ? [showOwnListing(ctx, listing, book)] : []
    }),
  }
}
