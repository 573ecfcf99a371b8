import type { Log, Clock } from '../../core/context.ts'
import { removeFromIndex } from './remove-from-index.ts'
import { analyzerVersion, indexBook, partIds } from './index-book.ts'
import { mergeLibrary } from './merge-segments.ts'
import type { IndexWork } from './index-work-store.ts'
import type { IndexServices } from './index-parts.ts'
import type { BookEventServices } from '../../books/events.ts'

type IndexMaintenanceServices = Clock & IndexServices & BookEventServices & { log: Log }

const batchSize = 200

/** Indexes marked books, performs due merges of segments and removes replaced parts of indexes. */
export async function refreshStaleIndex(services: IndexMaintenanceServices): Promise<void> {
  const { books, search, now } = services
  for (const { id, ownerId } of await search.books.listOutdated(analyzerVersion, batchSize))
    await books.markIndexDue(ownerId, id)
  for (const book of await books.listIndexDue(null, batchSize)) await indexBook(services, book)
  for (const ownerId of await search.libraries.listNeedingMerge(batchSize)) await mergeLibrary(services, ownerId)
  // The rows of work that this process has completed are not due.
  await search.work.flush()
  for (const work of await search.work.listDue(now(), batchSize)) await removeUnused(services, work)
  await search.work.flush()
}

async function removeUnused(services: IndexMaintenanceServices, work: IndexWork): Promise<void> {
  const { books, search } = services
  const { id, ownerId, bookId, units, segments } = work
  if (bookId !== null) {
    const [indexed] = await search.books.find(ownerId, [bookId])
    const used = new Set(indexed ? partIds(indexed) : [])
    for (const unit of units) if (!used.has(unit)) await search.books.removeUnit(bookId, unit)
    // The book was deleted while a process was indexing it, and then the process crashed.
    if ((await books.findOwned(ownerId, [bookId])).length === 0) await removeFromIndex(services, ownerId, bookId)
  }
  if (segments.length > 0) {
    const library = await search.libraries.find(ownerId)
    const used = new Set(library?.segments.map((segment) => segment.id))
    for (const segment of segments) if (!used.has(segment)) await search.libraries.removeSegment(ownerId, segment)
  }
  search.work.complete(ownerId, id)
}
