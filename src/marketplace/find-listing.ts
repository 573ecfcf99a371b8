import type { Book } from '../books/book.ts'
import { itemNotFound } from '../books/find-book.ts'
import { AppError } from '../core/errors.ts'
import type { Listing, ListingStores } from './listing-store.ts'
import type { ListingResult } from './schema.ts'
import { presentOwnListing } from './present-listing.ts'
import type { Call } from '../core/context.ts'
import type { BookStores } from '../books/store.ts'

/** One of the caller's own listings. Refuses an unknown or foreign one with NOT_FOUND. */
export async function requireOwnListing(ctx: Call & ListingStores, id: string): Promise<Listing> {
  const listing = await ctx.listings.findOwned(ctx.actor.id, id)
  if (!listing) throw listingNotFoundError()
  return listing
}

/** The refusal of a listing that is not there, or that the caller cannot have: both look the same. */
export function listingNotFoundError(): AppError {
  return new AppError('NOT_FOUND', 'Listing not found')
}

/** The answer with the listing of an own book as it is now. */
export async function presentListingOfBook(
  ctx: Call & ListingStores & BookStores,
  { id, ownerId }: Pick<Book, 'id' | 'ownerId'>,
): Promise<ListingResult> {
  const [listing, [book]] = await Promise.all([
    ctx.listings.findByBook(ownerId, id),
    ctx.books.findOwned(ownerId, [id]),
  ])
  if (!listing || !book) throw itemNotFound()
  return { listing: presentOwnListing(ctx, listing, book) }
}
