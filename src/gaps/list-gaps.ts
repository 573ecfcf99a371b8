import { ownAccess } from '../books/access.ts'
import { lockedBooks, lockedRefusal } from '../books/book-locks.ts'
import { cutRows, fitsWhole } from '../core/pagination.ts'
import { authoredBook } from './answer-gaps.ts'
import type { BookGaps, BooksWithGaps, GapGroup, GapStatus, ListBookGaps } from './schema.ts'
import type { TopicGroup, GapStores } from './store.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { BookStores } from '../books/store.ts'

const topTopics = 5
/** How many ids stand beside a group where the list is too large for an answer. */
const shownIds = 20

/**
 * The requests of an own book by topic, those of most readers first; without a book, the own books that have open ones.
 * Part by part where the list is too large for an answer.
 */
export async function listBookGaps(
  ctx: Call & BookAccessStores & GapStores & PublicAddress,
  { itemId, status = 'OPEN', ...part }: ListBookGaps,
): Promise<BookGaps> {
  if (itemId === undefined) {
    const { books } = await listAuthorGaps(ctx)
    if (fitsWhole(ctx, part, { books })) return { books }
    const { rows, ...place } = cutRows(
      ctx,
      books.map((book) => ({ id: book.itemId, ...book })),
      part,
    )
    return { books: rows, ...place }
  }
  const topics = await rankedTopics(ctx, itemId, status)
  // An id takes about twice the tokens of prose.
  const weighed = topics.map((topic) => ({ ...show(topic, status), gapIds: [topic.gapIds, topic.gapIds] }))
  if (fitsWhole(ctx, part, weighed)) return { gaps: topics.map((topic) => show(topic, status)) }
  const { rows, ...place } = cutRows(
    ctx,
    topics.map((topic) => ({ id: topic.topic, ...shorten(show(topic, status)) })),
    part,
  )
  return { gaps: rows, ...place }
}

/** The caller's books that have open requests, those with most of them first. */
export async function listAuthorGaps(ctx: Call & GapStores & BookStores): Promise<BooksWithGaps> {
  const byBook = Map.groupBy(await ctx.gaps.openTopics(ctx.actor.id), ({ itemId }) => itemId)
  const books = await ctx.books.owned(ctx.actor.id, [...byBook.keys()])
  const rows = books.map(({ id, title }) => {
    const topics = (byBook.get(id) ?? []).sort((a, b) => b.reporterCount - a.reporterCount)
    return {
      itemId: id,
      itemTitle: title,
      openCount: topics.reduce((sum, { reporterCount }) => sum + reporterCount, 0),
      topSubcategories: topics
        .slice(0, topTopics)
        .map(({ subcategory, reporterCount }) => ({ subcategory, reporterCount })),
    }
  })
  return { books: rows.sort((a, b) => b.openCount - a.openCount || (a.itemId < b.itemId ? -1 : 1)) }
}

async function rankedTopics(
  ctx: Call & BookAccessStores & GapStores & PublicAddress,
  itemId: string,
  status: GapStatus,
): Promise<TopicGroup[]> {
  const book = await authoredBook(ctx, itemId)
  const isLocked = await lockedBooks(ctx)
  if (isLocked({ id: itemId, access: ownAccess })) throw lockedRefusal(ctx, [book])
  const topics = await ctx.gaps.topics(book.ownerId, itemId, status)
  return topics.sort(
    (a, b) =>
      b.reporterCount - a.reporterCount || b.latestAt.getTime() - a.latestAt.getTime() || (a.topic < b.topic ? -1 : 1),
  )
}

function show({ topic: _, intent, latestAt, ...group }: TopicGroup, status: GapStatus): GapGroup {
  return { ...group, sampleIntent: intent, status, latestAt: latestAt.toISOString() }
}

function shorten(group: GapGroup): GapGroup {
  const more = group.gapIds.length - shownIds
  return more <= 0 ? group : { ...group, gapIds: group.gapIds.slice(0, shownIds), moreGapIds: more }
}
