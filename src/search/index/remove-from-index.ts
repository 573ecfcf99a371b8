import { detachBook } from './library-segments.ts'
import type { BookStores } from '../../books/store.ts'
import type { Clock } from '../../core/context.ts'
import type { SearchStores } from '../store.ts'

/**
 * Removes a book from the search index. Idempotent. A book that has been brought back meanwhile, and may have been
 * indexed before this removal, is marked, so that the next search or the sweep indexes it again.
 */
export async function removeFromIndex(
  services: Clock & BookStores & SearchStores,
  ownerId: string,
  bookId: string,
): Promise<void> {
  await detachBook(services, ownerId, bookId)
  await services.search.books.remove(ownerId, bookId)
  await services.books.markIndexDue(ownerId, bookId)
}
