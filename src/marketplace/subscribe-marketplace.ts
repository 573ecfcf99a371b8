import { libraryFull } from '../books/with-slot.ts'
import { AppError } from '../core/errors.ts'
import { listingNotFoundError } from './find-listing.ts'
import type { Listing } from './listing-store.ts'
import type { SubscribeMarketplace, Subscribed } from './schema.ts'
import { reconcileSubscription } from './reconcile-subscription.ts'
import type { SubscriptionRef } from './subscription-slot-store.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { SubscriptionUpdateStores } from './reconcile-subscription.ts'

/**
 * Adds a marketplace book to the caller's library; it takes one slot. A repeat changes nothing and sets
 * `alreadySubscribed`, or throws CONFLICT with `refuseRepeat`. Throws NOT_FOUND for an unknown or withdrawn listing and
 * INVALID_INPUT for the caller's own one.
 */
export async function subscribeMarketplace(
  ctx: Call & SubscriptionUpdateStores & PublicAddress,
  { listingId, refuseRepeat }: SubscribeMarketplace & { refuseRepeat?: boolean },
): Promise<Subscribed> {
  const listing = await ctx.listings.byId(listingId)
  if (!listing) throw listingNotFoundError()
  const { itemId, ownerId } = listing
  if (ownerId === ctx.actor.id) {
    throw new AppError('INVALID_INPUT', 'Cannot subscribe to your own listing: the book is already in your library.')
  }
  const answerRepeat = () => presentRepeat(listing, refuseRepeat ?? false)
  if ((await ctx.subscriptions.listByAccount(ctx.actor.id, [itemId])).length > 0) return answerRepeat()
  if (listing.status === 'WITHDRAWN') throw listingNotFoundError()
  const { isOwn, ...slot } = await takeOrJoinSlot(ctx, { id: ctx.newId(), itemId, ownerId })
  const added = await ctx.subscriptions.add({
    ...slot,
    accountId: ctx.actor.id,
    listingId: listing.id,
    createdAt: ctx.now(),
    ...(listing.sinceVersion === undefined ? {} : { sinceVersion: listing.sinceVersion }),
  })
  const isActive = await reconcileSubscription(ctx, ctx.actor.id, { ...slot, isOwn, change: 'subscribe' })
  if (added && isActive) return { success: true, itemId }
  if ((await ctx.subscriptions.listByAccount(ctx.actor.id, [itemId])).length > 0) return answerRepeat()
  throw listingNotFoundError()
}

const maxAttempts = 20

/**
 * Takes a slot for a new subscription, or joins the pending one if this account is adding the same book in another
 * call. Throws PLAN_LIMIT_EXCEEDED without a free slot.
 */
async function takeOrJoinSlot(
  ctx: Call & SubscriptionUpdateStores & PublicAddress,
  slot: SubscriptionRef,
): Promise<SubscriptionRef & { isOwn: boolean }> {
  const { id: accountId, plan } = ctx.actor
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (await ctx.subscriptionSlots.take(accountId, slot, { limit: plan.itemLimit, at: ctx.now() }))
      return { ...slot, isOwn: true }
    const pending = await ctx.subscriptionSlots.findPending(accountId, slot.itemId)
    if (!pending) {
      const slots = (await ctx.accounts.byId(accountId))?.slots ?? plan.itemLimit
      if (slots >= plan.itemLimit) throw await libraryFull(ctx)
    } else if (pending.change === 'subscribe') {
      return { id: pending.id, itemId: slot.itemId, ownerId: slot.ownerId, isOwn: false }
    } else {
      await reconcileSubscription(ctx, accountId, pending)
    }
  }
  throw await libraryFull(ctx)
}

function presentRepeat({ itemId }: Listing, refuse: boolean): Subscribed {
  if (!refuse) return { success: true, itemId, alreadySubscribed: true }
  throw new AppError('CONFLICT', 'Already subscribed to this listing', { details: { itemId } })
}
