import { dailyId } from '../core/ids.ts'
import type { Listing } from './listing-store.ts'
import type { NotificationStores } from '../notifications/store.ts'
import type { SubscriptionStores } from './subscription-store.ts'

/**
 * Notifies all subscribers of a book that its listing was withdrawn: once a day, however often it is called and the book is
 * withdrawn, so that its author cannot push other notifications out of their lists.
 */
export async function notifyWithdrawal(
  { notifications, subscriptions }: NotificationStores & SubscriptionStores,
  { id: listingId, itemId, ownerId, slug, item, withdrawnAt }: Listing,
): Promise<void> {
  if (withdrawnAt === null) return
  for await (const { accountId } of subscriptions.listByBook(ownerId, itemId)) {
    await notifications.add({
      id: dailyId(withdrawnAt, `listing_withdrawn:${listingId}:${accountId}`),
      accountId,
      type: 'listing_withdrawn',
      title: `"${item.title}" is no longer on the marketplace`,
      body: 'It stays in your library and you can still read it. If you remove it, you cannot add it again.',
      metadata: { itemId, listingId, slug },
      createdAt: withdrawnAt,
      readAt: null,
    })
  }
}
