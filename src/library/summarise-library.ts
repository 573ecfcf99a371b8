import type { NoInput } from '../accounts/schema.ts'
import { countBooksByShelf } from '../shelves/count-books-by-shelf.ts'
import type { Shelf, ShelfStores } from '../shelves/store.ts'
import {
  listGrantedBooks,
  compareNewestFirst,
  quotedFromField,
  withOwnAccess,
  type AccessibleBook,
} from '../books/access.ts'
import { clipTitle } from '../books/clip-title.ts'
import { addCounts, countsOfBook } from '../books/library-store.ts'
import { countLockedBooks, findBookLocks } from '../books/book-locks.ts'
import type { LibrarySummary } from '../books/schema.ts'
import { systemOwner } from '../books/book.ts'
import { listOpenReadings, type OpenReading } from '../reading/reading-positions.ts'
import type { ReadingPositionStores } from '../reading/reading-position-store.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { ReadStores } from '../accounts/read-meter.ts'
import type { PlacementStores } from '../shelves/placement-store.ts'

/** A summary of the library, under 8 kB and at a cost independent of its size. */
export async function summariseLibrary(
  ctx: Call & BookAccessStores & ReadStores & ReadingPositionStores & ShelfStores & PlacementStores,
  _: NoInput,
): Promise<LibrarySummary> {
  const { account, plan } = ctx.actor
  const [{ own, builtIn }, granted, used, locks, shelves, recent, readings] = await Promise.all([
    ctx.books.libraryCounts(account.id),
    listGrantedBooks(ctx),
    ctx.readMeter.used(account.id, ctx.now()),
    findBookLocks(ctx),
    ctx.shelves.list(account.id),
    ctx.books.listNewestReady(account.id, maxListed),
    listOpenReadings(ctx, maxReadings),
  ])
  const [lockedCount, needingAttention, shelfRows] = await Promise.all([
    countLockedBooks(ctx, locks, { own: own.books, granted }),
    own.needAttention > 0 ? ctx.books.listNeedingAttention(account.id, maxListed) : [],
    fitShelves(ctx, shelves),
  ])
  const grantedCounts = addCounts(granted.map(countsOfBook))
  const { ready, pages, pdf, epub, markdown } = addCounts([
    own,
    ...(account.id === systemOwner ? [] : [builtIn]),
    grantedCounts,
  ])
  return {
    tier: plan.tier,
    itemCount: own.books + grantedCounts.books,
    itemLimit: plan.itemLimit,
    monthlyReadsUsed: used,
    monthlyReadLimit: plan.monthlyReadLimit,
    readyCount: ready,
    lockedCount,
    pageCount: pages,
    bySourceType: { pdf, epub, markdown },
    needAttention: needingAttention.map((book) => presentNeedingAttention(withOwnAccess(ctx, book))),
    enrichmentQueueLength: own.needEnrichment,
    shelfCount: shelves.length,
    shelves: shelfRows,
    recent: selectNewest([...recent.map((book) => withOwnAccess(ctx, book)), ...granted]).map(presentRecent),
    ...(readings.length > 0 ? { continueReading: readings.map(presentReading) } : {}),
  }
}

/** Number of books named per list. */
const maxListed = 10
const maxReadings = 3
const maxShelfBytes = 2_000

/** The first shelves, as many as fit into `maxShelfBytes`. */
async function fitShelves(
  ctx: Call & BookAccessStores & PlacementStores,
  shelves: readonly Shelf[],
): Promise<LibrarySummary['shelves']> {
  if (shelves.length === 0) return []
  const counts = await countBooksByShelf(ctx)
  const rows = shelves.map(({ id, name, slug }) => ({ name, slug, itemCount: counts.get(id) ?? 0 }))
  let remaining = maxShelfBytes
  const end = rows.findIndex((row) => {
    remaining -= Buffer.byteLength(JSON.stringify(row)) + 1
    return remaining < 0
  })
  return end < 0 ? rows : rows.slice(0, end)
}

function selectNewest(books: readonly AccessibleBook[]): AccessibleBook[] {
  return books
    .filter(({ status }) => status === 'READY')
    .sort(compareNewestFirst)
    .slice(0, maxListed)
}

function presentRecent(book: AccessibleBook) {
  const { id, title, author, pageCount } = book
  return { id, title: clipTitle(title), author: author && clipTitle(author), pageCount, ...quotedFromField(book) }
}

function presentReading({ book, page, of, at }: OpenReading) {
  return { id: book.id, title: clipTitle(book.title), page, of, at: at.toISOString(), ...quotedFromField(book) }
}

function presentNeedingAttention(book: AccessibleBook) {
  const { id, title, health, status } = book
  return { id, title: clipTitle(title), health, status, ...quotedFromField(book) }
}
