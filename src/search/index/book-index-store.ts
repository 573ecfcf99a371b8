import { LRUCache } from 'lru-cache'
import type { Collection, Db } from 'mongodb'
import { isDuplicateKey } from '../../core/errors.ts'
import { atMost } from '../../runtime/at-most.ts'
import type { Language } from '../../text/words/languages.ts'
import { createEntryCache, type LibraryState } from './entry-cache.ts'
import { nextMoment } from './moments.ts'
import { createRowCache } from './row-cache.ts'
import type { Shard } from '../words/shards.ts'

/** A run of stored pages, as in the manifest of a version. */
export interface PageRun {
  revision: string
  start: number
  count: number
}

/** The index of some stored pages. Immutable, and shared by all versions with these pages. */
export interface IndexUnit {
  id: string
  /** The number of bits that select a row by its hash, see `shards.ts`. */
  bits: number
  pages: PageRun[]
  /** The number of words of each page, packed (`varint.ts`). */
  lengths: Uint8Array
  /** The languages used to stem its words, the one with the most pages first. Absent in rows of earlier versions: English. */
  languages?: Language[]
}

/** The index of a book's metadata: title, author, description and one pseudo-page per outline entry. */
export interface MetadataUnit {
  id: string
  bits: number
  /** A digest of the metadata, which differs when the metadata has changed. */
  digest: string
  lengths: Uint8Array
  /** The page number of each outline entry, packed. */
  targets: Uint8Array
}

export interface IndexedBook {
  id: string
  ownerId: string
  /** The version of the book that is indexed. */
  version: number
  /** Changes with every write; used for optimistic locking. */
  stamp: string
  /** The `analyzerVersion` with which it was indexed. */
  analysis: number
  words: number
  /** The table of contents of the version. Absent if it has none, and in rows of earlier versions. */
  outlineId?: string | undefined
  about: MetadataUnit
  units: IndexUnit[]
  /** The pages of the version in order, as ranges of pages of a unit. */
  layout: [unit: number, start: number, count: number][]
}

/** The rows of a unit to write. */
export interface UnitRows {
  unitId: string
  rows: readonly Shard[]
  /** The encoded words of the unit, see `word-list.ts`. */
  words?: Uint8Array
}

/** All rows of a unit. */
export interface UnitContent {
  rows: Uint8Array[]
  /** The encoded words of the unit; null: none. */
  words: Uint8Array | null
}

/** The key of one row of a unit. */
export interface UnitRowKey {
  bookId: string
  unitId: string
  shard: number
}

/** A write of an index entry by this process. */
interface EntryWrite {
  stamp: string
  at: number
}

export interface BookIndexStore {
  /** Returns the index entries of books of any owner. */
  findAny(ids: readonly string[]): Promise<IndexedBook[]>
  /** Returns the index entries of the owner's books among `ids`. */
  find(ownerId: string, ids: readonly string[]): Promise<IndexedBook[]>
  /**
   * Like `find`, but returns cached entries that were read while the library had this stamp. Indexing a book changes first its entry and
   * then the stamp. Requires that the stamp was read before the call.
   */
  findListed(library: LibraryState, ids: readonly string[]): Promise<IndexedBook[]>
  /** Caches the index entries of a library for `findListed`, unless some of them were read before. */
  readAhead(library: LibraryState): Promise<void>
  /** Replaces the index entry of a book if its stamp is `expectedStamp` (null: no entry yet). Otherwise returns false. */
  replace(book: IndexedBook, expectedStamp: string | null): Promise<boolean>
  /** Returns the last write of a book's entry by this process, and a `nextMoment` before it; undefined if it is not known. */
  lastWrite(id: string): EntryWrite | undefined
  writeUnits(bookId: string, units: readonly UnitRows[]): Promise<void>
  /** Reads rows, through a cache. The result is keyed by `unitRowId`. */
  readRows(keys: readonly UnitRowKey[]): Promise<Map<string, Uint8Array>>
  /** Returns all rows of some units, in their order. Does not cache them. */
  readUnits(bookId: string, units: readonly Pick<IndexUnit, 'id' | 'bits'>[]): Promise<UnitContent[]>
  removeUnit(bookId: string, unitId: string): Promise<void>
  /** Removes the whole index of a book. */
  remove(ownerId: string, id: string): Promise<void>
  /** Returns at most `limit` books that were indexed with an older `analyzerVersion`. */
  listOutdated(analyzerVersion: number, limit: number): Promise<{ id: string; ownerId: string }[]>
}

interface Row extends Omit<IndexedBook, 'id' | 'units'> {
  _id: string
  units: (Omit<IndexUnit, 'pages'> & { pages: string })[]
}

interface PagesRow {
  _id: string
  d: Uint8Array
}

/** Returns the id of the row that holds a shard of a unit. */
export function unitRowId({ bookId, unitId, shard }: UnitRowKey): string {
  return `${bookId}:${unitId}:${shard}`
}

/** Returns the id of the row that holds the words of a unit. */
function wordsRowId(bookId: string, unitId: string): string {
  return `${bookId}:${unitId}:w`
}

/** The maximum number of books whose last write is known. */
const maxWrites = 10_000

/** Creates the store of book indexes on MongoDB: collections `search_books` (one row per book) and `search_pages`. */
export function createBookIndexStore(db: Db): BookIndexStore {
  const options = { promoteBuffers: true }
  const books = db.collection<Row>('search_books', options)
  const writes = new LRUCache<string, EntryWrite>(atMost(maxWrites))
  const pages = db.collection<PagesRow>('search_pages', options)
  return { ...bookMethods(books, writes), ...unitMethods(pages), ...removal(books, pages, writes) }
}

/** The size of the entry cache, enough for some thousand books. */
const maxEntryBytes = 16 * 1024 * 1024
const [bytesPerObject, bytesPerPage] = [250, 16]

/** Returns the size of an entry in bytes, including the per-page data that a search unpacks from it. */
function weightOf({ about, units, layout }: IndexedBook): number {
  const runs = units.reduce((sum, { pages }) => sum + pages.length, 0)
  const packed = units.reduce((sum, { lengths }) => sum + lengths.length, about.lengths.length + about.targets.length)
  return (4 + units.length + runs + layout.length) * bytesPerObject + packed * (1 + bytesPerPage)
}

/** Copies the bytes of an entry, so that it does not keep the whole reply of the database in memory. */
function withOwnBytes(entry: IndexedBook): IndexedBook {
  const { about, units } = entry
  return {
    ...entry,
    about: { ...about, lengths: new Uint8Array(about.lengths), targets: new Uint8Array(about.targets) },
    units: units.map((unit) => ({ ...unit, lengths: new Uint8Array(unit.lengths) })),
  }
}

/** More documents than the store returns at once by default (101), because a search would wait once more for the rest. */
const atOnce = { batchSize: 1000 }

function bookMethods(books: Collection<Row>, writes: LRUCache<string, EntryWrite>) {
  const find = async (ownerId: string, ids: readonly string[]) => {
    const rows = await books.find({ _id: { $in: [...ids] }, ownerId }, atOnce).toArray()
    return rows.map(toBook)
  }
  const cache = createEntryCache(maxEntryBytes, weightOf)
  const write = async ({ _id, ...row }: Row, expectedStamp: string | null) => {
    if (expectedStamp !== null) {
      const filter = { _id, ownerId: row.ownerId, stamp: expectedStamp }
      return (await books.replaceOne(filter, row)).matchedCount === 1
    }
    try {
      await books.insertOne({ _id, ...row })
      return true
    } catch (error) {
      if (isDuplicateKey(error)) return false
      throw error
    }
  }
  return {
    find,
    lastWrite: (id: string) => writes.get(id),
    findAny: async (ids: readonly string[]) =>
      (await books.find({ _id: { $in: [...ids] } }, atOnce).toArray()).map(toBook),
    findListed: (library: LibraryState, ids: readonly string[]) =>
      cache.read(library, ids, async (missing) => (await find(library.ownerId, missing)).map(withOwnBytes)),
    readAhead: (library: LibraryState) =>
      cache.readAhead(library, async () => {
        const rows = await books.find({ ownerId: library.ownerId }, atOnce).toArray()
        return rows.map((row) => withOwnBytes(toBook(row)))
      }),
    async replace(book: IndexedBook, expectedStamp: string | null) {
      const at = nextMoment()
      const isWritten = await write(toRow(book), expectedStamp)
      // A later write may have been answered before this one.
      if (isWritten && (writes.get(book.id)?.at ?? 0) < at) writes.set(book.id, { stamp: book.stamp, at })
      return isWritten
    },
    async listOutdated(analyzerVersion: number, limit: number) {
      const rows = await books
        .find({ analysis: { $lt: analyzerVersion } }, { projection: { ownerId: 1 } })
        .limit(limit)
        .toArray()
      return rows.map(({ _id, ownerId }) => ({ id: _id, ownerId }))
    },
  }
}

/** Enough for the rows of about 30 MB of text. */
const maxCachedBytes = 32 * 1024 * 1024

function unitMethods(pages: Collection<PagesRow>) {
  const cache = createRowCache(maxCachedBytes)
  return {
    async writeUnits(bookId: string, units: readonly UnitRows[]) {
      const documents = units.flatMap(({ unitId, rows, words }) => [
        ...rows.map(({ shard, bytes }) => ({ _id: unitRowId({ bookId, unitId, shard }), d: bytes })),
        ...(words && words.length > 0 ? [{ _id: wordsRowId(bookId, unitId), d: words }] : []),
      ])
      if (documents.length > 0) await pages.insertMany(documents, { ordered: false })
    },
    readRows: (keys: readonly UnitRowKey[]) =>
      cache.read(keys.map(unitRowId), (ids) => pages.find({ _id: { $in: ids } }, atOnce)),
    async readUnits(bookId: string, units: readonly Pick<IndexUnit, 'id' | 'bits'>[]) {
      const keys = units.map(({ id: unitId, bits }) => ({
        rows: Array.from({ length: 2 ** bits }, (_, shard) => unitRowId({ bookId, unitId, shard })),
        words: wordsRowId(bookId, unitId),
      }))
      const ids = keys.flatMap(({ rows, words }) => [...rows, words])
      const found = new Map((await pages.find({ _id: { $in: ids } }, atOnce).toArray()).map(({ _id, d }) => [_id, d]))
      return keys.map(({ rows, words }) => ({
        rows: rows.flatMap((id) => found.get(id) ?? []),
        words: found.get(words) ?? null,
      }))
    },
    async removeUnit(bookId: string, unitId: string) {
      await pages.deleteMany({ _id: idRange(`${bookId}:${unitId}:`) })
    },
  }
}

function removal(books: Collection<Row>, pages: Collection<PagesRow>, writes: LRUCache<string, EntryWrite>) {
  return {
    async remove(ownerId: string, id: string) {
      writes.delete(id)
      await books.deleteOne({ _id: id, ownerId })
      await pages.deleteMany({ _id: idRange(`${id}:`) })
    },
  }
}

/** Returns a filter for all ids that begin with `prefix`, which ends in a colon (`;` follows `:` in ASCII). */
export function idRange(prefix: string) {
  return { $gte: prefix, $lt: `${prefix.slice(0, -1)};` }
}

function toRow({ id, units, ...rest }: IndexedBook): Row {
  return { _id: id, ...rest, units: units.map((unit) => ({ ...unit, pages: formatRuns(unit.pages) })) }
}

function toBook({ _id, units, ...rest }: Row): IndexedBook {
  return { id: _id, ...rest, units: units.map((unit) => ({ ...unit, pages: parseRuns(unit.pages) })) }
}

/** Formats each run as `revision.start.count`, separated by spaces. */
function formatRuns(runs: readonly PageRun[]): string {
  return runs.map(({ revision, start, count }) => `${revision}.${start}.${count}`).join(' ')
}

function parseRuns(text: string): PageRun[] {
  return text.split(' ').map((run) => {
    const [revision = '', start, count] = run.split('.')
    return { revision, start: Number(start), count: Number(count) }
  })
}
