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

/** A list of books for an answer, in the order given: short rows, or whole ones; part by part where it is too large. */
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

/** Short rows do not tell on which shelves a book stands. */
const noShelves = () => []

/** Books as listings show them, before they are shortened. */
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

/** A row of a list that does not come whole: short where that is wanted, and where the book alone would fill much of an answer. */
export function presentRow(ctx: Call, item: Item, concise: boolean): Item | ItemSummary {
  const { budget } = ctx
  const isLarge = !concise && budget.cost(JSON.stringify(item)) > budget.maxListCost / 4
  return concise || isLarge ? summariseItem(item) : item
}

type QueuedBook = NonNullable<ItemList['enrichmentQueue']>[number]

/** How much of the enrichment queue stands beside rows that do not come whole. */
export const maxQueueRows = 20

/** The first books of the queue, whose titles are no longer than they have to be to be recognised. */
export function clipQueue(queue: readonly QueuedBook[]): QueuedBook[] {
  return queue.slice(0, maxQueueRows).map(({ id, title, pageCount }) => ({ id, title: clipTitle(title), pageCount }))
}
