import { categories } from '../../../marketplace/categories.ts'
import { listingSorts } from '../../../marketplace/listing-store.ts'
import type { BrowseMarketplace } from '../../../marketplace/schema.ts'

/** Number of listings per page. */
const pageSize = 24
const maxPage = 10_000
const maxQueryLength = 500
const maxTagLength = 64

/** Parses the URL of the marketplace; ignores unknown values. */
export function readDiscoverQuery({ searchParams }: URL): BrowseMarketplace {
  const words = [...(searchParams.get('q') ?? '').trim().toWellFormed()].slice(0, maxQueryLength).join('')
  const category = categories.find((one) => one === searchParams.get('category'))
  const sort = listingSorts.find((one) => one === searchParams.get('sort')) ?? 'newest'
  const tag = searchParams.get('tag')?.slice(0, maxTagLength) ?? ''
  const page = Math.min(maxPage, Math.max(1, Number(/^\d{1,5}$/.exec(searchParams.get('page') ?? '')?.[0] ?? 1)))
  return {
    ...(words === '' ? {} : { query: words }),
    ...(category ? { category } : {}),
    ...(tag === '' ? {} : { tag }),
    sort,
    page,
    limit: pageSize,
  }
}

/** The URL of the marketplace for a query with changes; the first page unless `page` is changed. */
export function discoverUrl(
  { query, category, tag, sort }: Pick<BrowseMarketplace, 'query' | 'category' | 'tag' | 'sort'>,
  changes: Record<string, string | undefined> = {},
): string {
  const all = { q: query, category, tag, sort: sort === 'newest' ? undefined : sort, ...changes }
  const parameters = new URLSearchParams(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]])),
  )
  const text = parameters.toString()
  return text === '' ? '/discover' : `/discover?${text}`
}
