import type { Context } from '../context.ts'
import { cutRows, fitsWhole, type Part } from '../listing.ts'
import { shelvesOfBooks } from '../shelves/shelves-of-books.ts'
import type { AccessibleBook } from './access.ts'
import { lockedBooks, pickUrl } from './lock-books.ts'
import type { ItemList } from './schema.ts'
import { showItem, summariseItem } from './show-item.ts'

/** How much of the enrichment queue stands beside short rows. */
const shownQueue = 20

/** A list of books for an answer, in the order given: whole, or short rows part by part where it is too large. */
export async function listBooks(
  ctx: Context,
  books: readonly AccessibleBook[],
  { enrichmentQueue, ...part }: Part & Pick<ItemList, 'enrichmentQueue'>,
): Promise<ItemList> {
  const [isLocked, shelvesOf] = await Promise.all([
    lockedBooks(ctx),
    shelvesOfBooks(
      ctx,
      books.map(({ id }) => id),
    ),
  ])
  const items = books.map((book) => showItem(book, { locked: isLocked(book), shelves: shelvesOf(book.id) }))
  const pick = items.some(({ locked }) => locked) ? { pickUrl: pickUrl(ctx) } : {}
  const whole: ItemList = { items, enrichmentQueue, ...pick }
  if (fitsWhole(ctx, part, whole)) return whole
  const rest = { enrichmentQueue: enrichmentQueue?.slice(0, shownQueue) ?? null, ...pick }
  const { rows, ...place } = cutRows(ctx, items.map(summariseItem), { ...part, rest })
  return { items: rows, ...place, ...rest }
}
