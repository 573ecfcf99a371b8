import type { Collection, Db } from 'mongodb'
import { LRUCache } from 'lru-cache'
import { isDuplicateKey } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { idRange } from './book-index-store.ts'
import type { Shard } from './shards.ts'
import { packIntegers, unpackIntegers } from './varint.ts'

/** A table from words to some books of a library; never changed once it is listed. */
export interface Segment {
  id: string
  /** How its rows are cut, see `shards.ts`. */
  bits: number
  bytes: number
  /** How many books it holds, those that are gone included. */
  count: number
  /** The words of all its books. */
  words: number
  /** The only book of a segment of one; merged segments list theirs in their head. */
  bookId: string | null
  /** Places of the books that have gone or are held by another segment. */
  dead: number[]
}

/** What is indexed of one owner's books: what is not in `segments` does not count. */
export interface LibraryIndex {
  ownerId: string
  /** Another one at each change. */
  stamp: string
  segments: Segment[]
}

/** The books of a merged segment, by their places. */
export interface SegmentHeader {
  ids: string[]
  words: number[]
}

export interface SegmentRowKey {
  segmentId: string
  shard: number
}

export interface LibraryIndexStore {
  find(ownerId: string): Promise<LibraryIndex | null>
  /** Replaces the segments while the library has the given stamp (null: none yet); false when it does not. None left: forgets the library. */
  replace(ownerId: string, stamp: string | null, segments: readonly Segment[]): Promise<boolean>
  /** Notes whether the library has segments to be merged. */
  setNeedsMerge(ownerId: string, crowded: boolean): Promise<void>
  /** Owners whose libraries have segments to be merged, at most `limit`. */
  listNeedingMerge(limit: number): Promise<string[]>
  /** The heads of merged segments; cached. */
  readHeaders(ownerId: string, ids: readonly string[]): Promise<Map<string, SegmentHeader>>
  writeHeader(ownerId: string, id: string, head: SegmentHeader): Promise<void>
  writeRows(ownerId: string, segmentId: string, rows: readonly Shard[]): Promise<void>
  /** The rows behind `keys`, by `segmentRowId`. */
  readRows(ownerId: string, keys: readonly SegmentRowKey[]): Promise<Map<string, Uint8Array>>
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
}

interface SegmentRow {
  _id: string
  d: Uint8Array
}

/** The id of a segment's row without its owner. */
export function segmentRowId({ segmentId, shard }: SegmentRowKey): string {
  return `${segmentId}:${shard}`
}

/** Collections `search_libraries` (one row an owner), `search_segments` (heads) and `search_words`. */
export function createLibraryIndexStore(db: Db): LibraryIndexStore {
  const options = { promoteBuffers: true }
  const heads = db.collection<HeaderRow>('search_segments', options)
  const words = db.collection<SegmentRow>('search_words', options)
  return {
    ...libraryMethods(db.collection<LibraryRow>('search_libraries')),
    ...headerMethods(heads),
    ...rowMethods(words),
    async removeSegment(ownerId, id) {
      await heads.deleteOne({ _id: `${ownerId}:${id}` })
      await words.deleteMany({ _id: idRange(`${ownerId}:${id}:`) })
    },
  }
}

function libraryMethods(libraries: Collection<LibraryRow>) {
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
    async find(ownerId: string) {
      const row = await libraries.findOne({ _id: ownerId })
      return row && { ownerId, stamp: row.stamp, segments: row.segments }
    },
    async replace(ownerId: string, stamp: string | null, segments: readonly Segment[]) {
      if (stamp === null) return insert({ _id: ownerId, stamp: newId(), segments: [...segments] })
      if (segments.length === 0) return (await libraries.deleteOne({ _id: ownerId, stamp })).deletedCount === 1
      const change = { $set: { segments: [...segments], stamp: newId() } }
      return (await libraries.updateOne({ _id: ownerId, stamp }, change)).matchedCount === 1
    },
    async setNeedsMerge(ownerId: string, crowded: boolean) {
      await libraries.updateOne({ _id: ownerId }, { $set: { crowded } })
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

const maxCachedBooks = 1_000_000

function headerMethods(heads: Collection<HeaderRow>) {
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
      for await (const row of heads.find({ _id: { $in: missing } })) {
        const head = { ids: row.ids.split(' '), words: unpackIntegers(row.words) }
        cache.set(row._id, head)
        found.set(row._id.slice(ownerId.length + 1), head)
      }
      return found
    },
    async writeHeader(ownerId: string, id: string, { ids, words }: SegmentHeader) {
      await heads.insertOne({ _id: `${ownerId}:${id}`, ids: ids.join(' '), words: packIntegers(words) })
    },
  }
}

function rowMethods(words: Collection<SegmentRow>) {
  return {
    async writeRows(ownerId: string, segmentId: string, rows: readonly Shard[]) {
      const documents = rows.map(({ shard, bytes }) => ({
        _id: `${ownerId}:${segmentRowId({ segmentId, shard })}`,
        d: bytes,
      }))
      if (documents.length > 0) await words.insertMany(documents, { ordered: false })
    },
    async readRows(ownerId: string, keys: readonly SegmentRowKey[]) {
      const ids = new Set(keys.map((key) => `${ownerId}:${segmentRowId(key)}`))
      const found = new Map<string, Uint8Array>()
      for await (const { _id, d } of words.find({ _id: { $in: [...ids] } }, { batchSize: 1000 })) {
        found.set(_id.slice(ownerId.length + 1), d)
      }
      return found
    },
  }
}
