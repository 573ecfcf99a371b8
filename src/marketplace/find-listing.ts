import type { Book } from '../books/book.ts'
import { itemNotFound } from '../books/find-book.ts'
import { AppError } from '../core/errors.ts'
import type { Listing, ListingStores } from './listing-store.ts'
import type { ListingResult } from './schema.ts'
import { presentOwnListing } from './present-listing.ts'
import type { Call } from '../core/context.ts'
import type { BookStores } from '../books/store.ts'

/** One of the caller's listings. Throws NOT_FOUND if it does not exist or belongs to another account. */
export async function requireOwnListing(ctx: Call & ListingStores, id: string): Promise<Listing> {
  const listing = await ctx.listings.findOwned(ctx.actor.id, id)
  if (!listing) throw listingNotFoundError()
  return listing
}

/**
 * The error for a listing that does not exist or that the caller may not access; the two cases are indistinguishable.
 */
export function listingNotFoundError(): AppError {
  return new AppError('NOT_FOUND', 'Listing not found')
}

/**
 * The response with the current listing of one of the caller's books. Throws NOT_FOUND if the book or its listing was
 * deleted.
 */
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
