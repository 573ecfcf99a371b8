import { sliceRows, fitsEntirely, isConcise, type Detail, type SliceRequest } from '../core/pagination.ts'
import { loadShelfMemberships } from '../shelves/load-shelf-memberships.ts'
import { isFeatured, type AccessibleBook } from '../books/access.ts'
import { clipTitle } from '../books/clip-title.ts'
import { loadLockCheck, pickUrl, type BookLocks } from '../books/book-locks.ts'
import type { Item, ItemList, ItemSummary } from '../books/schema.ts'
import { presentItem, summariseItem } from '../books/present-item.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { ShelfStores } from '../shelves/store.ts'
import type { PlacementStores } from '../shelves/placement-store.ts'

/** A list of books in the given order, concise or in full; paginated if it does not fit into the answer. */
export async function presentBookList(
  ctx: Call & BookAccessStores & PublicAddress & ShelfStores & PlacementStores,
  books: readonly AccessibleBook[],
  {
    enrichmentQueue,
    detail,
    ...part
  }: SliceRequest & Pick<ItemList, 'enrichmentQueue'> & { detail?: Detail | undefined },
): Promise<ItemList> {
  const concise = isConcise(ctx, detail)
  const items = await presentItems(ctx, books, { isLocked: await loadLockCheck(ctx), concise })
  const pick = items.some(({ locked }) => locked) ? { pickUrl: pickUrl(ctx) } : {}
  const complete: ItemList = { items, enrichmentQueue, ...pick }
  if (!concise && fitsEntirely(ctx, part, complete)) return complete
  const rest = { enrichmentQueue: enrichmentQueue && clipQueue(enrichmentQueue), ...pick }
  const candidates = items.map((item) => presentRow(ctx, item, concise))
  const { rows, ...paging } = sliceRows<Item | ItemSummary>(ctx, candidates, { ...part, rest })
  return { items: rows, ...paging, ...rest }
}

/** Concise items have no shelves. */
const noShelves = () => []

/** Books as list items, before shortening. */
export async function presentItems(
  ctx: Call & ShelfStores & PlacementStores,
  books: readonly AccessibleBook[],
  { isLocked, concise }: Pick<BookLocks, 'isLocked'> & { concise: boolean },
): Promise<Item[]> {
  const ids = books.map(({ id }) => id)
  const shelvesOf = concise ? noShelves : await loadShelfMemberships(ctx, ids)
  return books.map((book) => {
    const isWeeklyFeatured = isFeatured(ctx, book)
    return presentItem(book, { locked: isLocked(book), shelves: shelvesOf(book.id), isWeeklyFeatured })
  })
}

/** A row of a partial list: concise on request, and if the book alone would take more than a quarter of the answer. */
export function presentRow(ctx: Call, item: Item, concise: boolean): Item | ItemSummary {
  const { budget } = ctx
  const isLarge = !concise && budget.cost(JSON.stringify(item)) > budget.maxListCost / 4
  return concise || isLarge ? summariseItem(item) : item
}

type QueuedBook = NonNullable<ItemList['enrichmentQueue']>[number]

/** Number of enrichment queue entries next to a partial list. */
export const maxQueueRows = 20

/** The first entries of the queue, with clipped titles. */
export function clipQueue(queue: readonly QueuedBook[]): QueuedBook[] {
  return queue.slice(0, maxQueueRows).map(({ title, ...entry }) => ({ ...entry, title: clipTitle(title) }))
}
