import type { Book } from '../books/book.ts'
import { titleSortKey } from '../text/words/sort-key.ts'
import { searchWords } from './listing-search-words.ts'
import type { DerivedFields, Listing } from './listing-store.ts'

/** The facets that a listing can be filtered by: live, Pro only, one per category and one per tag. */
export const facet = {
  live: 'live',
  pro: 'pro',
  category: (category: string) => `category:${category}`,
  tag: (slug: string) => `tag:${slug}`,
} as const

type ListingFields = Pick<Listing, 'status' | 'category' | 'tags'>

/** The fields of a listing that are computed from its book, its subscriptions and its own fields. */
export function deriveListing(listing: ListingFields, book: Book, subscriberCount: number): DerivedFields {
  const { title, description, author, sourceType, fileFormat, pageCount, proOnly } = book
  const live = listing.status === 'LIVE'
  return {
    subscriberCount,
    item: { title, description, author, sourceType, pageCount, ...(fileFormat === undefined ? {} : { fileFormat }) },
    proOnly,
    titleKey: titleSortKey(title),
    facets: live ? buildFacets(listing, proOnly) : [],
    words: live ? searchWords([title, author, description, ...listing.tags.map(({ name }) => name)]) : [],
  }
}

function buildFacets({ category, tags }: ListingFields, proOnly: boolean): string[] {
  return [
    facet.live,
    ...(category === null ? [] : [facet.category(category)]),
    ...tags.map(({ slug }) => facet.tag(slug)),
    ...(proOnly ? [facet.pro] : []),
  ]
}
