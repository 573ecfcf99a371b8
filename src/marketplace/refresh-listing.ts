import type { BookStores } from '../books/store.ts'
import type { SubscriptionStores } from './subscription-store.ts'
import type { Book } from '../books/book.ts'
import { notifyWithdrawal } from './notify-withdrawal.ts'
import { deriveListing } from './derive-listing.ts'
import type { Clock } from '../core/context.ts'
import type { ListingStores } from './listing-store.ts'
import type { NotificationStores } from '../notifications/store.ts'

/** The stores that refreshing a listing needs. */
export type ListingUpdateStores = Clock & BookStores & ListingStores & NotificationStores & SubscriptionStores

/**
 * Recomputes the derived fields of the listing of a book, if it has one, and notifies of a withdrawal. Call it after
 * every change of the book, its subscriptions or the listing.
 * Each call first marks the listing stale and then reads; only the call that marked it last stores its result. So the
 * last change is always included, and the sweep (`refreshStaleListings`) completes a refresh that a crash interrupted.
 */
export async function refreshListing(
  services: ListingUpdateStores,
  { id: itemId, ownerId }: Pick<Book, 'id' | 'ownerId'>,
): Promise<void> {
  const { books, listings, subscriptions, now } = services
  const listing = await listings.markStale(ownerId, itemId)
  if (!listing) return
  const [[book], subscribers] = await Promise.all([
    books.findOwned(ownerId, [itemId]),
    subscriptions.countByBook(ownerId, itemId),
  ])
  // The book is being deleted, and its listing with it.
  if (!book) return
  let { announcedAt } = listing
  if (listing.status === 'WITHDRAWN' && announcedAt === null) {
    await notifyWithdrawal(services, listing)
    announcedAt = now()
  }
  const set = { ...deriveListing(listing, book, subscribers), announcedAt }
  await listings.saveDerived(ownerId, listing.id, { due: listing.due, set })
}
