import type { Context } from '../context.ts'
import { cutRows, fitsWhole, isConcise, type Detail, type Part } from '../listing.ts'
import { shelvesOfBooks } from '../shelves/shelves-of-books.ts'
import { isFeatured, type AccessibleBook } from './access.ts'
import { clipTitle } from './clip-title.ts'
import { lockedBooks, pickUrl } from './lock-books.ts'
import type { Item, ItemList, ItemSummary } from './schema.ts'
import { showItem, summariseItem } from './show-item.ts'

/** Short rows do not tell on which shelves a book stands. */
const noShelves = () => []

type QueuedBook = NonNullable<ItemList['enrichmentQueue']>[number]

/** How much of the enrichment queue stands beside short rows. */
const shownQueue = 20

/** True for a book that alone would fill much of an answer. */
function isLarge({ budget }: Context, item: Item): boolean {
  return budget.cost(JSON.stringify(item)) > budget.list / 4
}

/** A book of the queue, whose title is no longer than it has to be to be recognised. */
function clipped({ title, ...book }: QueuedBook): QueuedBook {
  return { ...book, title: clipTitle(title) }
}

/** A list of books for an answer, in the order given: short rows, or whole ones; part by part where it is too large. */
export async function listBooks(
  ctx: Context,
  books: readonly AccessibleBook[],
  { enrichmentQueue, detail, ...part }: Part & Pick<ItemList, 'enrichmentQueue'> & { detail?: Detail | undefined },
): Promise<ItemList> {
  const concise = isConcise(ctx, detail)
  const ids = books.map(({ id }) => id)
  const [isLocked, shelvesOf] = await Promise.all([lockedBooks(ctx), concise ? noShelves : shelvesOfBooks(ctx, ids)])
  const items = books.map((book) => {
    const isWeeklyFeatured = isFeatured(ctx, book)
    return showItem(book, { locked: isLocked(book), shelves: shelvesOf(book.id), isWeeklyFeatured })
  })
  const pick = items.some(({ locked }) => locked) ? { pickUrl: pickUrl(ctx) } : {}
  const whole: ItemList = { items, enrichmentQueue, ...pick }
  if (!concise && fitsWhole(ctx, part, whole)) return whole
  const rest = { enrichmentQueue: enrichmentQueue?.slice(0, shownQueue).map(clipped) ?? null, ...pick }
  const shown = items.map((item) => (concise || isLarge(ctx, item) ? summariseItem(item) : item))
  const { rows, ...place } = cutRows<Item | ItemSummary>(ctx, shown, { ...part, rest })
  return { items: rows, ...place, ...rest }
}
