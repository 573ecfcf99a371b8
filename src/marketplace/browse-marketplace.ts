import { clipTitle } from '../books/clip-title.ts'
import { slugOf } from '../text/slugify.ts'
import { facetOf } from './derive-listing.ts'
import { beginningsOf } from './listing-search-words.ts'
import type { BrowseMarketplace, Listing, ListingPage, ListingSummary } from './schema.ts'
import { showListings } from './present-listing.ts'
import { readCategory } from './listing-terms.ts'
import type { Call } from '../core/context.ts'
import type { ListingStores } from './listing-store.ts'
import type { AccountStores } from '../accounts/store.ts'

/** A page of what others have published. Every word of a search must begin a word of the title, author, description or tags. */
export async function browseMarketplace(
  ctx: Call & ListingStores & AccountStores,
  { query, tag, category, proOnly, since, sort, page, limit }: BrowseMarketplace & { since?: Date },
): Promise<ListingPage> {
  const facets = [
    ...(tag === undefined ? [] : [facetOf.tag(slugOf(tag))]),
    ...(category === undefined ? [] : [facetOf.category(readCategory(category))]),
    ...(proOnly ? [facetOf.pro] : []),
  ]
  const beginnings = beginningsOf(query ?? '')
  const wish = {
    facets: facets.length > 0 ? facets : [facetOf.live],
    beginnings,
    since: since ?? null,
    sort,
    page,
    limit,
  }
  const nothing = query !== undefined && query.trim() !== '' && beginnings.length === 0
  const { listings, total } = nothing ? { listings: [], total: 0 } : await ctx.listings.browse(wish)
  const place = { total, page, totalPages: Math.ceil(total / limit) }
  return { listings: fitting(ctx, await showListings(ctx, listings)), ...place }
}

const shownOfDescription = 160

/** All listings of a page: whole, else with shortened descriptions, else in short rows. */
function fitting({ budget }: Call, listings: Listing[]): ListingPage['listings'] {
  const fits = (rows: readonly object[]) => budget.list === Infinity || budget.cost(JSON.stringify(rows)) <= budget.list
  if (fits(listings)) return listings
  const shorter = listings.map((listing) => ({ ...listing, item: shorten(listing.item) }))
  return fits(shorter) ? shorter : listings.map(summarise)
}

function shorten(item: Listing['item']): Listing['item'] {
  const { description } = item
  if (description === null || description.length <= shownOfDescription) return item
  return { ...item, description: `${description.slice(0, shownOfDescription).toWellFormed()}…` }
}

function summarise({ id, item, proOnly, subscriberCount }: Listing): ListingSummary {
  const { title, author } = item
  return {
    id,
    title: clipTitle(title),
    ...(author === null ? {} : { author: clipTitle(author) }),
    ...(proOnly ? { proOnly } : {}),
    subscriberCount,
  }
}
