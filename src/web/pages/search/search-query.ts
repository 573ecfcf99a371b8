import { searchedOwners, type SearchedOwners } from '../../../library/search-library.ts'

/** What the address of the search page asks for. */
export interface SearchQuery {
  /** As typed; empty: nothing is searched for yet. */
  text: string
  /** `BOOKID:12`: pages like that one are looked for; null: pages with the words. */
  like: string | null
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
  const like = nonEmpty('like')
  return {
    text: (searchParams.get('q') ?? '').trim(),
    like: like !== null && /^[\w-]{1,64}:\d{1,7}$/.test(like) ? like : null,
    owners,
    shelf: nonEmpty('shelf'),
    cursor: nonEmpty('cursor'),
  }
}

/** The address of a search; from its beginning unless a cursor is given. */
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

/** The address of the pages like a page, among all books. */
export function similarUrl(bookId: string, page: number): string {
  return searchUrl({ text: '', like: `${bookId}:${page}`, owners: 'all', shelf: null })
}
