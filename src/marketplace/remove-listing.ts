import { endSubscription, reconcileSubscription, type SubscriptionUpdateStores } from './reconcile-subscription.ts'
import { isPendingSubscription } from './subscription-slot-store.ts'

/**
 * Finds the listing of a deleted book. The returned function removes exactly that one and ends the subscriptions whose
 * listing is gone, which releases their slots. Idempotent: a repeat completes an interrupted removal.
 */
export async function planListingRemoval(
  services: SubscriptionUpdateStores,
  ownerId: string,
  itemId: string,
): Promise<() => Promise<void>> {
  const { listings, subscriptions } = services
  const listing = await listings.findByBook(ownerId, itemId)
  return async () => {
    // First: a subscription that is added after this finds no listing and ends itself (`reconcileSubscription`).
    if (listing) await listings.remove(ownerId, listing.id)
    for await (const subscription of subscriptions.listByBook(ownerId, itemId)) {
      if (!(await listings.byId(subscription.listingId))) await endSubscription(services, subscription)
    }
  }
}

/**
 * Ends all subscriptions of an account that is being erased, including pending ones. Idempotent: a repeat completes an
 * interrupted erasure.
 */
export async function endSubscriptionsOfAccount(services: SubscriptionUpdateStores, accountId: string): Promise<void> {
  const account = await services.accounts.byId(accountId)
  for (const pending of account?.pending.filter(isPendingSubscription) ?? []) {
    await reconcileSubscription(services, accountId, pending)
  }
  for (const subscription of await services.subscriptions.listByAccount(accountId, null))
    await endSubscription(services, subscription)
}
