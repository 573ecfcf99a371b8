import type { Log, Clock } from '../core/context.ts'
import { forgetBook } from './remove-from-index.ts'
import { analysis, indexBook, partsOf } from './index-book.ts'
import { mergeLibrary } from './merge-segments.ts'
import type { Work } from './index-work-store.ts'
import type { IndexServices } from './index-parts.ts'
import type { BookEventServices } from '../books/events.ts'

type TendServices = Clock & IndexServices & BookEventServices & { log: Log }

const atOnce = 200

/** Indexes the books that are marked, merges what is due and removes what has been replaced. */
export async function tendIndex(services: TendServices): Promise<void> {
  const { books, search, now } = services
  for (const { id, ownerId } of await search.books.outdated(analysis, atOnce)) await books.setIndexDue(ownerId, id)
  for (const book of await books.indexDue(null, atOnce)) await indexBook(services, book)
  for (const ownerId of await search.libraries.crowded(atOnce)) await mergeLibrary(services, ownerId)
  for (const work of await search.work.due(now(), atOnce)) await removeUnused(services, work)
}

async function removeUnused({ books, search, now }: TendServices, work: Work): Promise<void> {
  const { id, ownerId, bookId, units, segments } = work
  if (bookId !== null) {
    const [indexed] = await search.books.find(ownerId, [bookId])
    const used = new Set(indexed ? partsOf(indexed) : [])
    for (const unit of units) if (!used.has(unit)) await search.books.removeUnit(bookId, unit)
    // Deleted while it was indexed by a process that then died.
    if ((await books.owned(ownerId, [bookId])).length === 0) await forgetBook({ search, now }, ownerId, bookId)
  }
  if (segments.length > 0) {
    const library = await search.libraries.find(ownerId)
    const used = new Set(library?.segments.map((segment) => segment.id))
    for (const segment of segments) if (!used.has(segment)) await search.libraries.removeSegment(ownerId, segment)
  }
  await search.work.done(ownerId, id)
}
