import type { Collection, Db } from 'mongodb'
import { LRUCache } from 'lru-cache'
import { isDuplicateKey } from '../../core/errors.ts'
import { cachedRows } from '../../db/cached-reads.ts'
import { newId } from '../../core/ids.ts'
import { idRange } from './book-index-store.ts'
import type { Language } from '../../text/words/languages.ts'
import { nextMoment } from './moments.ts'
import { createRowCache } from './row-cache.ts'
import type { Shard } from '../words/shards.ts'
import { packIntegers, unpackIntegers } from '../words/varint.ts'

/** An inverted index from terms to some books of a library. Immutable once it is listed. */
export interface Segment {
  id: string
  /** The number of bits that select a row by its hash, see `shards.ts`. */
  bits: number
  bytes: number
  /** The same for the rows of its word list, see `word-list.ts`. Absent in segments from before word lists existed. */
  wordBits?: number
  /** The size of the word list in bytes. */
  wordBytes?: number
  /** The number of its books, including removed ones. */
  count: number
  /** The number of words of all its books. */
  words: number
  /** The book of a segment with a single book; null for a merged segment, whose header lists its books. */
  bookId: string | null
  /** The positions of books that were removed or moved to another segment. */
  dead: number[]
  /** The number of books by the languages used to stem their words. Absent in rows of earlier versions: English. */
  languages?: Record<Language, number>
}

/** The index of one owner's library. Only the listed `segments` are valid. */
export interface LibraryIndex {
  ownerId: string
  /** Changes with every write; used for optimistic locking. */
  stamp: string
  segments: Segment[]
}

/** What a write to a library's row replaces. */
export interface LibraryContent {
  segments: readonly Segment[]
  /** True if some of the segments should be merged. */
  needsMerge: boolean
}

/** The books of a merged segment, by position. */
export interface SegmentHeader {
  ids: string[]
  words: number[]
  /** The languages of each book. Absent in rows of earlier versions: English. */
  languages?: Language[][]
}

export interface SegmentRowKey {
  segmentId: string
  shard: number
}

/** The rows to write. */
export interface SegmentRows {
  rows?: readonly Shard[]
  wordRows?: readonly Shard[]
}

/** The index of a library as this process has last read or written it; null: there was none. */
export interface KnownLibrary {
  library: LibraryIndex | null
  /** A `nextMoment`. If the library still has this stamp, no other process has changed it since then. */
  since: number
}

export interface LibraryIndexStore {
  find(ownerId: string): Promise<LibraryIndex | null>
  /** Like `find`, with the moment of the read. */
  read(ownerId: string): Promise<KnownLibrary>
  /** Returns a library as this process knows it, without a read. It may have changed. Undefined if it is not known or had no index. */
  recall(ownerId: string): KnownLibrary | undefined
  /** Returns the indexes of several owners, by owner. */
  findAll(ownerIds: readonly string[]): Promise<Map<string, LibraryIndex>>
  /**
   * Replaces the segments if the library has the given stamp (null: no row yet). Otherwise returns false. An empty list removes the row.
   */
  replace(ownerId: string, stamp: string | null, content: LibraryContent): Promise<boolean>
  /** Returns at most `limit` owners of libraries with segments to merge. */
  listNeedingMerge(limit: number): Promise<string[]>
  /** Reads the headers of merged segments, through a cache. */
  readHeaders(ownerId: string, ids: readonly string[]): Promise<Map<string, SegmentHeader>>
  writeHeader(ownerId: string, id: string, header: SegmentHeader): Promise<void>
  /** Writes rows of a segment and of its word list. */
  writeRows(ownerId: string, segmentId: string, rows: SegmentRows): Promise<void>
  /** Reads rows, through a cache. The result is keyed by `segmentRowId`. */
  readRows(ownerId: string, keys: readonly SegmentRowKey[]): Promise<Map<string, Uint8Array>>
  /** Like `readRows`, but does not cache the rows, for a merge. */
  passRows(ownerId: string, keys: readonly SegmentRowKey[]): Promise<Map<string, Uint8Array>>
  /** Reads rows of word lists, through a cache. */
  readWords(ownerId: string, keys: readonly SegmentRowKey[]): Promise<[SegmentRowKey, Uint8Array][]>
  /** Like `readWords`, but does not cache the rows, for a merge. */
  passWords(ownerId: string, keys: readonly SegmentRowKey[]): Promise<[SegmentRowKey, Uint8Array][]>
  removeSegment(ownerId: string, id: string): Promise<void>
}

interface LibraryRow {
  _id: string
  stamp: string
  segments: Segment[]
  crowded?: boolean
}

interface HeaderRow {
  _id: string
  ids: string
  words: Uint8Array
  /** The languages of each book. Books are separated by spaces, languages of one book by commas. */
  languages?: string
}

interface SegmentRow {
  _id: string
  d: Uint8Array
}

/** Returns the id of a segment's row, without its owner. */
export function segmentRowId({ segmentId, shard }: SegmentRowKey): string {
  return `${segmentId}:${shard}`
}

/** Returns the id of a row of a segment's word list, without its owner. */
function wordRowId({ segmentId, shard }: SegmentRowKey): string {
  return `${segmentId}:w${shard}`
}

/**
 * Creates the store of library indexes on MongoDB: collections `search_libraries` (one row per owner), `search_segments` (headers) and
 * `search_words`.
 */
export function createLibraryIndexStore(db: Db): LibraryIndexStore {
  const options = { promoteBuffers: true }
  const headers = db.collection<HeaderRow>('search_segments', options)
  const words = db.collection<SegmentRow>('search_words', options)
  return {
    ...libraryMethods(db, db.collection<LibraryRow>('search_libraries')),
    ...headerMethods(headers),
    ...rowMethods(words),
    async removeSegment(ownerId, id) {
      await headers.deleteOne({ _id: `${ownerId}:${id}` })
      await words.deleteMany({ _id: idRange(`${ownerId}:${id}:`) })
    },
  }
}

function libraryMethods(db: Db, libraries: Collection<LibraryRow>) {
  const findRows = cachedRows(db, 'search_libraries', (ids) => libraries.find({ _id: { $in: [...ids] } }).toArray())
  const { read, recall, replacing } = knownMethods(libraries)
  const insert = async (row: LibraryRow) => {
    try {
      await libraries.insertOne(row)
      return true
    } catch (error) {
      if (isDuplicateKey(error)) return false
      throw error
    }
  }
  return {
    read,
    recall,
    find: async (ownerId: string) => (await read(ownerId)).library,
    async findAll(ownerIds: readonly string[]) {
      const rows = ownerIds.length === 0 ? [] : await findRows(ownerIds)
      return new Map(rows.map(({ _id, stamp, segments }) => [_id, { ownerId: _id, stamp, segments }]))
    },
    replace(ownerId: string, stamp: string | null, { segments, needsMerge }: LibraryContent) {
      const content = { segments: [...segments], stamp: newId(), crowded: needsMerge }
      return replacing({ ownerId, ...content }, stamp, async () => {
        if (stamp === null) return insert({ _id: ownerId, ...content })
        if (segments.length === 0) return (await libraries.deleteOne({ _id: ownerId, stamp })).deletedCount === 1
        return (await libraries.updateOne({ _id: ownerId, stamp }, { $set: content })).matchedCount === 1
      })
    },
    async listNeedingMerge(limit: number) {
      const rows = await libraries
        .find({ crowded: true }, { projection: { _id: 1 } })
        .limit(limit)
        .toArray()
      return rows.map(({ _id }) => _id)
    },
  }
}

/** The size of the cache of known libraries, in fields of segments: some thousand libraries. */
const maxKnownFields = 1_000_000
const fieldsPerSegment = 20

function knownMethods(libraries: Collection<LibraryRow>) {
  const cache = new LRUCache<string, KnownLibrary>({
    maxSize: maxKnownFields,
    sizeCalculation: ({ library }) =>
      (library?.segments ?? []).reduce((sum, { dead }) => sum + fieldsPerSegment + dead.length, fieldsPerSegment),
  })
  return {
    recall: (ownerId: string) => cache.get(ownerId),
    async read(ownerId: string): Promise<KnownLibrary> {
      const row = await libraries.findOne({ _id: ownerId })
      const library = row && { ownerId, stamp: row.stamp, segments: row.segments }
      const known = { library, since: nextMoment() }
      if (library) cache.set(ownerId, known)
      else cache.delete(ownerId)
      return known
    },
    /** Runs a conditional write of a library, and keeps what it has written. */
    async replacing(
      { ownerId, stamp, segments }: LibraryIndex,
      expectedStamp: string | null,
      write: () => Promise<boolean>,
    ): Promise<boolean> {
      const before = cache.get(ownerId)
      // The outcome of a write that fails is unknown.
      cache.delete(ownerId)
      if (!(await write())) return false
      const since = before?.library?.stamp === expectedStamp ? before.since : nextMoment()
      if (segments.length > 0) cache.set(ownerId, { library: { ownerId, stamp, segments }, since })
      return true
    },
  }
}

const maxCachedBooks = 1_000_000

function headerMethods(headers: Collection<HeaderRow>) {
  const cache = new LRUCache<string, SegmentHeader>({
    maxSize: maxCachedBooks,
    sizeCalculation: ({ ids }) => ids.length + 1,
  })
  return {
    async readHeaders(ownerId: string, ids: readonly string[]) {
      const found = new Map<string, SegmentHeader>()
      const missing: string[] = []
      for (const id of ids) {
        const hit = cache.get(`${ownerId}:${id}`)
        if (hit) found.set(id, hit)
        else missing.push(`${ownerId}:${id}`)
      }
      if (missing.length === 0) return found
      for await (const row of headers.find({ _id: { $in: missing } })) {
        const languages = row.languages?.split(' ').map((each) => each.split(','))
        const header = { ids: row.ids.split(' '), words: unpackIntegers(row.words), ...(languages && { languages }) }
        cache.set(row._id, header)
        found.set(row._id.slice(ownerId.length + 1), header)
      }
      return found
    },
    async writeHeader(ownerId: string, id: string, { ids, words, languages }: SegmentHeader) {
      const row = { _id: `${ownerId}:${id}`, ids: ids.join(' '), words: packIntegers(words) }
      await headers.insertOne({ ...row, ...(languages && { languages: languages.join(' ') }) })
    },
  }
}

const maxCachedBytes = 16 * 1024 * 1024

function rowMethods(words: Collection<SegmentRow>) {
  const cache = createRowCache(maxCachedBytes)
  type RowId = (key: SegmentRowKey) => string
  const createRead = (how: 'read' | 'pass', idOf: RowId) => async (ownerId: string, keys: readonly SegmentRowKey[]) => {
    const byId = new Map(keys.map((key) => [`${ownerId}:${idOf(key)}`, key]))
    const rows = await cache[how]([...byId.keys()], (ids) => words.find({ _id: { $in: ids } }, { batchSize: 1000 }))
    return [...rows].map(([id, bytes]): [SegmentRowKey, Uint8Array] => [byId.get(id) as SegmentRowKey, bytes])
  }
  const readRows = createRead('read', segmentRowId)
  const passRows = createRead('pass', segmentRowId)
  const byRowId = (rows: readonly [SegmentRowKey, Uint8Array][]) =>
    new Map(rows.map(([key, bytes]) => [segmentRowId(key), bytes]))
  return {
    async writeRows(ownerId: string, segmentId: string, { rows = [], wordRows = [] }: SegmentRows) {
      const toRow = (idOf: RowId, { shard, bytes }: Shard) => ({
        _id: `${ownerId}:${idOf({ segmentId, shard })}`,
        d: bytes,
      })
      const documents = [
        ...rows.map((row) => toRow(segmentRowId, row)),
        ...wordRows.map((row) => toRow(wordRowId, row)),
      ]
      if (documents.length > 0) await words.insertMany(documents, { ordered: false })
    },
    readRows: async (ownerId: string, keys: readonly SegmentRowKey[]) => byRowId(await readRows(ownerId, keys)),
    passRows: async (ownerId: string, keys: readonly SegmentRowKey[]) => byRowId(await passRows(ownerId, keys)),
    readWords: createRead('read', wordRowId),
    passWords: createRead('pass', wordRowId),
  }
}
