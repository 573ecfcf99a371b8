import type { NoInput } from '../accounts/schema.ts'
import { countBooks } from '../shelves/count-books-by-shelf.ts'
import type { Shelf, ShelfStores } from '../shelves/store.ts'
import { grantedBooks, newestFirst, ownOrBuiltIn, type AccessibleBook } from '../books/access.ts'
import { clipTitle } from '../books/clip-title.ts'
import { addSums, weigh } from '../books/library-store.ts'
import { countLocked, findLocks } from '../books/book-locks.ts'
import type { LibrarySummary } from '../books/schema.ts'
import { systemOwner, type Book } from '../books/book.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { ReadStores } from '../accounts/read-meter.ts'
import type { PlacementStores } from '../shelves/placement-store.ts'

/** The library at a glance, under 8 kB and at the same cost however large it is. */
export async function summariseLibrary(
  ctx: Call & BookAccessStores & ReadStores & ShelfStores & PlacementStores,
  _: NoInput,
): Promise<LibrarySummary> {
  const { account, plan } = ctx.actor
  const [{ own, builtIn }, granted, used, locks, shelves, recent] = await Promise.all([
    ctx.books.sums(account.id),
    grantedBooks(ctx),
    ctx.reads.used(account.id, ctx.now()),
    findLocks(ctx),
    ctx.shelves.list(account.id),
    ctx.books.newestReady(account.id, mostShown),
  ])
  const [lockedCount, trouble, shown] = await Promise.all([
    countLocked(ctx, locks, { own: own.books, granted }),
    own.needAttention > 0 ? ctx.books.needAttention(account.id, mostShown) : [],
    firstShelves(ctx, shelves),
  ])
  const others = addSums(granted.map(weigh))
  const { ready, pages, pdf, epub, markdown } = addSums([own, ...(account.id === systemOwner ? [] : [builtIn]), others])
  return {
    tier: plan.tier,
    itemCount: own.books + others.books,
    itemLimit: plan.itemLimit,
    monthlyReadsUsed: used,
    monthlyReadLimit: plan.monthlyReadLimit,
    readyCount: ready,
    lockedCount,
    pageCount: pages,
    bySourceType: { pdf, epub, markdown },
    needAttention: trouble.map(showTrouble),
    enrichmentQueueLength: own.needEnrichment,
    shelfCount: shelves.length,
    shelves: shown,
    recent: newestOf([...recent.map((book) => ownOrBuiltIn(ctx, book)), ...granted]).map(showRecent),
  }
}

/** Books of each kind that are named. */
const mostShown = 10
const bytesForShelves = 2_000

/** The shelves that there is room for. */
async function firstShelves(
  ctx: Call & BookAccessStores & PlacementStores,
  shelves: readonly Shelf[],
): Promise<LibrarySummary['shelves']> {
  if (shelves.length === 0) return []
  const counts = await countBooks(ctx)
  const rows = shelves.map(({ id, name, slug }) => ({ name, slug, itemCount: counts.get(id) ?? 0 }))
  let left = bytesForShelves
  const end = rows.findIndex((row) => {
    left -= Buffer.byteLength(JSON.stringify(row)) + 1
    return left < 0
  })
  return end < 0 ? rows : rows.slice(0, end)
}

function newestOf(books: readonly AccessibleBook[]): AccessibleBook[] {
  return books
    .filter(({ status }) => status === 'READY')
    .sort(newestFirst)
    .slice(0, mostShown)
}

function showRecent({ id, title, author, pageCount }: Book) {
  return { id, title: clipTitle(title), author: author && clipTitle(author), pageCount }
}

function showTrouble({ id, title, health, status }: Book) {
  return { id, title: clipTitle(title), health, status }
}
