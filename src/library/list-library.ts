import { isConcise, createSlicer, type Detail, type SliceRequest } from '../core/pagination.ts'
import {
  listGrantedBooks,
  listLibraryBooks,
  quotedFromField,
  withOwnAccess,
  type AccessibleBook,
} from '../books/access.ts'
import { addCounts } from '../books/library-store.ts'
import { iterateLibrary } from './iterate-library.ts'
import { clipQueue, presentBookList, presentRow, maxQueueRows, presentItems } from './present-book-list.ts'
import { countLockedBooks, findBookLocks, pickUrl } from '../books/book-locks.ts'
import type { Item, ItemList, ItemSummary } from '../books/schema.ts'
import { systemOwner } from '../books/book.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { ShelfStores } from '../shelves/store.ts'
import type { PlacementStores } from '../shelves/placement-store.ts'

/** From this number on, an answer with a budget cannot contain all books in full. */
const maxDetailedBooks = 200
/** Maximum number of rows per store query; more than such an answer usually holds. */
const maxBatchSize = 300

/**
 * The caller's books, newest first, in the form of `presentBookList`. Over a transport with a budget, the cost depends
 * on the rows shown, not on the size of the library.
 */
export async function listLibrary(
  ctx: Call & BookAccessStores & PublicAddress & ShelfStores & PlacementStores,
  { detail, ...part }: SliceRequest & { detail?: Detail | undefined },
): Promise<ItemList> {
  if (ctx.budget.maxListCost === Infinity) return listAll(ctx, { detail, ...part })
  const { cursor, limit } = part
  const others = listGrantedBooks(ctx)
  // One more than is shown, which becomes the cursor of the next page.
  const batchSize = Math.min((limit ?? maxBatchSize) + 1, maxBatchSize)
  const batches = iterateLibrary(ctx, { cursor, batchSize, granted: others })
  const [granted, sums, locks, first] = await Promise.all([
    others,
    ctx.books.libraryCounts(ctx.actor.id),
    findBookLocks(ctx),
    batches.next(),
  ])
  const { books: storedBooks } = ctx.actor.id === systemOwner ? sums.own : addCounts([sums.own, sums.builtIn])
  const total = storedBooks + granted.length
  const concise = isConcise(ctx, detail)
  const isWholeList = !concise && cursor === undefined && limit === undefined
  if (isWholeList && total <= maxDetailedBooks) return listAll(ctx, { detail })
  const [queue, locked] = await Promise.all([
    sums.own.needEnrichment > 0 ? ctx.books.listNeedingEnrichment(ctx.actor.id, maxQueueRows) : [],
    countLockedBooks(ctx, locks, { own: sums.own.books, granted }),
  ])
  const enrichmentQueue = clipQueue(queue.map((book) => presentQueued(withOwnAccess(ctx, book))))
  const rest = { enrichmentQueue, ...(locked > 0 ? { pickUrl: pickUrl(ctx) } : {}) }
  const slicer = createSlicer<Item | ItemSummary>(ctx, { cursor, limit, total, rest })
  for (let batch = first, hasRoom = true; hasRoom && !batch.done; batch = hasRoom ? await batches.next() : batch) {
    const items = await presentItems(ctx, batch.value, { isLocked: locks.isLocked, concise })
    hasRoom = items.every((item) => slicer.tryAdd(presentRow(ctx, item, concise)))
  }
  const { rows, ...paging } = slicer.toSlice()
  return { items: rows, ...paging, ...rest }
}

async function listAll(
  ctx: Call & BookAccessStores & PublicAddress & ShelfStores & PlacementStores,
  part: SliceRequest & { detail?: Detail | undefined },
): Promise<ItemList> {
  const books = await listLibraryBooks(ctx)
  return presentBookList(ctx, books, { ...part, enrichmentQueue: enrichmentQueueOf(books) })
}

function enrichmentQueueOf(books: readonly AccessibleBook[]) {
  return books
    .filter(({ needsEnrichment, access }) => needsEnrichment && access.kind === 'own')
    .sort((a, b) => a.pageCount - b.pageCount)
    .map(presentQueued)
}

function presentQueued(book: AccessibleBook) {
  const { id, title, pageCount } = book
  return { id, title, pageCount, ...quotedFromField(book) }
}
