import { isConcise, openCut, type Detail, type Part } from '../core/pagination.ts'
import { grantedBooks, libraryBooks, type AccessibleBook } from '../books/access.ts'
import { addSums } from '../books/library-store.ts'
import { libraryFrom } from './iterate-library.ts'
import { clipQueue, listBooks, shorten, shownQueue, showItems } from './present-book-list.ts'
import { countLocked, findLocks, pickUrl } from '../books/book-locks.ts'
import type { Item, ItemList, ItemSummary } from '../books/schema.ts'
import { systemOwner } from '../books/book.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { ShelfStores } from '../shelves/store.ts'
import type { PlacementStores } from '../shelves/placement-store.ts'

/** More books than an answer with a budget has room for in full. */
const neverWhole = 200
/** More rows than such an answer has room for, as a rule. */
const mostAtOnce = 300

/**
 * The caller's books, newest first, as `listBooks` shows them. A part of them costs what it shows, however large the
 * library is.
 */
export async function listLibrary(
  ctx: Call & BookAccessStores & PublicAddress & ShelfStores & PlacementStores,
  { detail, ...part }: Part & { detail?: Detail | undefined },
): Promise<ItemList> {
  if (ctx.budget.list === Infinity) return listAll(ctx, { detail, ...part })
  const { cursor, limit } = part
  const others = grantedBooks(ctx)
  // One more than is shown: it is where the list goes on.
  const atOnce = Math.min((limit ?? mostAtOnce) + 1, mostAtOnce)
  const batches = libraryFrom(ctx, { cursor, atOnce, granted: others })
  const [granted, sums, locks, first] = await Promise.all([
    others,
    ctx.books.sums(ctx.actor.id),
    findLocks(ctx),
    batches.next(),
  ])
  const { books: inAll } = ctx.actor.id === systemOwner ? sums.own : addSums([sums.own, sums.builtIn])
  const total = inAll + granted.length
  const concise = isConcise(ctx, detail)
  const isWhole = !concise && cursor === undefined && limit === undefined
  if (isWhole && total <= neverWhole) return listAll(ctx, { detail })
  const [queue, locked] = await Promise.all([
    sums.own.needEnrichment > 0 ? ctx.books.needEnrichment(ctx.actor.id, shownQueue) : [],
    countLocked(ctx, locks, { own: sums.own.books, granted }),
  ])
  const rest = { enrichmentQueue: clipQueue(queue), ...(locked > 0 ? { pickUrl: pickUrl(ctx) } : {}) }
  const cut = openCut<Item | ItemSummary>(ctx, { cursor, limit, total, rest })
  for (let batch = first, room = true; room && !batch.done; batch = room ? await batches.next() : batch) {
    const items = await showItems(ctx, batch.value, { isLocked: locks.isLocked, concise })
    room = items.every((item) => cut.take(shorten(ctx, item, concise)))
  }
  const { rows, ...place } = cut.end()
  return { items: rows, ...place, ...rest }
}

async function listAll(
  ctx: Call & BookAccessStores & PublicAddress & ShelfStores & PlacementStores,
  part: Part & { detail?: Detail | undefined },
): Promise<ItemList> {
  const books = await libraryBooks(ctx)
  return listBooks(ctx, books, { ...part, enrichmentQueue: queueOf(books) })
}

function queueOf(books: readonly AccessibleBook[]) {
  return books
    .filter(({ needsEnrichment, access }) => needsEnrichment && access.kind === 'own')
    .sort((a, b) => a.pageCount - b.pageCount)
    .map(({ id, title, pageCount }) => ({ id, title, pageCount }))
}
