import { AppError } from '../core/errors.ts'
import type { Book } from './book.ts'

/** The stores that know whether strangers read a book: `marketplace/` implements both. */
export interface PublicationStores {
  listings: {
    findByBook(ownerId: string, itemId: string): Promise<{ status: 'LIVE' | 'WITHDRAWN' } | null>
  }
  subscriptions: {
    countByBook(ownerId: string, itemId: string): Promise<number>
  }
}

/**
 * True for a book that is on the marketplace, or was withdrawn from it and is still in the library of another account.
 */
export async function isReadByStrangers(
  { listings, subscriptions }: PublicationStores,
  { id, ownerId }: Pick<Book, 'id' | 'ownerId'>,
): Promise<boolean> {
  const listing = await listings.findByBook(ownerId, id)
  if (!listing) return false
  return listing.status === 'LIVE' || (await subscriptions.countByBook(ownerId, id)) > 0
}

/** The refusal (FORBIDDEN) of a team's change to a book that strangers read; `what` names the change. */
export function readByStrangersError(what: string): AppError {
  const message =
    `${what}: it is on the marketplace, or people who added it there still read it, so only its owner may change it. ` +
    'Ask the owner to make the change, or work on a copy.'
  return new AppError('FORBIDDEN', message)
}
