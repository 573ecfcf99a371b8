import type { FoundItems, FoundPages, SearchPages } from './schema.ts'
import { searchItems } from './search-items.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { BookEventServices } from '../books/events.ts'
import type { SearchStores } from './store.ts'
import type { ContentStores } from '../reading/store.ts'

type Item = FoundItems['items'][number]

const maxBooks = 10

/**
 * The best pages of the best books as one list. A book that matches only by title, author or description is listed
 * itself.
 */
export async function searchPages(
  ctx: Call & BookAccessStores & BookEventServices & SearchStores & ContentStores & PublicAddress,
  { query }: SearchPages,
): Promise<FoundPages> {
  const { items } = await searchItems(ctx, { query, limit: maxBooks, detail: 'detailed' })
  return { results: items.flatMap(presentResults) }
}

/** The clients of this shape know no other fields, so the source of another account's title stands in it. */
function presentResults({ id, title, url, hits, quotedFrom }: Item): FoundPages['results'] {
  const source = quotedFrom === undefined ? '' : ` (quoted from ${quotedFrom})`
  if (hits.length === 0) return [{ id, title: `${title}${source}`, url }]
  return hits.map((hit) => ({ id: `${id}:${hit.page}`, title: `${title}, p. ${hit.page}${source}`, url: hit.url }))
}
