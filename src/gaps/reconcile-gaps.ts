import { clipTitle } from '../books/clip-title.ts'
import type { Gap, GapStores } from './store.ts'
import type { Clock } from '../core/context.ts'
import type { BookStores } from '../books/store.ts'
import type { NotificationStores } from '../notifications/store.ts'

type Stores = Clock & GapStores & BookStores & NotificationStores

/** Completes a report that was added: removes it if its book has been deleted in the meantime. */
export async function confirmReport(
  { books, gaps }: Pick<Stores, 'books' | 'gaps'>,
  gap: Pick<Gap, 'id' | 'itemId' | 'ownerId' | 'topic'>,
): Promise<void> {
  const { id, itemId, ownerId } = gap
  const isDeleted = itemId !== null && (await books.findOwned(ownerId, [itemId])).length === 0
  await (isDeleted ? gaps.remove(ownerId, id) : gaps.confirmReport(ownerId, gap))
}

const batchSize = 500

/**
 * Notifies the readers of fulfilled requests of one author, once per request however often it is called. The
 * notification contains only the title under which the reader knew the book and the reader's own words, because the
 * reader may have lost access since.
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

/** Completes the reports and fulfilments that a crash interrupted before `before`. */
export async function reconcileGaps(stores: Stores, before: Date): Promise<void> {
  for await (const gap of stores.gaps.listStalePending(before)) {
    await (gap.fulfilment === null ? confirmReport(stores, gap) : notifyFulfilled(stores, gap.ownerId, [gap]))
  }
}
