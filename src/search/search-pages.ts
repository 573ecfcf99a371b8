import type { FoundItems, FoundPages, SearchPages } from './schema.ts'
import { searchPart } from './search-items.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { BookEventServices } from '../books/events.ts'
import type { SearchStores } from './store.ts'
import type { ContentStores } from '../reading/store.ts'

type Item = FoundItems['items'][number]

const maxBooks = 10
const pagesPerBook = 5
const maxPages = 30

/**
 * The best pages of the best books as one list, in the order of their own scores, at most 30. A book that matches only by
 * title, author or description is listed itself, after the pages.
 */
export async function searchPages(
  ctx: Call & BookAccessStores & BookEventServices & SearchStores & ContentStores & PublicAddress,
  { query }: SearchPages,
): Promise<FoundPages> {
  const input = { query, limit: maxBooks, detail: 'detailed' as const }
  const { items } = await searchPart(ctx, input, { name: '', narrow: (sources) => sources, pagesPerBook })
  const pages = items.flatMap((item) => item.hits.map((hit) => ({ item, hit })))
  const best = pages.sort((a, b) => b.hit.score - a.hit.score).slice(0, maxPages)
  const whole = items.filter(({ hits }) => hits.length === 0)
  return { results: [...best.map(presentPage), ...whole.map(presentBook)] }
}

/** The clients of this shape know no other fields, so the source of another account's title stands in it. */
function presentPage({ item, hit }: { item: Item; hit: Item['hits'][number] }): FoundPages['results'][number] {
  return { id: `${item.id}:${hit.page}`, title: `${item.title}, p. ${hit.page}${sourceOf(item)}`, url: hit.url }
}

function presentBook(item: Item): FoundPages['results'][number] {
  return { id: item.id, title: `${item.title}${sourceOf(item)}`, url: item.url }
}

function sourceOf({ quotedFrom }: Item): string {
  return quotedFrom === undefined ? '' : ` (quoted from ${quotedFrom})`
}
