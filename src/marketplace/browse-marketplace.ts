import { clipTitle } from '../books/clip-title.ts'
import { slugify } from '../text/slugify.ts'
import { facet } from './derive-listing.ts'
import { searchPrefixes } from './listing-search-words.ts'
import type { BrowseMarketplace, Listing, ListingPage, ListingSummary } from './schema.ts'
import { presentListings } from './present-listing.ts'
import { parseCategory } from './listing-terms.ts'
import type { Call } from '../core/context.ts'
import type { ListingStores } from './listing-store.ts'
import type { AccountStores } from '../accounts/store.ts'

/**
 * One page of the live listings that match a query. A search matches a listing when each of its words begins a word of
 * the title, author, description or tags.
 */
export async function browseMarketplace(
  ctx: Call & ListingStores & AccountStores,
  { query, tag, category, proOnly, since, sort, page, limit }: BrowseMarketplace & { since?: Date },
): Promise<ListingPage> {
  const facets = [
    ...(tag === undefined ? [] : [facet.tag(slugify(tag))]),
    ...(category === undefined ? [] : [facet.category(parseCategory(category))]),
    ...(proOnly ? [facet.pro] : []),
  ]
  const prefixes = searchPrefixes(query ?? '')
  const listingQuery = {
    facets: facets.length > 0 ? facets : [facet.live],
    prefixes,
    since: since ?? null,
    sort,
    page,
    limit,
  }
  const matchesNothing = query !== undefined && query.trim() !== '' && prefixes.length === 0
  const { listings, total } = matchesNothing ? { listings: [], total: 0 } : await ctx.listings.browse(listingQuery)
  const pagination = { total, page, totalPages: Math.ceil(total / limit) }
  return { listings: fitListings(ctx, await presentListings(ctx, listings)), ...pagination }
}

const maxDescriptionLength = 160

/** All listings of a page. If they exceed the budget, with shortened descriptions; if they still do, as summaries. */
function fitListings({ budget }: Call, listings: Listing[]): ListingPage['listings'] {
  const fits = (rows: readonly object[]) =>
    budget.maxListCost === Infinity || budget.cost(JSON.stringify(rows)) <= budget.maxListCost
  if (fits(listings)) return listings
  const shortened = listings.map((listing) => ({ ...listing, item: shortenDescription(listing.item) }))
  return fits(shortened) ? shortened : listings.map(summarise)
}

function shortenDescription(item: Listing['item']): Listing['item'] {
  const { description } = item
  if (description === null || description.length <= maxDescriptionLength) return item
  return { ...item, description: `${description.slice(0, maxDescriptionLength).toWellFormed()}…` }
}

function summarise({ id, item, proOnly, subscriberCount, quotedFrom }: Listing): ListingSummary {
  const { title, author } = item
  return {
    id,
    title: clipTitle(title),
    ...(author === null ? {} : { author: clipTitle(author) }),
    ...(proOnly ? { proOnly } : {}),
    subscriberCount,
    ...(quotedFrom === undefined ? {} : { quotedFrom }),
  }
}
