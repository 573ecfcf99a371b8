import { loadAccountNames } from '../accounts/load-account-names.ts'
import type { Book } from '../books/book.ts'
import type { BrowsedListing, Listing as StoredListing } from './listing-store.ts'
import type { Listing, OwnListing } from './schema.ts'
import type { Call } from '../core/context.ts'
import type { AccountStores } from '../accounts/store.ts'

/** Listings as everybody sees them, in the given order. */
export async function presentListings(
  ctx: Call & AccountStores,
  listings: readonly BrowsedListing[],
): Promise<Listing[]> {
  const nameOf = await loadAccountNames(
    ctx,
    listings.map(({ ownerId }) => ownerId),
  )
  return listings.map((listing) => {
    const seller = nameOf(listing.ownerId)
    const isQuoted = ctx.transport === 'mcp' && listing.ownerId !== ctx.actor.id
    return { ...presentListing(listing, seller), ...(isQuoted ? { quotedFrom: seller } : {}) }
  })
}

function presentListing(listing: BrowsedListing, name: string): Listing {
  const { id, slug, category, proOnly, tags, subscriberCount, createdAt, item } = listing
  const seller = { name, imageUrl: null }
  return { id, slug, category, proOnly, tags, subscriberCount, createdAt: createdAt.toISOString(), item, seller }
}

/** One of the caller's listings, with the fields that only its publisher sees. */
export function presentOwnListing({ actor }: Pick<Call, 'actor'>, listing: StoredListing, book: Book): OwnListing {
  const { itemId, status, updatedAt } = listing
  return {
    ...presentListing(listing, actor.account.name),
    itemId,
    status,
    // The book decides what readers may do; the listing holds a copy.
    proOnly: book.proOnly,
    freeUntil: book.freeUntil?.toISOString() ?? null,
    updatedAt: updatedAt.toISOString(),
  }
}
