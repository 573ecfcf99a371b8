import type { Book } from '../books/book.ts'
import { titleKeyOf, wordsOf } from './listing-search-words.ts'
import type { Derived, Listing } from './listing-store.ts'

/** The facets of listings: all that are live, those of a category, with a tag, and for Pro plans only. */
export const facetOf = {
  live: 'live',
  pro: 'pro',
  category: (category: string) => `category:${category}`,
  tag: (slug: string) => `tag:${slug}`,
} as const

type Own = Pick<Listing, 'status' | 'category' | 'tags'>

/** What a listing holds of its book and its own fields as they are now. */
export function deriveListing(listing: Own, book: Book, subscriberCount: number): Derived {
  const { title, description, author, sourceType, pageCount, proOnly } = book
  const live = listing.status === 'LIVE'
  return {
    subscriberCount,
    item: { title, description, author, sourceType, pageCount },
    proOnly,
    titleKey: titleKeyOf(title),
    facets: live ? facetsOf(listing, proOnly) : [],
    words: live ? wordsOf([title, author, description, ...listing.tags.map(({ name }) => name)]) : [],
  }
}

function facetsOf({ category, tags }: Own, proOnly: boolean): string[] {
  return [
    facetOf.live,
    ...(category === null ? [] : [facetOf.category(category)]),
    ...tags.map(({ slug }) => facetOf.tag(slug)),
    ...(proOnly ? [facetOf.pro] : []),
  ]
}
