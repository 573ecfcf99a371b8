import { endSubscription, reconcileSubscription, type SubscriptionUpdateStores } from './reconcile-subscription.ts'
import { isPendingSubscription } from './subscription-slot-store.ts'

/**
 * Removes the listing of a book that is being deleted, and ends all its subscriptions, which releases their slots.
 * Idempotent: a repeat completes an interrupted removal.
 */
export async function removeListingOfBook(
  services: SubscriptionUpdateStores,
  ownerId: string,
  itemId: string,
): Promise<void> {
  // First: a subscription that is added after this finds no listing and ends itself (`reconcileSubscription`).
  await services.listings.removeByBook(ownerId, itemId)
  for await (const subscription of services.subscriptions.listByBook(ownerId, itemId))
    await endSubscription(services, subscription)
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
