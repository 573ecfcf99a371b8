import { libraryViews, type LibraryFilter } from '../../../library/library-filter.ts'
import { librarySorts, type LibrarySort } from '../../../library/library-order.ts'
import type { Visit } from '../../visit.ts'

export const libraryLooks = ['grid', 'list'] as const
export type LibraryLook = (typeof libraryLooks)[number]

/** The parameters in the URL of the library; order and layout default to those of the last visit. */
export interface LibraryQuery {
  look: LibraryLook
  sort: LibrarySort
  filter: LibraryFilter
  title: string
  after: string | undefined
}

const maxTitleLength = 200

/**
 * Parses the URL of the library, and stores order and layout in a cookie if it contains them. Ignores unknown values.
 */
export function readLibraryQuery({ url, request, cookies, setCookies }: Visit): LibraryQuery {
  const { searchParams } = url
  const kept = cookies.libraryLook(request)?.split('.') ?? []
  const look = oneOf(libraryLooks, searchParams.get('view')) ?? oneOf(libraryLooks, kept[0]) ?? 'grid'
  const sort = oneOf(librarySorts, searchParams.get('sort')) ?? oneOf(librarySorts, kept[1]) ?? 'added'
  if (searchParams.has('view') || searchParams.has('sort')) setCookies.push(cookies.setLibraryLook(`${look}.${sort}`))
  const shelf = searchParams.get('shelf')
  const filter = shelf ? { shelf } : { view: oneOf(libraryViews, searchParams.get('show')) ?? 'all' }
  const title = (searchParams.get('title') ?? '').slice(0, maxTitleLength)
  return { look, sort, filter, title, after: searchParams.get('after') ?? undefined }
}

function oneOf<T extends string>(values: readonly T[], text: string | null | undefined): T | undefined {
  return values.find((value) => value === text)
}

/** The URL of the library with a filter; the first page unless `after` is given. */
export function libraryUrl(
  { filter, title = '', after }: Pick<LibraryQuery, 'filter'> & Partial<Pick<LibraryQuery, 'title' | 'after'>>,
  more: Record<string, string> = {},
): string {
  const parameters = new URLSearchParams()
  if ('shelf' in filter) parameters.set('shelf', filter.shelf)
  else if (filter.view !== 'all') parameters.set('show', filter.view)
  if (title !== '') parameters.set('title', title)
  if (after !== undefined) parameters.set('after', after)
  for (const [name, value] of Object.entries(more)) parameters.set(name, value)
  const query = parameters.toString()
  return query === '' ? '/library' : `/library?${query}`
}
