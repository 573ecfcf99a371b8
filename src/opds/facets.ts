import type { LibraryFacets } from '../library/count-library.ts'
import { librarySorts, type LibrarySort } from '../library/library-order.ts'
import type { Facet, FacetGroup } from './feed.ts'

/** Maximum number of listed shelves; reading apps show them in one menu. */
const maxShelves = 50

const orders: Record<LibrarySort, string> = {
  added: 'Recently added',
  title: 'Title',
  author: 'Author',
  read: 'Recently read',
}

/**
 * The facets of the list of all books: its sort orders, and the shelves that have books. All counts come from
 * maintained sums.
 */
export function facetsOf(
  { root }: { root: string },
  { sort, shelf, counts }: { sort: LibrarySort; shelf: string | null; counts: LibraryFacets },
): FacetGroup[] {
  const facet = (of: { title: string; sort: LibrarySort; shelf: string | null; count: number | null }): Facet => {
    const query = new URLSearchParams({ sort: of.sort, ...(of.shelf === null ? {} : { shelf: of.shelf }) })
    const active = of.sort === sort && of.shelf === shelf
    return { title: of.title, href: `${root}/books?${query.toString()}`, active, count: of.count }
  }
  const order = {
    title: 'Order',
    facets: librarySorts.map((each) => facet({ title: orders[each], sort: each, shelf, count: null })),
  }
  const filled = counts.shelves.filter(({ count, slug }) => count > 0 || slug === shelf).slice(0, maxShelves)
  if (filled.length === 0) return [order]
  const all = facet({ title: 'All books', sort, shelf: null, count: counts.all })
  const shelves = filled.map(({ name, slug, count }) => facet({ title: name, sort, shelf: slug, count }))
  return [order, { title: 'Shelf', facets: [all, ...shelves] }]
}
