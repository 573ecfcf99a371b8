import type { FoundItems, FoundPages, SearchPages } from './schema.ts'
import type { SearchSource } from './list-search-sources.ts'
import { searchPart } from './search-items.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { SearchServices } from './prepare-search.ts'

type Item = FoundItems['items'][number]

const maxBooks = 64
const maxPages = 30

/**
 * Returns the best pages of all books as one list of at most 30, sorted by score. A book that matches only by title, author or description
 * is listed itself, after the pages.
 */
export async function searchPages(
  ctx: Call & SearchServices & PublicAddress,
  { query }: SearchPages,
): Promise<FoundPages> {
  const input = { query, limit: maxBooks, detail: 'detailed' as const }
  const scope = { name: '', narrow: (all: SearchSource[]) => all, pagesPerBook: maxPages, bestPages: maxPages }
  const { items } = await searchPart(ctx, input, scope)
  const pages = items.flatMap((item) => item.hits.map((hit) => ({ item, hit })))
  const best = pages.sort((a, b) => scoreOf(b) - scoreOf(a)).slice(0, maxPages)
  const whole = items.filter(({ hits }) => hits.length === 0)
  return { results: withinBudget(ctx, [...best.map(presentPage), ...whole.map(presentBook)]) }
}

type Result = FoundPages['results'][number]

/** Returns as many results as fit into the answer, at least one. */
function withinBudget({ budget }: Call, results: readonly Result[]): Result[] {
  if (budget.maxListCost === Infinity) return [...results]
  const fittingResults: Result[] = []
  let remaining = budget.maxListCost
  for (const result of results) {
    remaining -= budget.cost(JSON.stringify(result)) + 1
    if (remaining < 0 && fittingResults.length > 0) break
    fittingResults.push(result)
  }
  return fittingResults
}

interface FoundPage {
  item: Item
  hit: Item['hits'][number]
}

function scoreOf({ hit }: FoundPage): number {
  return hit.score ?? 0
}

/** Clients of this format know no other fields, so the title names the source of a book from another account. */
function presentPage({ item, hit }: FoundPage): Result {
  return { id: `${item.id}:${hit.page}`, title: `${item.title}, p. ${hit.page}${sourceOf(item)}`, url: hit.url ?? '' }
}

function presentBook(item: Item): Result {
  return { id: item.id, title: `${item.title}${sourceOf(item)}`, url: item.url ?? '' }
}

function sourceOf({ quotedFrom }: Item): string {
  return quotedFrom === undefined ? '' : ` (quoted from ${quotedFrom})`
}
