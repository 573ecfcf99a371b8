import type { Services } from '../core/context.ts'
import { detachBook } from './library-segments.ts'

/** Removes all that search knows of a book; repeats change nothing. */
export async function forgetBook(
  services: Pick<Services, 'search' | 'now'>,
  ownerId: string,
  bookId: string,
): Promise<void> {
  await detachBook(services, ownerId, bookId)
  await services.search.books.remove(ownerId, bookId)
}
