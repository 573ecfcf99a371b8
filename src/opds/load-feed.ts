import { findBookLocks } from '../books/book-locks.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import { browseLibrary, type BrowseLibrary } from '../library/browse-library.ts'
import type { LibraryFacets } from '../library/count-library.ts'
import { librarySorts, type LibrarySort } from '../library/library-order.ts'
import { searchLibrary } from '../library/search-library.ts'
import type { ReadingPositionStores } from '../reading/reading-position-store.ts'
import type { ContentStores } from '../reading/store.ts'
import type { SearchServices } from '../search/prepare-search.ts'
import { requireShelf } from '../shelves/find-shelf.ts'
import type { PlacementStores } from '../shelves/placement-store.ts'
import type { ShelfStores } from '../shelves/store.ts'
import { facetsOf } from './facets.ts'
import { newestRel, type Feed, type Link, type MediaTypes, type Publication, type Section } from './feed.ts'
import { loadPublications } from './load-publications.ts'

export type CatalogueServices = Call &
  BookAccessStores &
  ReadingPositionStores &
  ContentStores &
  SearchServices &
  ShelfStores &
  PlacementStores &
  PublicAddress

/** A catalogue in one version of OPDS: its location and the types of its feeds. */
export interface Catalogue {
  /** Absolute URL without a trailing slash. */
  root: string
  types: MediaTypes
  /** The link for searching it. */
  search: Link
}

/** Number of books per page. */
const pageSize = 50

/**
 * The time of feeds whose entries have none. It is the same for every request, so that an unchanged feed keeps its
 * ETag.
 */
const unchanged = new Date('2026-01-01T00:00:00Z')

/** The root feed, which links to the parts of the library. */
export async function loadRoot(ctx: CatalogueServices, catalogue: Catalogue): Promise<Feed> {
  const { root } = catalogue
  const shelves = await ctx.shelves.list(ctx.actor.id)
  const list = (name: string, title: string, summary: string): Section => ({
    id: `urn:lectern:catalogue:${name}`,
    title,
    summary,
    href: `${root}/${name}`,
    kind: 'acquisition',
    rel: 'subsection',
  })
  const sections = [
    { ...list('books?sort=added', 'Recently added', 'All books, the newest first.'), rel: newestRel },
    list('books?sort=title', 'All books by title', 'All books in the order of their titles.'),
    list('books?sort=author', 'All books by author', 'All books in the order of their authors.'),
    list('books?sort=read', 'Recently read', 'The books that you have opened last come first.'),
    ...(shelves.length === 0 ? [] : [{ ...list('shelves', 'Shelves', 'Your shelves.'), kind: 'navigation' as const }]),
  ]
  return navigationFeed(catalogue, { path: '', title: 'Lectern', sections })
}

/** The shelves of the caller. */
export async function loadShelves(ctx: CatalogueServices, catalogue: Catalogue): Promise<Feed> {
  const shelves = await ctx.shelves.list(ctx.actor.id)
  const sections = shelves.map(({ id, slug, name }): Section => ({
    id: `urn:lectern:shelf:${id}`,
    title: name,
    summary: 'The books on this shelf.',
    href: `${catalogue.root}/shelves/${encodeURIComponent(slug)}`,
    kind: 'acquisition',
    rel: 'subsection',
  }))
  return navigationFeed(catalogue, { path: '/shelves', title: 'Shelves', sections })
}

const sortTitles: Record<LibrarySort, string> = {
  added: 'Recently added',
  title: 'All books by title',
  author: 'All books by author',
  read: 'Recently read',
}

/**
 * A sorted page of all books, or of those on a shelf, with facets for both. Refuses an unknown order or cursor with
 * INVALID_INPUT, and an unknown shelf with SHELF_NOT_FOUND.
 */
export async function loadBooks(ctx: CatalogueServices, catalogue: Catalogue, query: URLSearchParams): Promise<Feed> {
  const sort = (query.get('sort') ?? 'added') as LibrarySort
  if (!librarySorts.includes(sort)) throw new AppError('INVALID_INPUT', `sort must be ${librarySorts.join(', ')}.`)
  const ref = query.get('shelf')
  const shelf = ref === null ? null : requireShelf(await ctx.shelves.list(ctx.actor.id), ref)
  const parameters = { sort, ...(shelf ? { shelf: shelf.slug } : {}) }
  const place = { path: '/books', title: shelf ? shelf.name : sortTitles[sort], parameters }
  const request = { sort, filter: shelf ? { shelf: shelf.id } : { view: 'all' as const } }
  const { feed, counts } = await browse(ctx, catalogue, { place, request, query })
  return { ...feed, facets: facetsOf(catalogue, { sort, shelf: shelf?.slug ?? null, counts }) }
}

/** A page of the books on a shelf, by title. Refuses an unknown shelf with SHELF_NOT_FOUND. */
export async function loadShelf(
  ctx: CatalogueServices,
  catalogue: Catalogue,
  { shelf: ref, query }: { shelf: string; query: URLSearchParams },
): Promise<Feed> {
  const shelf = requireShelf(await ctx.shelves.list(ctx.actor.id), ref)
  const place = { path: `/shelves/${encodeURIComponent(shelf.slug)}`, title: shelf.name, parameters: {} }
  const request = { sort: 'title' as const, filter: { shelf: shelf.id } }
  return (await browse(ctx, catalogue, { place, request, query })).feed
}

/** A page of results of a search in titles, authors and texts, best first. */
export async function loadFound(ctx: CatalogueServices, catalogue: Catalogue, query: URLSearchParams): Promise<Feed> {
  const words = (query.get('q') ?? query.get('query') ?? '').trim()
  const place = { path: '/search', title: `Search: ${words}`, parameters: { q: words } }
  if (words === '') return acquisitionFeed(catalogue, { place, books: [], after: null, next: null })
  const after = query.get('after')
  const [{ books, nextCursor }, { isLocked }] = await Promise.all([
    searchLibrary(ctx, { query: words, owners: 'all', shelf: null, cursor: after, limit: 20 }),
    findBookLocks(ctx),
  ])
  const found = await loadPublications(
    ctx,
    books.map(({ book }) => book),
    isLocked,
  )
  return acquisitionFeed(catalogue, { place, books: found, after, next: nextCursor ?? null })
}

interface Place {
  path: string
  title: string
  parameters: Record<string, string>
}

async function browse(
  ctx: CatalogueServices,
  catalogue: Catalogue,
  { place, request, query }: { place: Place; request: Pick<BrowseLibrary, 'sort' | 'filter'>; query: URLSearchParams },
): Promise<{ feed: Feed; counts: LibraryFacets }> {
  const after = query.get('after')
  const page = await browseLibrary(ctx, { ...request, ...(after === null ? {} : { after }), limit: pageSize })
  const books = await loadPublications(ctx, page.books, page.isLocked)
  return { feed: acquisitionFeed(catalogue, { place, books, after, next: page.next }), counts: page.facets }
}

function navigationFeed(
  catalogue: Catalogue,
  { path, title, sections }: { path: string; title: string; sections: readonly Section[] },
): Feed {
  const { root, types } = catalogue
  const links = [{ rel: 'self', href: `${root}${path}`, type: types.navigation }, ...commonLinks(catalogue)]
  const content = { kind: 'navigation' as const, sections }
  return { id: `urn:lectern:catalogue${path.replaceAll('/', ':')}`, title, updated: unchanged, links, content }
}

function acquisitionFeed(
  catalogue: Catalogue,
  page: { place: Place; books: readonly Publication[]; after: string | null; next: string | null },
): Feed {
  const { place, books, after, next } = page
  const { path, title, parameters } = place
  const type = catalogue.types.acquisition
  const link = (rel: string, cursor: string | null): Link => {
    const query = new URLSearchParams({ ...parameters, ...(cursor === null ? {} : { after: cursor }) }).toString()
    return { rel, href: `${catalogue.root}${path}${query === '' ? '' : `?${query}`}`, type }
  }
  const links = [
    link('self', after),
    link('first', null),
    ...(next === null ? [] : [link('next', next)]),
    ...commonLinks(catalogue),
  ]
  const updated = new Date(Math.max(unchanged.getTime(), ...books.map((book) => book.updated.getTime())))
  const id = `urn:lectern:catalogue${path.replaceAll('/', ':')}:${new URLSearchParams(parameters).toString()}`
  return { id, title, updated, links, content: { kind: 'acquisition', books } }
}

function commonLinks({ root, types, search }: Catalogue): Link[] {
  return [{ rel: 'start', href: root, type: types.navigation }, search]
}
