import type { Collection, Db, Filter, Sort } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import { batchLoad } from '../runtime/batch.ts'
import { newId } from '../core/ids.ts'
import { countByField } from '../db/count-by-field.ts'
import { cachedRead, cachedRows } from '../db/cached-reads.ts'
import { decodeCached } from '../db/row-cache.ts'
import type { DerivedCounts } from '../db/derived-counts.ts'
import { systemOwner, type Book, type BookStatus, type UnfinishedPages } from './book.ts'
import { createLibraryStore, createLibraryCounts, affectsCounts, toBook } from './library-store.ts'
import type { BookRow as Row, LibraryStore } from './library-store.ts'
import { changedSortKeys } from './sort-keys.ts'
import { createSortedLists, type SortedLists } from './sorted-list-store.ts'

export interface BookStore extends LibraryStore, SortedLists {
  /** Adds a book; false if its id exists (a repeated create). */
  add(book: Book): Promise<boolean>
  /**
   * The books among `ids` of any owner, in no order; an unchanged book is returned as the same object. Only
   * `books/access.ts`, which checks access, and administration may call this.
   */
  byIds(ids: readonly string[]): Promise<Book[]>
  /** The account's and built-in books, in no order. */
  listLibrary(accountId: string): Promise<Book[]>
  /** The account's books among `ids`. */
  findOwned(accountId: string, ids: readonly string[]): Promise<Book[]>
  /** The number of books of each account, by account id; accounts without books are omitted. */
  countByOwner(accountIds: readonly string[]): Promise<Map<string, number>>
  /** Changes an owned book; false if it does not exist or a condition of `change` does not hold. */
  change(ownerId: string, id: string, change: BookChange): Promise<boolean>
  /**
   * Records the readable part of an unfinished book; false if the book has another job, is finished, or a later attempt
   * has recorded something.
   */
  showUnfinished(ownerId: string, id: string, unfinished: UnfinishedPages): Promise<boolean>
  /** Removes what an attempt has recorded for an unfinished book. */
  hideUnfinished(ownerId: string, id: string, attempt: Pick<UnfinishedPages, 'jobId' | 'attempt'>): Promise<void>
  /** Removes the row of an owned book; with `seen`, only if it is unchanged. False if nothing was removed. */
  remove(ownerId: string, id: string, seen?: Book): Promise<boolean>
  /** Books that have been in a status since before `before`. */
  listInStatus(status: BookStatus, before: Date): Promise<Book[]>
  /** Another book of the account with the same file and, if given, this title. */
  findDuplicateFile(
    accountId: string,
    file: { sha256: string; excludeId: string; title?: string | undefined },
  ): Promise<Book | null>
  /** The account's book with an origin. */
  findByOrigin(accountId: string, origin: string): Promise<Book | null>
  /**
   * Books that are missing or outdated in the search index, of `ownerIds` or (null) of all accounts, at most `limit`.
   */
  listIndexDue(ownerIds: readonly string[] | null, limit: number): Promise<Book[]>
  /** Marks a book as indexed up to change `change`; false if it has changed since. */
  markIndexed(ownerId: string, id: string, change: string): Promise<boolean>
  /** Features a book until `until`, in place of any other; false if it does not exist. */
  feature(id: string, until: Date): Promise<boolean>
  /** Books whose stored bytes were never counted, at most `limit`. */
  listUncountedBytes(limit: number): Promise<Book[]>
  /** The number of these books. */
  countUncountedBytes(): Promise<number>
  /** Marks a book for indexing. */
  markIndexDue(ownerId: string, id: string): Promise<void>
  /** Every book, for checks. */
  all(): AsyncIterable<Book>
  /** Every book of the account, newest first. */
  allOwned(accountId: string): AsyncIterable<Book>
}

export interface BookStores {
  books: BookStore
}

export interface BookChange {
  set: Partial<Omit<Book, 'id' | 'ownerId' | 'createdAt'>>
  /** Amount to add to `storedBytes`; omit it for a book without that field. */
  addStoredBytes?: number | undefined
  /** Condition: the book has this content version. */
  version?: number
  /** Condition: the book has this status. */
  status?: BookStatus
  /** Condition: this is the book's last job. */
  jobId?: string | null
  /** Condition: the book has not been put on the marketplace since then. */
  publishedAt?: Date | null
  /** Condition: this is the owner's table of contents. */
  tocId?: string | null | undefined
}

/** Books on MongoDB: collection `books`, one row per book; content is stored elsewhere. */
export function createBookStore(db: Db): BookStore {
  const books = db.collection<Row>('books')
  const counts = createLibraryCounts(db)
  return {
    ...bookReads(db, books),
    ...bookWrites(books, counts),
    ...createLibraryStore(books, { counts, builtIn: systemOwner }),
    ...createSortedLists(books, systemOwner),
  }
}

function bookReads(db: Db, books: Collection<Row>) {
  const decodeBook = decodeCached((row: Row) => ({ _id: row._id, book: Object.freeze(toBook(row)) }))
  const load = async (ids: readonly string[]) => {
    // A search reads up to a thousand books, and more than the default (101) in one reply saves a wait.
    const options = { raw: true, batchSize: 1000 }
    const rows = await books.find<Uint8Array>({ _id: { $in: [...ids] } }, options).toArray()
    return rows.map(decodeBook)
  }
  const find = cachedRows(db, 'books', batchLoad(load))
  const list = async (filter: Filter<Row>) => (await books.find(filter).toArray()).map(toBook)
  const findDue = async (owners: Filter<Row>, limit: number) => {
    const due = books.find({ ...owners, indexDue: { $ne: '' } }).limit(limit)
    return (await due.toArray()).map(toBook)
  }
  const listDue = cachedRead(db, ['books'], (key) => {
    const [ownerIds, limit] = JSON.parse(key) as [string[], number]
    return findDue({ ownerId: { $in: ownerIds } }, limit)
  })
  async function* each(filter: Filter<Row>, sort?: Sort) {
    for await (const row of books.find(filter, { sort })) yield toBook(row)
  }
  return {
    byIds: async (ids: readonly string[]) => (await find(ids)).map(({ book }) => book),
    listLibrary: (accountId: string) => list({ ownerId: { $in: [accountId, systemOwner] } }),
    findOwned: (accountId: string, ids: readonly string[]) => list({ _id: { $in: [...ids] }, ownerId: accountId }),
    countByOwner: (accountIds: readonly string[]) => countByField(books, { field: 'ownerId', values: accountIds }),
    listInStatus: (status: BookStatus, before: Date) => list({ status, updatedAt: { $lt: before } }),
    async findDuplicateFile(
      accountId: string,
      { sha256, excludeId, title }: { sha256: string; excludeId: string; title?: string | undefined },
    ) {
      const titled = title === undefined ? {} : { title }
      const filter = { ownerId: accountId, 'original.sha256': sha256, _id: { $ne: excludeId }, ...titled }
      const row = await books.findOne(filter)
      return row && toBook(row)
    },
    async findByOrigin(accountId: string, origin: string) {
      const row = await books.findOne({ ownerId: accountId, origin })
      return row && toBook(row)
    },
    listUncountedBytes: async (limit: number) =>
      (
        await books
          .find({ storedBytes: { $exists: false } })
          .limit(limit)
          .toArray()
      ).map(toBook),
    countUncountedBytes: () => books.countDocuments({ storedBytes: { $exists: false } }),
    listIndexDue: (ownerIds: readonly string[] | null, limit: number) =>
      ownerIds === null ? findDue({}, limit) : listDue(JSON.stringify([ownerIds, limit])),
    all: () => each({}),
    allOwned: (accountId: string) => each({ ownerId: accountId }, { createdAt: -1, _id: -1 }),
  }
}

function bookWrites(books: Collection<Row>, counts: DerivedCounts) {
  return {
    add: (book: Book) => addBook(books, counts, book),
    async change(ownerId: string, id: string, change: BookChange) {
      const { set, addStoredBytes, version, status, jobId, publishedAt, tocId } = change
      const filter = {
        _id: id,
        ownerId,
        ...(version === undefined ? {} : { version }),
        ...(status === undefined ? {} : { status }),
        ...(jobId === undefined ? {} : { jobId }),
        // In a filter, null also matches a missing field.
        ...(publishedAt === undefined ? {} : { publishedAt }),
        ...(tocId === undefined ? {} : { tocId }),
      }
      const keyed = { ...set, ...changedSortKeys(id, set) }
      const changed = affectsSearch(set) ? { ...keyed, indexDue: newId() } : keyed
      const counted = affectsCounts(set) || addStoredBytes !== undefined
      const update = counted ? counts.pendingUpdate(changed, { storedBytes: addStoredBytes }) : { $set: changed }
      return (await books.updateOne(filter, update)).matchedCount === 1
    },
    ...unfinishedWrites(books),
    async markIndexed(ownerId: string, id: string, change: string) {
      return (
        (await books.updateOne({ _id: id, ownerId, indexDue: change }, { $set: { indexDue: '' } })).matchedCount === 1
      )
    },
    async markIndexDue(ownerId: string, id: string) {
      await books.updateOne({ _id: id, ownerId }, { $set: { indexDue: newId() } })
    },
    feature: (id: string, until: Date) => feature(books, id, until),
    async remove(ownerId: string, id: string, seen?: Book) {
      const filter = { _id: id, ownerId, ...(seen && unchangedSince(seen)) }
      const { matchedCount } = await books.updateOne(filter, counts.pendingRemoval())
      if (matchedCount === 0) return false
      // A concurrent change marks the row as pending again, so this repeats until the row is removed.
      do await counts.reconcile(ownerId)
      while (await books.findOne({ _id: id, 'uncounted.gone': true }, { projection: { _id: 1 } }))
      return true
    },
  }
}

function unfinishedWrites(books: Collection<Row>) {
  return {
    async showUnfinished(ownerId: string, id: string, unfinished: UnfinishedPages) {
      const { jobId, attempt } = unfinished
      const isOfNoLaterAttempt = [{ 'unfinished.jobId': { $ne: jobId } }, { 'unfinished.attempt': { $lte: attempt } }]
      const isBeingImported = { status: 'PROCESSING', version: 0, jobId } as const
      const filter = { _id: id, ownerId, ...isBeingImported, $or: isOfNoLaterAttempt }
      return (await books.updateOne(filter, { $set: { unfinished } })).matchedCount === 1
    },
    async hideUnfinished(ownerId: string, id: string, { jobId, attempt }: Pick<UnfinishedPages, 'jobId' | 'attempt'>) {
      const filter = { _id: id, ownerId, 'unfinished.jobId': jobId, 'unfinished.attempt': attempt }
      await books.updateOne(filter, { $set: { unfinished: null } })
    },
  }
}

/** Every change of a book by people or programs changes one of these fields. */
function unchangedSince({ version, status, jobId, indexDue, updatedAt, slotConfirmed }: Book): Filter<Row> {
  return { version, status, jobId, indexDue, updatedAt, slotConfirmed: slotConfirmed ?? { $exists: false } }
}

/**
 * Inserts a book. If a row with the same id is being removed (a repeated create), completes that removal and inserts
 * again.
 */
async function addBook(books: Collection<Row>, counts: DerivedCounts, { id, ...fields }: Book): Promise<boolean> {
  for (;;) {
    try {
      await books.insertOne({ _id: id, ...fields, ...counts.pendingInsert(fields.ownerId) })
      return true
    } catch (error) {
      if (!isDuplicateKey(error)) throw error
      const beingRemoved = await books.findOne({ _id: id, 'uncounted.gone': true }, { projection: { ownerId: 1 } })
      if (!beingRemoved) return false
      await counts.reconcile(beingRemoved.ownerId)
    }
  }
}

const maxAttempts = 20

async function feature(books: Collection<Row>, id: string, until: Date): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const others = { ofTheWeek: true as const, _id: { $ne: id } }
    await books.updateMany(others, { $set: { featuredUntil: null }, $unset: { ofTheWeek: '' } })
    try {
      const set = { featuredUntil: until, ofTheWeek: true as const }
      return (await books.updateOne({ _id: id }, { $set: set })).matchedCount === 1
    } catch (error) {
      // A concurrent call has featured another book: retries, so that the last call wins.
      if (!isDuplicateKey(error) || attempt === maxAttempts) throw error
    }
  }
}

const searchableFields = ['version', 'title', 'author', 'description', 'tocId'] as const

/** True for a change of a field that search indexes. */
function affectsSearch(set: BookChange['set']): boolean {
  return searchableFields.some((field) => Object.hasOwn(set, field))
}
