import { setTimeout } from 'node:timers/promises'
import type { BookEventServices } from '../books/events.ts'
import type { Book } from '../books/book.ts'
import type { Log } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import type { IndexedBook } from './book-index-store.ts'
import { partId } from './build-units.ts'
import { forgetBook } from './remove-from-index.ts'
import { indexParts, type IndexServices } from './index-parts.ts'
import { attachBook, segmentOf } from './library-segments.ts'
import type { Work } from './index-work-store.ts'

/** The way of reading texts: a change of `analyse` or of what is stored raises it, and books are indexed anew. */
export const analysis = 1

const workMs = 10 * 60 * 1000
const graceMs = 60 * 1000
const mostAttempts = 10

/**
 * Brings the search index of a book up to its current content and description; nothing to do when it is. Reads only the
 * pages that are new. Call it after publishing a change: a failure is logged and made up for by the sweep and by the
 * next search, because the book is marked until it is indexed.
 */
export async function indexBook(
  services: IndexServices & BookEventServices & { log: Log },
  { id, ownerId }: Pick<Book, 'id' | 'ownerId'>,
): Promise<void> {
  const { books } = services
  try {
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const [book] = await books.owned(ownerId, [id])
      if (!book) return await forgetBook(services, ownerId, id)
      if (book.indexDue === '') return
      if (book.version < 1) await books.setIndexed(ownerId, id, book.indexDue)
      else if (!(await indexVersion(services, book))) await setTimeout(Math.random() * 50 * attempt)
    }
  } catch (err) {
    services.log.warn({ err, itemId: id }, 'indexing failed; it is tried again')
  }
}

/** Indexes a book as it is. False when another process was faster: what was written for nothing is removed by the sweep. */
async function indexVersion(services: IndexServices & BookEventServices, book: Book): Promise<boolean> {
  const { search, contents, books, now } = services
  const { id, ownerId, version } = book
  const manifest = await contents.manifest(id, version)
  if (!manifest) throw new Error(`Book ${id} has no version ${version}`)
  const [known] = await search.books.find(ownerId, [id])
  const [aboutId, unitId, segmentId] = [partId(), partId(), partId()]
  const work: Work = {
    id: newId(),
    ownerId,
    bookId: id,
    // Those in use as well: a crash after they are replaced must not leave them unnoted.
    units: [aboutId, unitId, ...(known ? partsOf(known) : [])],
    segments: [segmentId],
    dueAt: new Date(now().getTime() + workMs),
  }
  await search.work.note(work)
  const before = known?.analysis === analysis ? known : null
  const { parts, rest, tally } = await indexParts(services, {
    book,
    manifest,
    before,
    names: { work, aboutId, unitId },
  })
  const { segment, rows } = segmentOf(tally, { id: segmentId, bookId: id, words: parts.words })
  await Promise.all([search.books.writeUnits(id, rest), search.libraries.writeRows(ownerId, segmentId, rows)])
  const indexed: IndexedBook = { id, ownerId, version, stamp: newId(), analysis, ...parts }
  if (!(await search.books.replace(indexed, known?.stamp ?? null))) return false
  if (!(await attachBook(services, segment, indexed))) return false
  const used = new Set(partsOf(indexed))
  const units = known ? partsOf(known).filter((part) => !used.has(part)) : []
  // Before the mark is gone: its listing is a copy of the book too.
  await services.bookEvents.changed(book)
  // False when the book has been changed again, or deleted: then the note stays.
  if (!(await books.setIndexed(ownerId, id, book.indexDue))) return true
  await search.work.settle(ownerId, work.id, { units, dueAt: new Date(now().getTime() + graceMs) })
  return true
}

/** The names of all units of a book. */
export function partsOf({ about, units }: Pick<IndexedBook, 'about' | 'units'>): string[] {
  return [about.id, ...units.map(({ id }) => id)]
}
