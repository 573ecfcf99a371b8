import type { AccountStores } from '../accounts/store.ts'
import { AppError } from '../core/errors.ts'
import { refreshListing, type ListingUpdateStores } from './refresh-listing.ts'
import type { PendingSubscription, SubscriptionRef, SubscriptionSlotStores } from './subscription-slot-store.ts'
import type { Subscription } from './subscription-store.ts'
import type { PlacementStores } from '../shelves/placement-store.ts'
import type { ShareStores } from '../teams/share-store.ts'

/**
 * The stores that are written when a subscription is ended or reconciled: the slot of the account, the book on its
 * shelves, the listing.
 */
export type SubscriptionUpdateStores = ListingUpdateStores &
  AccountStores &
  SubscriptionSlotStores &
  PlacementStores &
  ShareStores

/**
 * Completes a pending change of a subscription. The call that began it does so, or another call that encounters it, or
 * the sweep. Returns whether the subscription exists afterwards. A new subscription whose listing was removed meanwhile
 * is ended again. The call that has taken the slot (`isOwn`) is refused with TRANSIENT_CONFLICT, and its subscription is
 * removed, if the sweep has released the slot because the process had stopped for minutes.
 */
export async function reconcileSubscription(
  services: SubscriptionUpdateStores,
  accountId: string,
  { change, isOwn = false, ...slot }: SubscriptionRef & Pick<PendingSubscription, 'change'> & { isOwn?: boolean },
): Promise<boolean> {
  const { listings, subscriptions, subscriptionSlots: slots } = services
  const { id, itemId, ownerId } = slot
  const isConfirming = change === 'subscribe' && !isOwn
  const exists = await (isConfirming ? subscriptions.confirm(accountId, id) : subscriptions.has(accountId, id))
  if (change === 'subscribe') {
    if (exists && (await listings.findByBook(ownerId, itemId))) {
      await refreshListing(services, { id: itemId, ownerId })
      const isCleared = await slots.clearPending(accountId, id, 'subscribe')
      if (isCleared || !isOwn || !(await subscriptions.removeUnconfirmed(accountId, id))) return true
      await refreshListing(services, { id: itemId, ownerId })
      throw subscriptionChangingError()
    }
    if (!(await slots.commitToEnd(accountId, id, 'subscribe'))) return subscriptions.has(accountId, id)
  }
  // If the subscription was already removed when the change was marked, its slot was released already.
  if (change === 'leave' && !exists) await slots.clearPending(accountId, id, 'leave')
  else if (change === 'leave') await slots.commitToEnd(accountId, id, 'leave')
  await completeRemoval(services, accountId, slot)
  return false
}

/** Removes a subscription and the book from the reader's shelves, then releases the slot if it is still held. */
async function completeRemoval(
  services: SubscriptionUpdateStores,
  accountId: string,
  { id, itemId, ownerId }: SubscriptionRef,
) {
  const { subscriptions, subscriptionSlots, placements, shares } = services
  await subscriptions.remove(accountId, id)
  const removePlacements = await placements.planRemoval(itemId, accountId)
  const [remaining, shared] = await Promise.all([
    subscriptions.listByAccount(accountId, [itemId]),
    shares.visibleTo(accountId, [itemId]),
  ])
  // A book that a team also shares stays in the library, and on its shelves.
  if (remaining.length === 0 && shared.length === 0) await removePlacements()
  await refreshListing(services, { id: itemId, ownerId })
  await subscriptionSlots.release(accountId, id)
}

const maxAttempts = 20

/**
 * Ends a subscription and releases its slot; false if another call has ended it. Throws TRANSIENT_CONFLICT after 20
 * attempts.
 */
export async function endSubscription(
  services: SubscriptionUpdateStores,
  subscription: Subscription,
): Promise<boolean> {
  const { subscriptions, subscriptionSlots: slots, now } = services
  const { id, accountId, itemId, ownerId } = subscription
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (await slots.markEnding(accountId, { id, itemId, ownerId }, now())) {
      const existed = await subscriptions.has(accountId, id)
      await reconcileSubscription(services, accountId, { id, itemId, ownerId, change: 'leave' })
      return existed
    }
    const pending = await slots.findPending(accountId, itemId)
    if (pending) await reconcileSubscription(services, accountId, pending)
    if (!(await subscriptions.has(accountId, id))) return false
  }
  throw subscriptionChangingError()
}

function subscriptionChangingError(): AppError {
  return new AppError('TRANSIENT_CONFLICT', 'Other calls are changing this subscription. Retry in a second.', {
    retryAfterSeconds: 1,
    details: { retryAfterSeconds: 1 },
  })
}
