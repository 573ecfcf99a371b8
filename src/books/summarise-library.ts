import type { NoInput } from '../accounts/schema.ts'
import type { Context } from '../context.ts'
import { countBooks } from '../shelves/count-books.ts'
import { libraryBooks } from './access.ts'
import { clipTitle } from './clip-title.ts'
import { lockedBooks } from './lock-books.ts'
import type { LibrarySummary } from './schema.ts'
import type { Book } from './store.ts'

/** The library at a glance, under 8 kB however large it is. */
export async function summariseLibrary(ctx: Context, _: NoInput): Promise<LibrarySummary> {
  const { account, plan } = ctx.actor
  const [books, used, isLocked, shelves, counts] = await Promise.all([
    libraryBooks(ctx),
    ctx.reads.used(account.id, ctx.now()),
    lockedBooks(ctx),
    ctx.shelves.list(account.id),
    countBooks(ctx),
  ])
  const own = books.filter(({ access }) => access.kind === 'own')
  const ready = books.filter(({ status }) => status === 'READY')
  return {
    tier: plan.tier,
    itemCount: books.filter(({ access }) => access.kind !== 'system').length,
    itemLimit: plan.itemLimit,
    monthlyReadsUsed: used,
    monthlyReadLimit: plan.monthlyReadLimit,
    readyCount: ready.length,
    lockedCount: books.filter(isLocked).length,
    pageCount: ready.reduce((sum, { pageCount }) => sum + pageCount, 0),
    bySourceType: bySourceType(books),
    needAttention: own.filter(needsAttention).slice(0, 10).map(showTrouble),
    enrichmentQueueLength: own.filter(({ needsEnrichment }) => needsEnrichment).length,
    shelfCount: shelves.length,
    shelves: firstShelves(shelves.map(({ id, name, slug }) => ({ name, slug, itemCount: counts.get(id) ?? 0 }))),
    recent: ready.slice(0, 10).map(({ id, title, author, pageCount }) => ({
      id,
      title: clipTitle(title),
      author: author && clipTitle(author),
      pageCount,
    })),
  }
}

const bytesForShelves = 2_000

/** The shelves that there is room for. */
function firstShelves(shelves: LibrarySummary['shelves']): LibrarySummary['shelves'] {
  let left = bytesForShelves
  const end = shelves.findIndex((shelf) => {
    left -= Buffer.byteLength(JSON.stringify(shelf)) + 1
    return left < 0
  })
  return end < 0 ? shelves : shelves.slice(0, end)
}

function bySourceType(books: readonly Book[]) {
  const counts = { pdf: 0, epub: 0, markdown: 0 }
  for (const { sourceType } of books) counts[sourceType]++
  return counts
}

function needsAttention({ health, status }: Book): boolean {
  return status === 'FAILED' || (status === 'READY' && health !== 'ok')
}

function showTrouble({ id, title, health, status }: Book) {
  return { id, title: clipTitle(title), health, status }
}
