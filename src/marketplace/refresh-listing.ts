import type { BookStores } from '../books/store.ts'
import type { SubscriptionStores } from './subscription-store.ts'
import type { Book } from '../books/book.ts'
import { notifyWithdrawal } from './notify-withdrawal.ts'
import { deriveListing } from './derive-listing.ts'
import type { Clock } from '../core/context.ts'
import type { ListingStores } from './listing-store.ts'
import type { NotificationStores } from '../notifications/store.ts'

/** What it takes to bring a listing up to date. */
export type ListingUpdateStores = Clock & BookStores & ListingStores & NotificationStores & SubscriptionStores

/**
 * Brings the listing of a book up to date with the book, its subscriptions and its own fields; nothing to do for a book
 * without one. Call it after a change. Each call first marks the listing and reads afterwards; only the call that marked
 * it last stores what it read. So the last one to change something is also the last one to count, and a mark that a crash
 * left is settled by the sweep.
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
  // The book is being removed, and its listing with it.
  if (!book) return
  let { announcedAt } = listing
  if (listing.status === 'WITHDRAWN' && announcedAt === null) {
    await notifyWithdrawal(services, listing)
    announcedAt = now()
  }
  const set = { ...deriveListing(listing, book, subscribers), announcedAt }
  await listings.saveDerived(ownerId, listing.id, { due: listing.due, set })
}

const staleAfterMs = 60_000
const batchSize = 200

/** Brings up to date what crashes have left behind. */
export async function refreshStaleListings(services: ListingUpdateStores): Promise<void> {
  const before = new Date(services.now().getTime() - staleAfterMs)
  for (const { itemId, ownerId } of await services.listings.listStale(before, batchSize)) {
    await refreshListing(services, { id: itemId, ownerId })
  }
}
