import { setTimeout } from 'node:timers/promises'
import type { BookEventServices, CreatedBook } from '../../books/events.ts'
import type { Book } from '../../books/book.ts'
import type { Log } from '../../core/context.ts'
import { newId } from '../../core/ids.ts'
import { outlineIdOf } from '../../reading/manifest-row.ts'
import { createPacer, runSteps } from '../../runtime/turns.ts'
import type { IndexedBook } from './book-index-store.ts'
import { newPartId } from './build-units.ts'
import { removeFromIndex } from './remove-from-index.ts'
import { indexParts, type IndexServices } from './index-parts.ts'
import { attachBook, buildSegment } from './library-segments.ts'
import { readerGraceMs, type IndexWork } from './index-work-store.ts'

/** Increment it with every change of `analyse` or of the stored format. The sweep then reindexes all books. */
export const analyzerVersion = 6

const workTimeoutMs = 10 * 60 * 1000
const maxAttempts = 10

/**
 * Updates the search index of a book to its current content and metadata. Reads only new pages. Call it after publishing a change. Never
 * throws: it logs a failure, and the sweep or the next search tries again, because the book stays marked until it is indexed. `created`
 * saves the reads for a new book.
 */
export async function indexBook(
  services: IndexServices & BookEventServices & { log: Log },
  { id, ownerId }: Pick<Book, 'id' | 'ownerId'>,
  created?: CreatedBook,
): Promise<void> {
  const { books } = services
  try {
    // If anything has happened to the book since its creation, this fails, because it has an index entry or another mark.
    if (created && (await indexVersion(services, created.book, created)) === 'indexed') return
    let isOutdated = false
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const [book] = await books.findOwned(ownerId, [id])
      if (!book) return await removeFromIndex(services, ownerId, id)
      if (book.indexDue === '' && !isOutdated) return
      if (book.version < 1) await books.markIndexed(ownerId, id, book.indexDue)
      else {
        const outcome = await indexVersion(services, book)
        if (outcome === 'indexed') return
        // This process may have replaced the index of a later state, whose mark is gone.
        isOutdated = outcome === 'changed'
        if (outcome === 'overtaken') await setTimeout(Math.random() * 50 * attempt)
      }
    }
  } catch (err) {
    services.log.warn({ err, itemId: id }, 'indexing failed; the sweep will try again')
  }
}

/**
 * Indexes a book in its current state. `changed`: the book was changed or deleted in the meantime. `overtaken`: another process was faster,
 * and the sweep removes the unused parts. A book that was just `created` has no index entry.
 */
async function indexVersion(
  services: IndexServices & BookEventServices,
  book: Book,
  created?: CreatedBook,
): Promise<'indexed' | 'changed' | 'overtaken'> {
  const { search, contents, books, now } = services
  const { id, ownerId, version } = book
  const [manifest, [existing]] = await Promise.all([
    contents.getManifest(id, version),
    created ? [] : search.books.find(ownerId, [id]),
  ])
  if (!manifest) throw new Error(`Book ${id} has no version ${version}`)
  const [aboutId, unitId, segmentId] = [newPartId(), newPartId(), newPartId()]
  const work: IndexWork = {
    id: newId(),
    ownerId,
    bookId: id,
    // Includes the units in use, so that they stay recorded if the process crashes after replacing them.
    units: [aboutId, unitId, ...(existing ? partIds(existing) : [])],
    segments: [segmentId],
    dueAt: new Date(now().getTime() + workTimeoutMs),
  }
  await search.work.add(work)
  const pacer = createPacer()
  const before = existing?.analysis === analyzerVersion ? existing : null
  const { parts, languages, pendingRows, termCounts, words } = await indexParts(services, {
    book,
    manifest,
    before,
    pages: created?.pages,
    ids: { work, aboutId, unitId },
    pacer,
  })
  const { segment, rows, wordRows } = await runSteps(
    pacer,
    buildSegment({ termCounts, words }, { id: segmentId, bookId: id, words: parts.words, languages }),
  )
  await Promise.all([
    search.books.writeUnits(id, pendingRows),
    search.libraries.writeRows(ownerId, segmentId, { rows, wordRows }),
  ])
  const outlineId = manifest.toc.length === 0 ? undefined : outlineIdOf(id, manifest.toc)
  const indexed: IndexedBook = { id, ownerId, version, stamp: newId(), analysis: analyzerVersion, outlineId, ...parts }
  if (!(await search.books.replace(indexed, existing?.stamp ?? null))) return 'overtaken'
  if (!(await attachBook(services, segment, indexed))) return 'overtaken'
  const used = new Set(partIds(indexed))
  const units = existing ? partIds(existing).filter((part) => !used.has(part)) : []
  // Runs before the mark is removed, because the marketplace listing copies the book too.
  await services.bookEvents.changed(book)
  // False if the book was changed again or deleted. Then the work row stays.
  if (!(await books.markIndexed(ownerId, id, book.indexDue))) return 'changed'
  await search.work.scheduleRemoval(ownerId, work.id, { units, dueAt: new Date(now().getTime() + readerGraceMs) })
  return 'indexed'
}

/** Returns the ids of all units of a book. */
export function partIds({ about, units }: Pick<IndexedBook, 'about' | 'units'>): string[] {
  return [about.id, ...units.map(({ id }) => id)]
}
