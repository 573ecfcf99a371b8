import type { AccountEvents } from '../accounts/events.ts'
import type { BookEvents, BookKey } from '../books/events.ts'
import type { Log } from '../core/context.ts'
import type { Services } from './context.ts'
import { archiveManuscriptOf } from '../manuscripts/archive-manuscript.ts'
import { refreshListing } from '../marketplace/refresh-listing.ts'
import { removeListingOf } from '../marketplace/remove-listing.ts'
import { forgetBook } from '../search/remove-from-index.ts'
import { indexBook } from '../search/index-book.ts'
import { announceInvites } from '../teams/notify-invite.ts'

type Stores = Omit<Services, 'bookEvents' | 'accountEvents'>
type Handler = (stores: Stores & { bookEvents: BookEvents; log: Log }, book: BookKey) => Promise<unknown>

const added: readonly Handler[] = [indexBook]

const changed: readonly Handler[] = [refreshListing]

/** First what lets others reach the book, then what hangs on it. */
const removed: readonly Handler[] = [
  (stores, { ownerId, id }) => removeListingOf(stores, ownerId, id),
  ({ jobs }, { id }) => jobs.removeOf(id),
  ({ uploads }, { id }) => uploads.remove(id),
  ({ placements }, { id }) => placements.removeBook(id),
  ({ shares }, { id }) => shares.removeBook(id),
  (stores, { ownerId, id }) => archiveManuscriptOf(stores, ownerId, id),
  ({ contents }, { id }) => contents.removeAll(id),
  (stores, { ownerId, id }) => forgetBook(stores, ownerId, id),
  ({ lastReads }, { id }) => lastReads.removeOf(id),
  ({ gaps }, { id }) => gaps.removeBook(id),
]

/** What follows from changes of books, domain by domain. */
export function createBookEvents(stores: Stores, log: Log): BookEvents {
  const run = (handlers: readonly Handler[]) => async (book: BookKey) => {
    for (const handle of handlers) await handle({ ...stores, bookEvents, log }, book)
  }
  const bookEvents: BookEvents = { added: run(added), changed: run(changed), removed: run(removed) }
  return bookEvents
}

/** What follows from changes of accounts. */
export function createAccountEvents(stores: Stores): AccountEvents {
  return { signedUp: (account) => announceInvites(stores, account) }
}
