import { AppError } from '../core/errors.ts'
import type { SubscribeMarketplace, Success } from './schema.ts'
import { endSubscription } from './reconcile-subscription.ts'
import type { Call } from '../core/context.ts'
import type { SubscriptionUpdateStores } from './reconcile-subscription.ts'

/**
 * Removes a marketplace book from the caller's library and shelves and releases its slot. Also works for withdrawn
 * listings. Throws NOT_FOUND without a subscription.
 */
export async function unsubscribeMarketplace(
  ctx: Call & SubscriptionUpdateStores,
  { listingId }: SubscribeMarketplace,
): Promise<Success> {
  const listing = await ctx.listings.byId(listingId)
  const [held] = listing ? await ctx.subscriptions.listByAccount(ctx.actor.id, [listing.itemId]) : []
  if (held && (await endSubscription(ctx, held))) return { success: true }
  throw new AppError('NOT_FOUND', 'No subscription found for this listing')
}
