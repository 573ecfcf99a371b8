import type { BookAccessStores } from '../books/access.ts'
import { systemOwner, type Book } from '../books/book.ts'
import type { BookEventServices } from '../books/events.ts'
import { detached } from '../core/cancellation.ts'
import type { Call } from '../core/context.ts'
import type { ContentStores } from '../reading/store.ts'
import type { PlacementStores } from '../shelves/placement-store.ts'
import type { ShelfStores } from '../shelves/store.ts'
import { indexBook } from './index/index-book.ts'
import { bestWords, withWords, type LikedPage } from './like-page.ts'
import { listSearchSources, type SearchSource } from './list-search-sources.ts'
import type { MeaningServices } from './ranking/meaning.ts'
import { narrowSources } from './narrow-sources.ts'
import { openLibraries, type LibraryIndexes, type OpenedSource } from './ranking/open-libraries.ts'
import { filtersInQuery, hasWords, parseQuery, type Query } from './query/parse-query.ts'
import { filterNames, type QueryFilter } from './query/query-syntax.ts'
import type { SearchFilters } from './schema.ts'
import type { SearchWork } from './ranking/search-work.ts'
import type { SearchStores } from './store.ts'

/** The services that a search needs. */
export type SearchServices = BookAccessStores &
  BookEventServices &
  SearchStores &
  MeaningServices &
  ContentStores &
  ShelfStores &
  PlacementStores

/** A query that is ready to run, and the books to search. */
export interface PreparedSearch {
  query: Query
  sources: OpenedSource[]
  /** Notes about things that the query names and that do not exist, with advice. */
  notes: string[]
}

const maxIndexedPerCall = 20
/** Indexing continues if the client disconnects. */
const indexDetached = detached(indexBook)

/** True for a query with something to search for: words, or filters, which list books. */
export function hasCriteria(query: Query): boolean {
  return hasWords(query) || query.filters.length > 0
}

/** Returns a note for a query that only excludes words. */
export function noteOnExclusions({ excluded }: Query): { note?: string } {
  if (excluded.length === 0) return {}
  return {
    note: 'This query only leaves out words. Add a word to look for, or a filter such as title:word or shelf:name.',
  }
}

/** Converts filters that are given in addition to a query to the form of filters in the query. */
export function filtersOf(additionalFilters: SearchFilters): QueryFilter[] {
  return filterNames.flatMap((name) => {
    const value = additionalFilters[name]
    return value === undefined ? [] : [{ name, value, isExcluded: false }]
  })
}

/** The books that a search covers, all of them indexed up to a maximum. */
export interface IndexedSources {
  sources: SearchSource[]
  /** The indexes of their owners, which may have been read before a book was indexed. */
  early: LibraryIndexes
}

/**
 * Returns the sources of a search. First indexes books that have changed since they were indexed, up to a maximum. Nearly all searches
 * cover only the caller's own books and the built-in ones, so due books among these are queried immediately, and their indexes are read.
 * Of other owners, only books that the search covers are indexed: the caller must not wait for the others.
 */
export async function listIndexedSources(
  ctx: Call & SearchServices,
  narrow: (sources: SearchSource[]) => SearchSource[],
): Promise<IndexedSources> {
  const { books, search } = ctx
  const defaultOwners = [...new Set([ctx.actor.account.id, systemOwner])]
  const [all, ofDefault, libraries] = await Promise.all([
    listSearchSources(ctx),
    books.listIndexDue(defaultOwners, maxIndexedPerCall),
    search.libraries.findAll(defaultOwners),
  ])
  const sources = narrow(all)
  const owners = new Set(sources.map(({ ownerId }) => ownerId))
  const others = await search.libraries.findAll([...owners].filter((ownerId) => !defaultOwners.includes(ownerId)))
  const due = [...ofDefault.filter(({ ownerId }) => owners.has(ownerId)), ...sources.flatMap(dueOfOthers)]
  if (due.length === 0) return { sources, early: new Map([...libraries, ...others]) }
  for (const book of due.slice(0, maxIndexedPerCall)) {
    ctx.signal.throwIfAborted()
    await indexDetached(ctx, book)
  }
  return { sources, early: await search.libraries.findAll([...owners]) }
}

/** Returns the books of another owner that a search covers and that have changed since they were indexed. */
function dueOfOthers({ granted, includes }: SearchSource): Pick<Book, 'id' | 'ownerId'>[] {
  return (granted ?? []).filter(({ id, indexDue }) => indexDue !== '' && includes?.(id) !== false)
}

/** A query as the caller sent it. */
export interface RequestedSearch {
  text: string
  /** Filters in addition to those in the text. */
  additionalFilters: readonly QueryFilter[]
  /** The page for which similar pages are wanted; null: none. */
  liked: LikedPage | null
}

/** Opens the books that meet the filters by shelf, book and date, and parses the query in their languages. */
export async function prepareSearch(
  ctx: Call & SearchServices,
  { sources: all, libraries }: { sources: readonly SearchSource[]; libraries: LibraryIndexes },
  { text, additionalFilters, liked, work }: RequestedSearch & { work: SearchWork },
): Promise<PreparedSearch> {
  const narrowed = await narrowSources(ctx, all, filtersInQuery(text, additionalFilters))
  const { sources, languages } = openLibraries(libraries, narrowed.sources)
  const requested = parseQuery(text, languages, additionalFilters)
  const words = liked && (await bestWords(liked, { search: ctx.search, sources, languages, pacer: work.pacer }))
  const query = words === null ? requested : withWords(requested, words)
  const undated = requested.undated.map(
    (typed) => `"${typed}" has no date and is searched as words: a date is 2024, 2024-05 or 2024-05-31.`,
  )
  const misspelt = requested.misspelt.map(
    ({ typed, name }) => `"${typed}" is searched as words: the filter is written ${name}:.`,
  )
  return { query, sources, notes: [...narrowed.notes, ...undated, ...misspelt] }
}

/**
 * Returns notes about things that the query names and that do not exist. If nothing was found, explains whether filters or exclusions are
 * the reason.
 */
export function noteField(
  { query, notes }: PreparedSearch,
  { total, searched }: { total: number; searched: number },
): { note?: string } {
  const reason = total === 0 && notes.length === 0 ? explainNoResults(query, searched) : null
  const note = [...notes, ...(reason === null ? [] : [reason])].join(' ')
  return note === '' ? {} : { note }
}

function explainNoResults(query: Query, searched: number): string | null {
  const filters = query.filters.map(formatFilter).join(' ')
  if (filters !== '' && searched === 0) return `No book that can be read in full meets ${filters}. Leave a filter out.`
  const left = query.excluded.length > 0 ? ' without what is left out' : ''
  if (filters !== '') {
    return searched === 1
      ? `The book that meets ${filters} does not have these words${left}.`
      : `None of the ${searched} books that meet ${filters} has these words${left}.`
  }
  return left === '' ? null : `No page has these words${left}. Leave out less.`
}

function formatFilter({ name, value, isExcluded }: QueryFilter): string {
  const shown = /\s/.test(value) ? `"${value}"` : value
  return `${isExcluded ? '-' : ''}${name}:${shown}`
}
