import type { AccountEvents } from '../accounts/events.ts'
import type { BookEvents, BookKey, CreatedBook } from '../books/events.ts'
import type { Log } from '../core/context.ts'
import type { Services } from './context.ts'
import { archiveManuscriptOfBook } from '../manuscripts/archive-manuscript.ts'
import { refreshListing } from '../marketplace/refresh-listing.ts'
import { planListingRemoval } from '../marketplace/remove-listing.ts'
import { removeFromIndex } from '../search/index/remove-from-index.ts'
import { indexBook } from '../search/index/index-book.ts'
import { markForEmbedding } from '../embeddings/mark-book.ts'
import { notifyPendingInvites } from '../teams/notify-invite.ts'

type Stores = Omit<Services, 'bookEvents' | 'accountEvents'>
type BookEventHandler = (
  stores: Stores & { bookEvents: BookEvents; log: Log },
  book: BookKey,
  created?: CreatedBook,
) => Promise<unknown>

const addedHandlers: readonly BookEventHandler[] = [indexBook]

const changedHandlers: readonly BookEventHandler[] = [refreshListing, markForEmbedding]

/** Finds what belongs to a book without a row; the returned function removes exactly this. */
type RemovalPlan = (...given: Parameters<BookEventHandler>) => Promise<() => Promise<unknown>>

/** A plan that finds nothing beforehand. */
const unplanned =
  (handle: BookEventHandler): RemovalPlan =>
  async (...given) =>
  () =>
    handle(...given)

/**
 * In order: first everything through which others can reach the book. Data that a book in the bin needs is kept. A book
 * may be brought back at any time, so a removal leaves what the book has since: it removes only what its plan has
 * found, or checks the book itself, or is reverted by the index of the returned book.
 */
const deletionPlans: readonly RemovalPlan[] = [
  (stores, { ownerId, id }) => planListingRemoval(stores, ownerId, id),
  ({ jobs }, { id }) => jobs.planRemoval(id),
  ({ recognitions }, { id }) => recognitions.planRemoval(id),
  ({ uploads }, { id }) => uploads.planRemoval(id),
  ({ placements }, { id }) => placements.planRemoval(id),
  ({ shares }, { id }) => shares.planRemoval(id),
  unplanned((stores, { ownerId, id }) => archiveManuscriptOfBook(stores, ownerId, id)),
  // Before the index: a book that has been brought back meanwhile is indexed again, and with that marked for embedding.
  unplanned(({ embeddings }, { ownerId, id }) => embeddings.removeBook(ownerId, id)),
  unplanned((stores, { ownerId, id }) => removeFromIndex(stores, ownerId, id)),
  unplanned(({ lastReads }, { id }) => lastReads.removeBook(id)),
  ({ gaps }, { id }) => gaps.planRemoval(id),
]

/** The handlers of a removal after those of a deletion, for the data of the book. */
const removedHandlers: readonly BookEventHandler[] = [
  ({ contents }, { id }) => contents.removeBook(id),
  ({ drafts }, { id }) => drafts.removeBook(id),
  ({ readingPositions }, { id }) => readingPositions.removeBook(id),
  ({ readLog }, { id }) => readLog.removeBook(id),
]

/** Creates the book events, with the handlers of all domains in order. */
export function createBookEvents(stores: Stores, log: Log): BookEvents {
  const run = (handlers: readonly BookEventHandler[]) => async (book: BookKey, created?: CreatedBook) => {
    for (const handle of handlers) await handle({ ...stores, bookEvents, log }, book, created)
  }
  const removeTraces = async (book: BookKey) => {
    const removals = await Promise.all(deletionPlans.map((plan) => plan({ ...stores, bookEvents, log }, book)))
    // After the plans: what they have found is from before the book is brought back.
    if ((await stores.books.findOwned(book.ownerId, [book.id])).length > 0) return
    for (const remove of removals) await remove()
  }
  const removeData = run(removedHandlers)
  const bookEvents: BookEvents = {
    added: run(addedHandlers),
    changed: run(changedHandlers),
    deleted: removeTraces,
    async removed(book) {
      await removeTraces(book)
      await removeData(book)
    },
  }
  return bookEvents
}

/** Creates the account events, with the handlers of all domains. */
export function createAccountEvents(stores: Stores): AccountEvents {
  return { emailProven: (account) => notifyPendingInvites(stores, account) }
}
