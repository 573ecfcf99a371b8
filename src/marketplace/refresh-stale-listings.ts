import type { SubscriptionUpdateStores } from './reconcile-subscription.ts'
import { refreshListing } from './refresh-listing.ts'
import { removeListing } from './remove-listing.ts'

const staleAfterMs = 60_000
const batchSize = 200

/**
 * Refreshes listings that stayed stale for over a minute because a process died. Removes those without a book: their
 * publication was interrupted after the book had been deleted. At most 200 per call.
 */
export async function refreshStaleListings(services: SubscriptionUpdateStores): Promise<void> {
  const { books, listings, now } = services
  const before = new Date(now().getTime() - staleAfterMs)
  for (const listing of await listings.listStale(before, batchSize)) {
    const { itemId, ownerId } = listing
    const [book] = await books.findOwned(ownerId, [itemId])
    if (book) await refreshListing(services, book)
    else await removeListing(services, listing)
  }
}
