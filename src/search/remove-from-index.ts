import { detachBook } from './library-segments.ts'
import type { Clock } from '../core/context.ts'
import type { SearchStores } from './store.ts'

/** Removes a book from the search index. Idempotent. */
export async function removeFromIndex(services: Clock & SearchStores, ownerId: string, bookId: string): Promise<void> {
  await detachBook(services, ownerId, bookId)
  await services.search.books.remove(ownerId, bookId)
}
