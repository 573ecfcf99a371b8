import type { AccountStores } from '../accounts/store.ts'
import type { Call } from '../core/context.ts'
import { browseMarketplace } from './browse-marketplace.ts'
import type { ListingStores } from './listing-store.ts'
import type { BrowseMarketplace, Listing } from './schema.ts'
import type { SubscriptionStores } from './subscription-store.ts'

/** A listing with its relation to a reader. */
export interface DiscoveredListing extends Listing {
  itemId: string
  /** `own`: the reader published it. `added`: it is in the reader's library. */
  relation: 'own' | 'added' | 'new'
}

export interface DiscoveredPage {
  listings: DiscoveredListing[]
  total: number
  page: number
  totalPages: number
}

/** One page of the marketplace, like `browseMarketplace`, with the relation of each book to the caller. */
export async function discoverListings(
  ctx: Call & ListingStores & SubscriptionStores & AccountStores,
  query: BrowseMarketplace,
): Promise<DiscoveredPage> {
  const { listings, ...paging } = await browseMarketplace(ctx, query)
  const rows = new Map((await ctx.listings.byIds(listings.map(({ id }) => id))).map((row) => [row.id, row]))
  const itemIds = [...rows.values()].map(({ itemId }) => itemId)
  const subscribed = itemIds.length > 0 ? await ctx.subscriptions.listByAccount(ctx.actor.id, itemIds) : []
  const added = new Set(subscribed.map(({ itemId }) => itemId))
  return {
    ...paging,
    listings: listings.flatMap((listing): DiscoveredListing[] => {
      const row = rows.get(listing.id)
      // Deleted in the meantime.
      if (!row || !('item' in listing)) return []
      const { itemId, ownerId } = row
      const relation = ownerId === ctx.actor.id ? 'own' : added.has(itemId) ? 'added' : 'new'
      return [{ ...listing, itemId, relation }]
    }),
  }
}
