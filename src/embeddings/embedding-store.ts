import type { Collection, Db, Filter } from 'mongodb'
import { LRUCache } from 'lru-cache'
import { earliestId, newId } from '../core/ids.ts'
import { partMethods, type NewPart, type PartRow } from './part-store.ts'
import type { VectorBlock } from './vector.ts'

/** Some vectors of a book, stored in one immutable row. */
export interface VectorPart {
  id: string
  /** The page of each vector in the version of the row; 0: the version does not have it. */
  pages: Uint32Array
}

/** The state of a book's vectors. */
export interface EmbeddedBook {
  id: string
  ownerId: string
  /** The model of its parts. */
  model: string
  dimensions: number
  /** The version whose pages its parts refer to; 0: there are none yet. */
  version: number
  parts: VectorPart[]
}

/** A book that a worker has claimed, until it is released or its lease expires. */
export interface TakenBook extends EmbeddedBook {
  fence: string
  /** The change with which it was claimed. */
  change: string
  /** Number of consecutive failures. */
  failures: number
}

export interface EmbeddingStore {
  /** Marks a book for processing; `waiting` is its number of pages without a vector. */
  mark(book: { id: string; ownerId: string }, waiting: number, at: Date): Promise<void>
  /** Claims the book of an owner that has waited longest and that no worker has; null if there is none. */
  take(ownerId: string, claim: { fence: string; now: Date; leaseUntil: Date }): Promise<TakenBook | null>
  /** The owners of books that are due and that no worker has. */
  listDueOwners(now: Date): Promise<string[]>
  /** Records progress while the book has this fence; returns false if it was removed, or another worker has it. */
  save(taken: Pick<TakenBook, 'id' | 'fence'>, progress: Progress): Promise<boolean>
  /**
   * Releases a book. It is done unless it was marked since it was claimed; otherwise, or with `again`, it becomes due.
   */
  release(taken: Pick<TakenBook, 'id' | 'fence' | 'change'>, next: Release): Promise<void>
  /** Stores vectors with the names of their pages. */
  writePart(part: NewPart): Promise<void>
  removeParts(ids: readonly string[]): Promise<void>
  /** The names of the pages of parts, by part id; omits deleted parts. */
  readNames(ids: readonly string[]): Promise<Map<string, string[]>>
  /** Parts by id, cached if possible; omits deleted parts. */
  readParts(ids: readonly string[]): Promise<Map<string, VectorBlock>>
  /** The books of an owner, cached until one of them changes. */
  listOwned(ownerId: string): Promise<readonly EmbeddedBook[]>
  /** Invalidates the caches of an owner's books in all processes. */
  announce(ownerId: string): Promise<void>
  removeBook(ownerId: string, id: string): Promise<void>
  removeOwner(ownerId: string): Promise<void>
  /** Every book, without its parts. */
  states(): AsyncIterable<Pick<EmbeddedBook, 'id' | 'ownerId' | 'model' | 'version'> & { isMarked: boolean }>
  /** The ids of parts from before `before` that no book refers to. */
  listStrayParts(before: Date): Promise<string[]>
  /** The number of pages that wait for their vectors. */
  countWaiting(): Promise<number>
}

export interface EmbeddingStores {
  embeddings: EmbeddingStore
}

export interface Progress extends Omit<EmbeddedBook, 'id' | 'ownerId'> {
  waiting: number
  leaseUntil: Date
}

interface Release {
  /** When it becomes due again; null: when it is marked again. */
  again: Date | null
  failures: number
  now: Date
}

interface BookRow extends Omit<EmbeddedBook, 'id' | 'parts'> {
  _id: string
  parts: { id: string; pages: Uint8Array }[]
  /** Changes with each mark. */
  change: string
  waiting: number
  /** When it may be claimed; null: it is done. */
  dueAt: Date | null
  failures: number
  fence: string | null
  leaseUntil: Date | null
}

interface OwnerRow {
  _id: string
  stamp: string
}

interface Collections {
  books: Collection<BookRow>
  parts: Collection<PartRow>
  owners: Collection<OwnerRow>
}

/** Vectors on MongoDB: collections `embeddings` (one row per book), `embeddingParts` and `embeddingOwners` (a stamp each). */
export function createEmbeddingStore(db: Db): EmbeddingStore {
  const options = { promoteBuffers: true }
  const collections: Collections = {
    books: db.collection<BookRow>('embeddings', options),
    parts: db.collection<PartRow>('embeddingParts', options),
    owners: db.collection<OwnerRow>('embeddingOwners'),
  }
  const announce = async (ownerId: string) => {
    await collections.owners.updateOne({ _id: ownerId }, { $set: { stamp: newId() } }, { upsert: true })
  }
  return {
    ...workMethods(collections.books),
    ...partMethods(collections.parts),
    announce,
    listOwned: createLibraryReader(collections),
    async removeBook(ownerId, id) {
      await collections.books.deleteOne({ _id: id, ownerId })
      if ((await collections.parts.deleteMany({ bookId: id, ownerId })).deletedCount > 0) await announce(ownerId)
    },
    async removeOwner(ownerId) {
      await collections.books.deleteMany({ ownerId })
      await collections.parts.deleteMany({ ownerId })
      await collections.owners.deleteOne({ _id: ownerId })
    },
    ...surveyMethods(collections),
  }
}

function workMethods(books: Collection<BookRow>) {
  return {
    async mark({ id, ownerId }: { id: string; ownerId: string }, waiting: number, at: Date) {
      const first = { model: '', dimensions: 0, version: 0, parts: [], fence: null, leaseUntil: null }
      await books.updateOne(
        { _id: id, ownerId },
        { $set: { change: newId(), waiting, dueAt: at, failures: 0 }, $setOnInsert: first },
        { upsert: true },
      )
    },
    async take(
      ownerId: string,
      { fence, now, leaseUntil }: { fence: string; now: Date; leaseUntil: Date },
    ): Promise<TakenBook | null> {
      const row = await books.findOneAndUpdate(
        { ownerId, ...dueAndFree(now) },
        // If this worker crashes on it, other books come first.
        { $set: { fence, leaseUntil, dueAt: leaseUntil } },
        { sort: { dueAt: 1 }, returnDocument: 'after' },
      )
      return row && { ...toBook(row), fence, change: row.change, failures: row.failures }
    },
    async listDueOwners(now: Date): Promise<string[]> {
      const pipeline = [{ $match: dueAndFree(now) }, { $group: { _id: '$ownerId' } }]
      return (await books.aggregate<{ _id: string }>(pipeline).toArray()).map(({ _id }) => _id)
    },
    async save({ id, fence }: Pick<TakenBook, 'id' | 'fence'>, { parts, ...progress }: Progress) {
      const rows = parts.map((part) => ({ id: part.id, pages: new Uint8Array(part.pages.buffer) }))
      return (await books.updateOne({ _id: id, fence }, { $set: { ...progress, parts: rows } })).matchedCount === 1
    },
    async release(
      { id, fence, change }: Pick<TakenBook, 'id' | 'fence' | 'change'>,
      { again, failures, now }: Release,
    ) {
      const free = { fence: null, leaseUntil: null }
      const done = again === null ? { waiting: 0 } : {}
      const asTaken = { _id: id, fence, change }
      const { matchedCount } = await books.updateOne(asTaken, { $set: { ...free, ...done, dueAt: again, failures } })
      // It was marked in the meantime, so it stays due.
      if (matchedCount === 0) await books.updateOne({ _id: id, fence }, { $set: { ...free, dueAt: again ?? now } })
    },
  }
}

/** Matches books that are due and that no worker has. */
function dueAndFree(now: Date): Filter<BookRow> {
  return { dueAt: { $lte: now }, $or: [{ leaseUntil: null }, { leaseUntil: { $lt: now } }] }
}

function toBook({ _id, ownerId, model, dimensions, version, parts }: BookRow): EmbeddedBook {
  return {
    id: _id,
    ownerId,
    model,
    dimensions,
    version,
    parts: parts.map(({ id, pages }) => ({ id, pages: new Uint32Array(new Uint8Array(pages).buffer) })),
  }
}

interface ReadLibrary {
  stamp: string
  books: readonly EmbeddedBook[]
}

/** Memory for cached lists of libraries' books and their pages: 4 bytes per page, plus some per part. */
const maxKeptBytes = 16 * 1024 * 1024

function createLibraryReader({ books, owners }: Collections) {
  const known = new LRUCache<string, ReadLibrary>({
    maxSize: maxKeptBytes,
    sizeCalculation: (library) =>
      library.books.reduce(
        (sum, { parts }) => sum + 300 + parts.reduce((bytes, { pages }) => bytes + pages.byteLength + 150, 0),
        100,
      ),
  })
  return async (ownerId: string): Promise<readonly EmbeddedBook[]> => {
    // Read before the books, so that changes in between are read again.
    const row = await owners.findOne({ _id: ownerId })
    if (!row) return []
    const before = known.get(ownerId)
    if (before?.stamp === row.stamp) return before.books
    const found = (await books.find({ ownerId, version: { $gt: 0 } }).toArray()).map(toBook)
    known.set(ownerId, { stamp: row.stamp, books: found })
    return found
  }
}

function surveyMethods({ books, parts }: Collections) {
  return {
    async *states() {
      const fields = { ownerId: 1, model: 1, version: 1, dueAt: 1 }
      for await (const { _id, dueAt, ...row } of books.find({}, { projection: fields }))
        yield { id: _id, ownerId: row.ownerId, model: row.model, version: row.version, isMarked: dueAt !== null }
    },
    async listStrayParts(before: Date) {
      const stray = new Set<string>()
      const old = { _id: { $lt: earliestId(before) } }
      for await (const { _id } of parts.find(old, { projection: { _id: 1 } })) stray.add(_id)
      if (stray.size === 0) return []
      for await (const row of books.find({}, { projection: { parts: 1 } }))
        for (const { id } of row.parts) stray.delete(id)
      return [...stray]
    },
    async countWaiting() {
      const pipeline = [
        { $match: { dueAt: { $gte: new Date(0) } } },
        { $group: { _id: null, pages: { $sum: '$waiting' } } },
      ]
      const [sum] = await books.aggregate<{ pages: number }>(pipeline).toArray()
      return sum?.pages ?? 0
    },
  }
}
