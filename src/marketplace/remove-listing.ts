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
  const listing = await services.listings.findByBook(ownerId, itemId)
  return () => removeListing(services, { ownerId, itemId, id: listing?.id ?? null })
}

/**
 * Removes a listing (id null: it is gone), with `due` only if it is unchanged, and ends the subscriptions to its book
 * whose listing is gone. Idempotent.
 */
export async function removeListing(
  services: SubscriptionUpdateStores,
  { ownerId, itemId, id, due }: { ownerId: string; itemId: string; id: string | null; due?: string },
): Promise<void> {
  const { listings, subscriptions } = services
  // First: a subscription that is added after this finds no listing and ends itself (`reconcileSubscription`).
  if (id !== null) await listings.remove(ownerId, id, due)
  for await (const subscription of subscriptions.listByBook(ownerId, itemId)) {
    if (!(await listings.byId(subscription.listingId))) await endSubscription(services, subscription)
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
