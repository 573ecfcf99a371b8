import { cutRows, fitsWhole, isConcise, type Detail, type Part } from '../core/pagination.ts'
import { shelvesOfBooks } from '../shelves/load-shelf-memberships.ts'
import { isFeatured, type AccessibleBook } from '../books/access.ts'
import { clipTitle } from '../books/clip-title.ts'
import { lockedBooks, pickUrl, type Locks } from '../books/book-locks.ts'
import type { Item, ItemList, ItemSummary } from '../books/schema.ts'
import { showItem, summariseItem } from '../books/present-item.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { ShelfStores } from '../shelves/store.ts'
import type { PlacementStores } from '../shelves/placement-store.ts'

/** A list of books for an answer, in the order given: short rows, or whole ones; part by part where it is too large. */
export async function listBooks(
  ctx: Call & BookAccessStores & PublicAddress & ShelfStores & PlacementStores,
  books: readonly AccessibleBook[],
  { enrichmentQueue, detail, ...part }: Part & Pick<ItemList, 'enrichmentQueue'> & { detail?: Detail | undefined },
): Promise<ItemList> {
  const concise = isConcise(ctx, detail)
  const items = await showItems(ctx, books, { isLocked: await lockedBooks(ctx), concise })
  const pick = items.some(({ locked }) => locked) ? { pickUrl: pickUrl(ctx) } : {}
  const whole: ItemList = { items, enrichmentQueue, ...pick }
  if (!concise && fitsWhole(ctx, part, whole)) return whole
  const rest = { enrichmentQueue: enrichmentQueue && clipQueue(enrichmentQueue), ...pick }
  const shown = items.map((item) => shorten(ctx, item, concise))
  const { rows, ...place } = cutRows<Item | ItemSummary>(ctx, shown, { ...part, rest })
  return { items: rows, ...place, ...rest }
}

/** Short rows do not tell on which shelves a book stands. */
const noShelves = () => []

/** Books as listings show them, before they are shortened. */
export async function showItems(
  ctx: Call & ShelfStores & PlacementStores,
  books: readonly AccessibleBook[],
  { isLocked, concise }: Pick<Locks, 'isLocked'> & { concise: boolean },
): Promise<Item[]> {
  const ids = books.map(({ id }) => id)
  const shelvesOf = concise ? noShelves : await shelvesOfBooks(ctx, ids)
  return books.map((book) => {
    const isWeeklyFeatured = isFeatured(ctx, book)
    return showItem(book, { locked: isLocked(book), shelves: shelvesOf(book.id), isWeeklyFeatured })
  })
}

/** A row of a list that does not come whole: short where that is wanted, and where the book alone would fill much of an answer. */
export function shorten(ctx: Call, item: Item, concise: boolean): Item | ItemSummary {
  const { budget } = ctx
  const isLarge = !concise && budget.cost(JSON.stringify(item)) > budget.list / 4
  return concise || isLarge ? summariseItem(item) : item
}

type QueuedBook = NonNullable<ItemList['enrichmentQueue']>[number]

/** How much of the enrichment queue stands beside rows that do not come whole. */
export const shownQueue = 20

/** The first books of the queue, whose titles are no longer than they have to be to be recognised. */
export function clipQueue(queue: readonly QueuedBook[]): QueuedBook[] {
  return queue.slice(0, shownQueue).map(({ id, title, pageCount }) => ({ id, title: clipTitle(title), pageCount }))
}
