import { searchedOwners, type SearchedOwners } from '../../../library/search-library.ts'

/** What the address of the search page asks for. */
export interface SearchQuery {
  /** As typed; empty: nothing is searched for yet. */
  text: string
  owners: SearchedOwners
  /** Slug or id. */
  shelf: string | null
  /** Where a further part of the results begins. */
  cursor: string | null
}

/** Reads an address; unknown values have no effect. */
export function readSearchQuery({ searchParams }: URL): SearchQuery {
  const owners = searchedOwners.find((each) => each === searchParams.get('books')) ?? 'all'
  const nonEmpty = (name: string) => searchParams.get(name) || null
  return { text: (searchParams.get('q') ?? '').trim(), owners, shelf: nonEmpty('shelf'), cursor: nonEmpty('cursor') }
}

/** The address of a search; from its beginning unless a cursor is given. */
export function searchUrl({
  text,
  owners,
  shelf,
  cursor = null,
}: Omit<SearchQuery, 'cursor'> & { cursor?: string | null }): string {
  const parameters = new URLSearchParams({
    ...(text === '' ? {} : { q: text }),
    ...(owners === 'all' ? {} : { books: owners }),
    ...(shelf === null ? {} : { shelf }),
    ...(cursor === null ? {} : { cursor }),
  })
  return parameters.size === 0 ? '/search' : `/search?${parameters}`
}
