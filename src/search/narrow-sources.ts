import { addedAt, findAccessibleBooks, type BookAccessStores } from '../books/access.ts'
import type { Call } from '../core/context.ts'
import type { BookStores } from '../books/store.ts'
import { findShelf } from '../shelves/find-shelf.ts'
import type { PlacementStores } from '../shelves/placement-store.ts'
import type { Shelf, ShelfStores } from '../shelves/store.ts'
import { unknownShelfNote } from '../shelves/unknown-shelf-note.ts'
import { titleSortKey } from '../text/words/sort-key.ts'
import { readDate } from './query/filter-date.ts'
import type { SearchSource } from './list-search-sources.ts'
import type { FilterName, QueryFilter } from './query/query-syntax.ts'

/** The stores that filters need. */
export type FilterStores = BookAccessStores & ShelfStores & PlacementStores

/** The remaining books, and a note with advice for each filter that names something nonexistent. */
export interface NarrowedSources {
  sources: SearchSource[]
  notes: string[]
}

/**
 * Narrows the sources to the books that meet the filters by shelf, book and date. The index applies those by title and author. Several
 * shelves, and several books, are alternatives; all other filters must be met together.
 */
export async function narrowSources(
  ctx: Call & FilterStores,
  sources: readonly SearchSource[],
  filters: readonly QueryFilter[],
): Promise<NarrowedSources> {
  const notes: string[] = []
  const named = (name: FilterName, isExcluded: boolean) =>
    filters.filter((filter) => filter.name === name && filter.isExcluded === isExcluded)
  const sets: BookSet[] = []
  for (const isExcluded of [false, true]) {
    const inBooks = named('in', isExcluded)
    if (inBooks.length > 0) sets.push({ ids: await readableBooks(ctx, { sources, inBooks, notes }), isExcluded })
    const onShelves = named('shelf', isExcluded)
    if (onShelves.length > 0) sets.push({ ids: await booksOnShelves(ctx, onShelves, notes), isExcluded })
  }
  const periods = filters.flatMap((filter) => readPeriod(filter) ?? [])
  const narrowed: SearchSource[] = []
  for (const source of sources) {
    const booksInPeriods = await Promise.all(periods.map((period) => booksAdded(ctx, source, period)))
    narrowed.push(narrow(source, [...sets, ...booksInPeriods]))
  }
  return { sources: narrowed, notes }
}

interface BookSet {
  ids: ReadonlySet<string>
  isExcluded: boolean
}

function narrow(source: SearchSource, sets: readonly BookSet[]): SearchSource {
  if (sets.length === 0) return source
  const { includes } = source
  const meetsFilters = (id: string) => sets.every(({ ids, isExcluded }) => ids.has(id) !== isExcluded)
  return { ...source, includes: (id) => meetsFilters(id) && (includes === null || includes(id)) }
}

interface BooksNamed {
  sources: readonly SearchSource[]
  inBooks: readonly QueryFilter[]
  notes: string[]
}

async function readableBooks(
  ctx: Call & BookAccessStores,
  { sources, inBooks, notes }: BooksNamed,
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(inBooks.map(({ value }) => value))]
  const found = new Map((await findAccessibleBooks(ctx, ids)).map((book) => [book.id, book]))
  for (const id of ids) {
    const book = found.get(id)
    if (!book) {
      notes.push(
        `No book of the library has the id "${id}": in: takes an id of list_items; for words of a title write title:.`,
      )
    } else if (!sources.some(({ ownerId, includes }) => ownerId === book.ownerId && includes?.(id) !== false)) {
      notes.push(`The book ${id} is not searched: only a book that can be read in full is.`)
    }
  }
  return new Set(found.keys())
}

async function booksOnShelves(
  ctx: Call & ShelfStores & PlacementStores,
  filters: readonly QueryFilter[],
  notes: string[],
): Promise<ReadonlySet<string>> {
  const shelves = await ctx.shelves.list(ctx.actor.id)
  const onShelves = new Set<string>()
  for (const { value } of filters) {
    const shelf = findShelf(shelves, value) ?? findByName(shelves, value)
    if (!shelf) {
      notes.push(unknownShelfNote(shelves, value))
      continue
    }
    const placed = await ctx.placements.list(ctx.actor.id, { shelfId: shelf.id })
    if (placed.length === 0) notes.push(`The shelf "${shelf.slug}" is empty.`)
    for (const { itemId } of placed) onShelves.add(itemId)
  }
  return onShelves
}

/** Returns the shelf with this name, ignoring case and accents, if there is exactly one. */
function findByName(shelves: readonly Shelf[], name: string): Shelf | undefined {
  const key = titleSortKey(name)
  const found = shelves.filter((shelf) => titleSortKey(shelf.name) === key)
  return found.length === 1 ? found[0] : undefined
}

interface Period {
  /** The start of the period, inclusive; null: no start. */
  from: Date | null
  /** The end of the period, exclusive; null: no end. */
  before: Date | null
  isExcluded: boolean
}

function readPeriod({ name, value, isExcluded }: QueryFilter): Period | null {
  if (name !== 'before' && name !== 'after') return null
  const date = readDate(value)
  return date && { from: name === 'after' ? date : null, before: name === 'before' ? date : null, isExcluded }
}

/** Returns the books of a source that were added to the caller's library in a period. */
async function booksAdded(
  { books }: BookStores,
  { ownerId, granted }: SearchSource,
  { from, before, isExcluded }: Period,
): Promise<BookSet> {
  if (granted === null) return { ids: new Set(await books.listIdsAdded(ownerId, { from, before })), isExcluded }
  const added = granted.filter((book) => {
    const at = addedAt(book)
    return (from === null || at >= from) && (before === null || at < before)
  })
  return { ids: new Set(added.map(({ id }) => id)), isExcluded }
}
