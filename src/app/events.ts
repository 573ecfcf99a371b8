import type { AccountEvents } from '../accounts/events.ts'
import type { BookEvents, BookKey } from '../books/events.ts'
import type { Log } from '../core/context.ts'
import type { Services } from './context.ts'
import { archiveManuscriptOfBook } from '../manuscripts/archive-manuscript.ts'
import { refreshListing } from '../marketplace/refresh-listing.ts'
import { removeListingOfBook } from '../marketplace/remove-listing.ts'
import { removeFromIndex } from '../search/index/remove-from-index.ts'
import { indexBook } from '../search/index/index-book.ts'
import { markForEmbedding } from '../embeddings/mark-book.ts'
import { notifyPendingInvites } from '../teams/notify-invite.ts'

type Stores = Omit<Services, 'bookEvents' | 'accountEvents'>
type BookEventHandler = (stores: Stores & { bookEvents: BookEvents; log: Log }, book: BookKey) => Promise<unknown>

const addedHandlers: readonly BookEventHandler[] = [indexBook]

const changedHandlers: readonly BookEventHandler[] = [refreshListing, markForEmbedding]

/**
 * Handlers in order: first everything through which others can reach the book. Data that a book in the bin needs is
 * kept.
 */
const deletedHandlers: readonly BookEventHandler[] = [
  (stores, { ownerId, id }) => removeListingOfBook(stores, ownerId, id),
  ({ jobs }, { id }) => jobs.removeByItem(id),
  ({ recognitions }, { id }) => recognitions.removeByItem(id),
  ({ uploads }, { id }) => uploads.remove(id),
  ({ placements }, { id }) => placements.removeBook(id),
  ({ shares }, { id }) => shares.removeBook(id),
  (stores, { ownerId, id }) => archiveManuscriptOfBook(stores, ownerId, id),
  // Before the index: a book that has been brought back meanwhile is indexed again, and with that marked for embedding.
  ({ embeddings }, { ownerId, id }) => embeddings.removeBook(ownerId, id),
  (stores, { ownerId, id }) => removeFromIndex(stores, ownerId, id),
  ({ lastReads }, { id }) => lastReads.removeBook(id),
  ({ gaps }, { id }) => gaps.removeBook(id),
]

/** The same handlers, followed by those for the data of the book. */
const removedHandlers: readonly BookEventHandler[] = [
  ...deletedHandlers,
  ({ contents }, { id }) => contents.removeBook(id),
  ({ drafts }, { id }) => drafts.removeBook(id),
  ({ readingPositions }, { id }) => readingPositions.removeBook(id),
  ({ readLog }, { id }) => readLog.removeBook(id),
]

/** Creates the book events, with the handlers of all domains in order. */
export function createBookEvents(stores: Stores, log: Log): BookEvents {
  const run = (handlers: readonly BookEventHandler[]) => async (book: BookKey) => {
    for (const handle of handlers) await handle({ ...stores, bookEvents, log }, book)
  }
  const bookEvents: BookEvents = {
    added: run(addedHandlers),
    changed: run(changedHandlers),
    deleted: run(deletedHandlers),
    removed: run(removedHandlers),
  }
  return bookEvents
}

/** Creates the account events, with the handlers of all domains. */
export function createAccountEvents(stores: Stores): AccountEvents {
  return { emailProven: (account) => notifyPendingInvites(stores, account) }
}
