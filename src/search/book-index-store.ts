import type { Collection, Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import type { Language } from '../text/words/languages.ts'
import { createEntryCache, type LibraryState } from './entry-cache.ts'
import { createRowCache } from './row-cache.ts'
import type { Shard } from './shards.ts'

/** A run of stored pages, as in the manifest of a version. */
export interface PageRun {
  revision: string
  start: number
  count: number
}

/** The index of some stored pages. Immutable, and shared by all versions with these pages. */
export interface IndexUnit {
  id: string
  /** How its rows are cut, see `shards.ts`. */
  bits: number
  pages: PageRun[]
  /** Number of words of each page, packed (`varint.ts`). */
  lengths: Uint8Array
  /** The languages by which its words are stemmed, that of most pages first. Absent in a row of an earlier version: English. */
  languages?: Language[]
}

/** The index of a book's metadata: title, author, description and one pseudo-page per outline entry. */
export interface MetadataUnit {
  id: string
  bits: number
  /** Digest of the metadata; differs when the metadata has changed. */
  digest: string
  lengths: Uint8Array
  /** Page number of each outline entry, packed. */
  targets: Uint8Array
}

export interface IndexedBook {
  id: string
  ownerId: string
  /** The content version that is indexed. */
  version: number
  /** Changes with every write; used for optimistic locking. */
  stamp: string
  /** The `analyzerVersion` it was indexed with. */
  analysis: number
  words: number
  about: MetadataUnit
  units: IndexUnit[]
  /** The pages of the version in order, as runs of pages of a unit. */
  layout: [unit: number, start: number, count: number][]
}

/** Rows of a unit to be written. */
export interface UnitRows {
  unitId: string
  rows: readonly Shard[]
  /** Its words, see `word-list.ts`. */
  words?: Uint8Array
}

/** Key of one row of a unit. */
export interface UnitRowKey {
  bookId: string
  unitId: string
  shard: number
}

export interface BookIndexStore {
  /** The index entries of books of any owner. */
  findAny(ids: readonly string[]): Promise<IndexedBook[]>
  /** The index entries of the owner's books among `ids`. */
  find(ownerId: string, ids: readonly string[]): Promise<IndexedBook[]>
  /**
   * The same, from memory where they were read since the library has this stamp: a book that is indexed anew changes the stamp after
   * its entry. Only for a stamp that was read before.
   */
  findListed(library: LibraryState, ids: readonly string[]): Promise<IndexedBook[]>
  /** Replaces the index entry of a book when its stamp is `expectedStamp` (null: no entry yet); false otherwise. */
  replace(book: IndexedBook, expectedStamp: string | null): Promise<boolean>
  writeUnits(bookId: string, units: readonly UnitRows[]): Promise<void>
  /** Reads rows; keyed by `unitRowId`; cached. */
  readRows(keys: readonly UnitRowKey[]): Promise<Map<string, Uint8Array>>
  /** All rows of a unit. */
  readUnit(bookId: string, unitId: string): Promise<Uint8Array[]>
  /** The words of units, those that have any. */
  readUnitWords(bookId: string, unitIds: readonly string[]): Promise<Uint8Array[]>
  removeUnit(bookId: string, unitId: string): Promise<void>
  /** Removes the whole index of a book. */
  remove(ownerId: string, id: string): Promise<void>
  /** Books indexed with an older `analyzerVersion`, at most `limit`. */
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

/** The id of the row that holds a shard of a unit. */
export function unitRowId({ bookId, unitId, shard }: UnitRowKey): string {
  return `${bookId}:${unitId}:${shard}`
}

/** The id of the row that holds the words of a unit. */
function wordsRowId(bookId: string, unitId: string): string {
  return `${bookId}:${unitId}:w`
}

/** Book indexes on MongoDB: collections `search_books` (one row per book) and `search_pages`. */
export function createBookIndexStore(db: Db): BookIndexStore {
  const options = { promoteBuffers: true }
  const books = db.collection<Row>('search_books', options)
  return { ...bookMethods(books), ...unitMethods(books, db.collection<PagesRow>('search_pages', options)) }
}

/** The entries of some thousand books. */
const maxEntryBytes = 16 * 1024 * 1024
const [bytesPerObject, bytesPerPage] = [250, 16]

/** The bytes of an entry, with what a search unpacks of it for each page. */
function weightOf({ about, units, layout }: IndexedBook): number {
  const runs = units.reduce((sum, { pages }) => sum + pages.length, 0)
  const packed = units.reduce((sum, { lengths }) => sum + lengths.length, about.lengths.length + about.targets.length)
  return (4 + units.length + runs + layout.length) * bytesPerObject + packed * (1 + bytesPerPage)
}

/** An entry whose bytes do not hold on to the reply that they came in. */
function withOwnBytes(entry: IndexedBook): IndexedBook {
  const { about, units } = entry
  return {
    ...entry,
    about: { ...about, lengths: new Uint8Array(about.lengths), targets: new Uint8Array(about.targets) },
    units: units.map((unit) => ({ ...unit, lengths: new Uint8Array(unit.lengths) })),
  }
}

function bookMethods(books: Collection<Row>) {
  const find = async (ownerId: string, ids: readonly string[]) => {
    const rows = await books.find({ _id: { $in: [...ids] }, ownerId }).toArray()
    return rows.map(toBook)
  }
  const cache = createEntryCache(maxEntryBytes, weightOf)
  return {
    find,
    findAny: async (ids: readonly string[]) => (await books.find({ _id: { $in: [...ids] } }).toArray()).map(toBook),
    findListed: (library: LibraryState, ids: readonly string[]) =>
      cache.read(library, ids, async (missing) => (await find(library.ownerId, missing)).map(withOwnBytes)),
    async replace(book: IndexedBook, expectedStamp: string | null) {
      const { _id, ...row } = toRow(book)
      if (expectedStamp !== null) {
        return (await books.replaceOne({ _id, ownerId: book.ownerId, stamp: expectedStamp }, row)).matchedCount === 1
      }
      try {
        await books.insertOne({ _id, ...row })
        return true
      } catch (error) {
        if (isDuplicateKey(error)) return false
        throw error
      }
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

/** As much as the rows of about 30 MB of text. */
const maxCachedBytes = 32 * 1024 * 1024

function unitMethods(books: Collection<Row>, pages: Collection<PagesRow>) {
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
      cache.read(keys.map(unitRowId), (ids) => pages.find({ _id: { $in: ids } }, { batchSize: 1000 })),
    async readUnit(bookId: string, unitId: string) {
      const words = wordsRowId(bookId, unitId)
      const rows = await pages.find({ _id: idRange(`${bookId}:${unitId}:`) }).toArray()
      return rows.filter(({ _id }) => _id !== words).map(({ d }) => d)
    },
    async readUnitWords(bookId: string, unitIds: readonly string[]) {
      const ids = unitIds.map((unitId) => wordsRowId(bookId, unitId))
      const rows = ids.length === 0 ? [] : await pages.find({ _id: { $in: ids } }).toArray()
      return rows.map(({ d }) => d)
    },
    async removeUnit(bookId: string, unitId: string) {
      await pages.deleteMany({ _id: idRange(`${bookId}:${unitId}:`) })
    },
    async remove(ownerId: string, id: string) {
      await books.deleteOne({ _id: id, ownerId })
      await pages.deleteMany({ _id: idRange(`${id}:`) })
    },
  }
}

/** Filter for all ids that begin with `prefix`, which ends in a colon (`;` follows `:` in ASCII). */
export function idRange(prefix: string) {
  return { $gte: prefix, $lt: `${prefix.slice(0, -1)};` }
}

function toRow({ id, units, ...rest }: IndexedBook): Row {
  return { _id: id, ...rest, units: units.map((unit) => ({ ...unit, pages: formatRuns(unit.pages) })) }
}

function toBook({ _id, units, ...rest }: Row): IndexedBook {
  return { id: _id, ...rest, units: units.map((unit) => ({ ...unit, pages: parseRuns(unit.pages) })) }
}

/** `revision.start.count` per run, separated by spaces. */
function formatRuns(runs: readonly PageRun[]): string {
  return runs.map(({ revision, start, count }) => `${revision}.${start}.${count}`).join(' ')
}

function parseRuns(text: string): PageRun[] {
  return text.split(' ').map((run) => {
    const [revision = '', start, count] = run.split('.')
    return { revision, start: Number(start), count: Number(count) }
  })
}
