import { AsyncLocalStorage } from 'node:async_hooks'
import type { BookIndexStore, IndexedBook } from './book-index-store.ts'
import { sortHashes } from '../words/hash-numbers.ts'
import type { Language } from '../../text/words/languages.ts'
import { countBooks } from './library-languages.ts'
import { encodeCounts, type TermCounts } from '../words/term-counts.ts'
import { updateLibraryIndex, type SegmentServices } from './update-library-index.ts'
import type { KnownLibrary, LibraryIndex, LibraryIndexStore, Segment } from './library-index-store.ts'
import { batchByKey } from '../../runtime/batch.ts'
import { mergeSmallest, maxInlineMergeBytes } from './merge-segments.ts'
import { buildTable, type Shard } from '../words/shards.ts'
import { buildWordRows, type ListedWord } from '../words/word-list.ts'

/*
 * The entry (posting list) of a term in a segment has two fields for each book that contains the term: the distance from the position of
 * the previous book (varint), and a code (`term-counts.ts`).
 */

/** The number of terms between two steps. */
const termsPerStep = 8192

/** Builds the segment of one book from its term counts and its words, in steps. */
export function* buildSegment(
  { termCounts, words: listed }: { termCounts: TermCounts; words: readonly ListedWord[] },
  { id, bookId, words, languages }: Pick<Segment, 'id' | 'words'> & { bookId: string; languages: readonly Language[] },
): Generator<void, { segment: Segment; rows: Shard[]; wordRows: Shard[] }> {
  const { hashes, numbers } = sortHashes(termCounts.numbers)
  yield
  const ends = new Uint32Array(hashes.length)
  const bytes = new Uint8Array(hashes.length * 2)
  for (let at = 0; at < hashes.length; at++) {
    // The code of the only book. Its position is 0.
    bytes[at * 2 + 1] = encodeCounts(termCounts.counts[numbers[at] as number] as number)
    ends[at] = (at + 1) * 2
    if (at % termsPerStep === termsPerStep - 1) yield
  }
  const { bits, rows } = yield* buildTable({ hashes, ends, bytes })
  const { bits: wordBits, rows: wordRows } = yield* buildWordRows(listed)
  const sizes = { bits, bytes: sizeOf(rows), wordBits, wordBytes: sizeOf(wordRows) }
  const segment = { id, ...sizes, count: 1, words, bookId, dead: [], languages: countBooks([languages]) }
  return { segment, rows, wordRows }
}

function sizeOf(rows: readonly Shard[]): number {
  return rows.reduce((sum, { bytes }) => sum + bytes.length, 0)
}

/** The segment of a book, and the index entry that it belongs to. */
interface BookSegment extends Pick<IndexedBook, 'id' | 'ownerId' | 'stamp'> {
  segment: Segment
  services: SegmentServices
}

type Attach = (book: BookSegment) => Promise<boolean>

const attachOf = new WeakMap<LibraryIndexStore, Attach>()
/** Runs a function outside the call that needs it first, so that the end of that call does not cancel the work of others. */
const outsideCalls = AsyncLocalStorage.snapshot()

/**
 * Adds the segment of a book to the index of its library, replaces the book's previous segment, and merges small segments if needed.
 * Returns false if the book was indexed again in the meantime: then the other process adds its segment. Segments of one library that are
 * ready at the same time are added with one write, because concurrent writes and merges would make each other fail.
 */
export function attachBook(
  services: SegmentServices,
  segment: Segment,
  { id, ownerId, stamp }: Pick<IndexedBook, 'id' | 'ownerId' | 'stamp'>,
): Promise<boolean> {
  const { libraries } = services.search
  let attach = attachOf.get(libraries)
  if (!attach) {
    attach = outsideCalls((): Attach => batchByKey(({ ownerId: key }) => key, attachBooks))
    attachOf.set(libraries, attach)
  }
  return attach({ id, ownerId, stamp, segment, services })
}

/** Adds the segments of some books to the index of their library. Returns for each whether it was added. */
async function attachBooks(added: readonly BookSegment[]): Promise<boolean[]> {
  const [{ ownerId, services }] = added as readonly [BookSegment]
  const { libraries, books } = services.search
  let current = new Set<BookSegment>()
  let attached: LibraryIndex = { ownerId, stamp: '', segments: [] }
  const listed = await updateLibraryIndex(services, ownerId, async (library, since) => {
    current = await currentOf(books, added, since)
    if (current.size === 0) return null
    const kept = await withoutBooks(libraries, library, new Set([...current].map(({ id }) => id)))
    attached = { ...library, segments: [...kept, ...[...current].map(({ segment }) => segment)] }
    return attached.segments
  })
  // Merges small segments immediately. Leaves large ones to the sweep.
  if (listed) await mergeSmallest(services, attached, maxInlineMergeBytes)
  return added.map((book) => listed && current.has(book))
}

/** Returns the books whose index entries are still those that their segments belong to. `since`: see `KnownLibrary`. */
async function currentOf(
  books: BookIndexStore,
  added: readonly BookSegment[],
  since: KnownLibrary['since'],
): Promise<Set<BookSegment>> {
  // A process that has indexed the book after this one has changed the library even later. If none has changed it since this process wrote
  // the entry, the entry need not be read.
  const unread = added.filter(({ id, stamp }) => {
    const written = books.lastWrite(id)
    return written?.stamp !== stamp || written.at < since
  })
  if (unread.length === 0) return new Set(added)
  // The books must be read after the library: a process that indexes one of them after this read changes the library even later, so
  // that the stamp check fails.
  const entries = await books.find(unread[0]?.ownerId ?? '', [...new Set(unread.map(({ id }) => id))])
  const stamps = new Map(entries.map(({ id, stamp }) => [id, stamp]))
  const outdated = new Set(unread.filter(({ id, stamp }) => stamps.get(id) !== stamp))
  return new Set(added.filter((book) => !outdated.has(book)))
}

/** Removes a book from the index of its library. Idempotent. */
export async function detachBook(services: SegmentServices, ownerId: string, bookId: string): Promise<void> {
  const { libraries } = services.search
  await updateLibraryIndex(services, ownerId, (library) => withoutBooks(libraries, library, new Set([bookId])))
}

async function withoutBooks(
  store: LibraryIndexStore,
  library: LibraryIndex,
  bookIds: ReadonlySet<string>,
): Promise<Segment[]> {
  const merged = library.segments.filter((segment) => segment.bookId === null)
  const headers = await store.readHeaders(
    library.ownerId,
    merged.map(({ id }) => id),
  )
  return library.segments.flatMap((segment) => {
    if (segment.bookId !== null) return bookIds.has(segment.bookId) ? [] : [segment]
    const ids = headers.get(segment.id)?.ids ?? []
    const dead = [...segment.dead]
    for (const [position, id] of ids.entries()) if (bookIds.has(id) && !dead.includes(position)) dead.push(position)
    if (dead.length === segment.dead.length) return [segment]
    return dead.length === segment.count ? [] : [{ ...segment, dead }]
  })
}
