import { searchedOwners, type SearchedOwners } from '../../../library/search-library.ts'

/** The parameters in the URL of the search page. */
export interface SearchQuery {
  /** As typed; empty: no search yet. */
  text: string
  /** `BOOKID:12` to search for similar pages; null to search for pages with the words. */
  like: string | null
  owners: SearchedOwners
  /** Slug or id. */
  shelf: string | null
  /** Start of the next part of the results. */
  cursor: string | null
}

/** Parses a URL; ignores unknown values. */
export function readSearchQuery({ searchParams }: URL): SearchQuery {
  const owners = searchedOwners.find((each) => each === searchParams.get('books')) ?? 'all'
  const nonEmpty = (name: string) => searchParams.get(name) || null
  const like = nonEmpty('like')
  return {
    text: (searchParams.get('q') ?? '').trim(),
    like: like !== null && /^[\w-]{1,64}:\d{1,7}$/.test(like) ? like : null,
    owners,
    shelf: nonEmpty('shelf'),
    cursor: nonEmpty('cursor'),
  }
}

/** The URL of a search; from the start unless a cursor is given. */
export function searchUrl({
  text,
  like = null,
  owners,
  shelf,
  cursor = null,
}: Omit<SearchQuery, 'cursor' | 'like'> & { cursor?: string | null; like?: string | null }): string {
  const parameters = new URLSearchParams({
    ...(text === '' ? {} : { q: text }),
    ...(like === null ? {} : { like }),
    ...(owners === 'all' ? {} : { books: owners }),
    ...(shelf === null ? {} : { shelf }),
    ...(cursor === null ? {} : { cursor }),
  })
  return parameters.size === 0 ? '/search' : `/search?${parameters}`
}

/** The URL of a search for similar pages in all books. */
export function similarUrl(bookId: string, page: number): string {
  return searchUrl({ text: '', like: `${bookId}:${page}`, owners: 'all', shelf: null })
}
