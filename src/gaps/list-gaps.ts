import { ownAccess, quotedFromField, withOwnAccess } from '../books/access.ts'
import { loadLockCheck, itemLockedError } from '../books/book-locks.ts'
import { sliceRows, fitsEntirely } from '../core/pagination.ts'
import { requireAuthoredBook } from './answer-gaps.ts'
import type { BookGaps, BooksWithGaps, GapGroup, GapStatus, ListBookGaps } from './schema.ts'
import type { TopicGroup, GapStores } from './store.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { BookStores } from '../books/store.ts'

const maxTopTopics = 5
/** Number of ids that a group lists if the whole list exceeds the budget. */
const maxListedIds = 20

/**
 * The requests about one of the caller's books by topic, most readers first. Without a book, the caller's books with
 * open requests. Paginated if the list exceeds the budget.
 */
export async function listBookGaps(
  ctx: Call & BookAccessStores & GapStores & PublicAddress,
  { itemId, status = 'OPEN', ...slice }: ListBookGaps,
): Promise<BookGaps> {
  if (itemId === undefined) {
    const { books } = await listAuthorGaps(ctx)
    if (fitsEntirely(ctx, slice, { books })) return { books }
    const { rows, ...pagination } = sliceRows(
      ctx,
      books.map((book) => ({ id: book.itemId, ...book })),
      slice,
    )
    return { books: rows, ...pagination }
  }
  const topics = await listRankedTopics(ctx, itemId, status)
  // Ids count twice, because an id takes about twice the tokens of prose of the same length.
  const weighted = topics.map((topic) => ({
    ...presentGroup(ctx, topic, status),
    gapIds: [topic.gapIds, topic.gapIds],
  }))
  if (fitsEntirely(ctx, slice, weighted)) return { gaps: topics.map((topic) => presentGroup(ctx, topic, status)) }
  const { rows, ...pagination } = sliceRows(
    ctx,
    topics.map((topic) => ({ id: topic.topic, ...truncateIds(presentGroup(ctx, topic, status)) })),
    slice,
  )
  return { gaps: rows, ...pagination }
}

/** The caller's books that have open requests, most requests first. */
export async function listAuthorGaps(ctx: Call & GapStores & BookStores): Promise<BooksWithGaps> {
  const byBook = Map.groupBy(await ctx.gaps.openTopics(ctx.actor.id), ({ itemId }) => itemId)
  const books = await ctx.books.findOwned(ctx.actor.id, [...byBook.keys()])
  const rows = books.map((book) => {
    const { id, title } = book
    const topics = (byBook.get(id) ?? []).sort((a, b) => b.reporterCount - a.reporterCount)
    return {
      itemId: id,
      itemTitle: title,
      ...quotedFromField(withOwnAccess(ctx, book)),
      openCount: topics.reduce((sum, { reporterCount }) => sum + reporterCount, 0),
      topSubcategories: topics
        .slice(0, maxTopTopics)
        .map(({ subcategory, reporterCount }) => ({ subcategory, reporterCount, ...fromReaders(ctx) })),
    }
  })
  return { books: rows.sort((a, b) => b.openCount - a.openCount || (a.itemId < b.itemId ? -1 : 1)) }
}

/** Over MCP: marks the words of readers, who stay anonymous. */
function fromReaders({ transport }: Call): { quotedFrom?: string } {
  return transport === 'mcp' ? { quotedFrom: 'readers' } : {}
}

async function listRankedTopics(
  ctx: Call & BookAccessStores & GapStores & PublicAddress,
  itemId: string,
  status: GapStatus,
): Promise<TopicGroup[]> {
  const book = await requireAuthoredBook(ctx, itemId)
  const isLocked = await loadLockCheck(ctx)
  if (isLocked({ id: itemId, access: ownAccess })) throw itemLockedError(ctx, [book])
  const topics = await ctx.gaps.topics(book.ownerId, itemId, status)
  return topics.sort(
    (a, b) =>
      b.reporterCount - a.reporterCount || b.latestAt.getTime() - a.latestAt.getTime() || (a.topic < b.topic ? -1 : 1),
  )
}

function presentGroup(ctx: Call, { topic: _, intent, latestAt, ...group }: TopicGroup, status: GapStatus): GapGroup {
  return { ...group, sampleIntent: intent, status, latestAt: latestAt.toISOString(), ...fromReaders(ctx) }
}

function truncateIds(group: GapGroup): GapGroup {
  const moreCount = group.gapIds.length - maxListedIds
  return moreCount <= 0 ? group : { ...group, gapIds: group.gapIds.slice(0, maxListedIds), moreGapIds: moreCount }
}
