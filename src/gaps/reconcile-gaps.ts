import { clipTitle } from '../books/clip-title.ts'
import type { Gap, GapStores } from './store.ts'
import type { Clock } from '../core/context.ts'
import type { BookStores } from '../books/store.ts'
import type { NotificationStores } from '../notifications/store.ts'

type Stores = Clock & GapStores & BookStores & NotificationStores

/** Finishes a report that was filed: one about a book that was deleted meanwhile leaves nothing. */
export async function confirmReport(
  { books, gaps }: Pick<Stores, 'books' | 'gaps'>,
  gap: Pick<Gap, 'id' | 'itemId' | 'ownerId' | 'topic'>,
): Promise<void> {
  const { id, itemId, ownerId } = gap
  const isGone = itemId !== null && (await books.findOwned(ownerId, [itemId])).length === 0
  await (isGone ? gaps.remove(ownerId, id) : gaps.confirmReport(ownerId, gap))
}

const batchSize = 500

/**
 * Tells the readers of fulfilled requests of one author; each request once, however often it is called. They learn the
 * title under which they knew the book and their own words, nothing else: they may have lost it since.
 */
export async function notifyFulfilled(
  { gaps, notifications, now }: Pick<Stores, 'gaps' | 'notifications' | 'now'>,
  ownerId: string,
  fulfilled: readonly Gap[],
): Promise<void> {
  for (let start = 0; start < fulfilled.length; start += batchSize) {
    const batch = fulfilled.slice(start, start + batchSize)
    const createdAt = now()
    await notifications.addAll(
      batch.map(({ id, readerId, itemId, itemTitle, subcategory }) => ({
        id,
        accountId: readerId,
        type: 'gap_fulfilled',
        title: `"${clipTitle(itemTitle ?? '')}" has what you asked for`,
        body: `Its author has fulfilled your request: ${subcategory}`,
        metadata: { itemId, subcategory },
        createdAt,
        readAt: null,
      })),
    )
    await gaps.markNotified(
      ownerId,
      batch.map(({ id }) => id),
    )
  }
}

/** Finishes the reports and fulfilments that a crash cut off before `before`. */
export async function reconcileGaps(stores: Stores, before: Date): Promise<void> {
  for await (const gap of stores.gaps.listStalePending(before)) {
    await (gap.fulfilment === null ? confirmReport(stores, gap) : notifyFulfilled(stores, gap.ownerId, [gap]))
  }
}
