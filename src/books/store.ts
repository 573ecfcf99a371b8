import type { Collection, Db, Filter } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import { batchLoad } from '../runtime/batch.ts'
import { newId } from '../core/ids.ts'
import { decodeCached } from '../db/row-cache.ts'
import type { DerivedCounts } from '../db/derived-counts.ts'
import { systemOwner, type Book, type BookStatus } from './book.ts'
import { createLibraryStore, createLibraryCounts, affectsCounts, toBook } from './library-store.ts'
import type { BookRow as Row, LibraryStore } from './library-store.ts'

export interface BookStore extends LibraryStore {
  /** Adds a book; false when its id exists already (a repeated create). */
  add(book: Book): Promise<boolean>
  /** The books among `ids`, whoever owns them, in no order; one that has not changed is the same object again. Only `books/access.ts` asks, which knows who may see which, and administrators. */
  byIds(ids: readonly string[]): Promise<Book[]>
  /** Own and built-in books, in no order. */
  listLibrary(accountId: string): Promise<Book[]>
  /** The account's own books among `ids`. */
  findOwned(accountId: string, ids: readonly string[]): Promise<Book[]>
  /** How many books the account owns. */
  countOwned(accountId: string): Promise<number>
  /** Changes an owned book; false when it is not there (or, with `version`, is at another version). */
  change(ownerId: string, id: string, change: BookChange): Promise<boolean>
  /** Removes the row of an owned book. */
  remove(ownerId: string, id: string): Promise<boolean>
  /** Books that have been in a status since before `before`. */
  listInStatus(status: BookStatus, before: Date): Promise<Book[]>
  /** Another book of the account that was made from the same file. */
  findDuplicateFile(accountId: string, file: { sha256: string; excludeId: string }): Promise<Book | null>
  /** Books that search has still to learn of, those of `ownerIds` or everybody's, at most `limit`. */
  listIndexDue(ownerIds: readonly string[] | null, limit: number): Promise<Book[]>
  /** Notes that search knows a book as it was at the change `due`; false when it has been changed since. */
  markIndexed(ownerId: string, id: string, change: string): Promise<boolean>
  /** Makes a book the one that is featured, until `until`, in the place of any other; false when it is not there. */
  feature(id: string, until: Date): Promise<boolean>
  /** Has a book indexed once more. */
  markIndexDue(ownerId: string, id: string): Promise<void>
  /** Every book, for checks. */
  all(): AsyncIterable<Book>
}

export interface BookStores {
  books: BookStore
}

export interface BookChange {
  set: Partial<Omit<Book, 'id' | 'ownerId' | 'createdAt'>>
  /** Only while the book is at this content version. */
  version?: number
  /** Only while the book is in this status. */
  status?: BookStatus
  /** Only while this job is the book's last one. */
  jobId?: string | null
}

/** Books on MongoDB: collection `books`, one row a book, content elsewhere. */
export function createBookStore(db: Db): BookStore {
  const books = db.collection<Row>('books')
  const tally = createLibraryCounts(db)
  return {
    ...bookReads(books),
    ...bookWrites(books, tally),
    ...createLibraryStore(books, { tally, builtIn: systemOwner }),
  }
}

function bookReads(books: Collection<Row>) {
  const decodeBook = decodeCached((row: Row) => ({ _id: row._id, book: Object.freeze(toBook(row)) }))
  const load = async (ids: readonly string[]) => {
    const rows = await books.find<Uint8Array>({ _id: { $in: [...ids] } }, { raw: true }).toArray()
    return rows.map(decodeBook)
  }
  const find = batchLoad(load)
  const list = async (filter: Filter<Row>) => (await books.find(filter).toArray()).map(toBook)
  async function* each(filter: Filter<Row>) {
    for await (const row of books.find(filter)) yield toBook(row)
  }
  return {
    byIds: async (ids: readonly string[]) => (await find(ids)).map(({ book }) => book),
    listLibrary: (accountId: string) => list({ ownerId: { $in: [accountId, systemOwner] } }),
    findOwned: (accountId: string, ids: readonly string[]) => list({ _id: { $in: [...ids] }, ownerId: accountId }),
    countOwned: (accountId: string) => books.countDocuments({ ownerId: accountId }),
    listInStatus: (status: BookStatus, before: Date) => list({ status, updatedAt: { $lt: before } }),
    async findDuplicateFile(accountId: string, { sha256, excludeId }: { sha256: string; excludeId: string }) {
      const row = await books.findOne({ ownerId: accountId, 'original.sha256': sha256, _id: { $ne: excludeId } })
      return row && toBook(row)
    },
    async listIndexDue(ownerIds: readonly string[] | null, limit: number) {
      const owners = ownerIds === null ? {} : { ownerId: { $in: [...ownerIds] } }
      return (
        await books
          .find({ ...owners, indexDue: { $ne: '' } })
          .limit(limit)
          .toArray()
      ).map(toBook)
    },
    all: () => each({}),
  }
}

function bookWrites(books: Collection<Row>, tally: DerivedCounts) {
  return {
    add: (book: Book) => addBook(books, tally, book),
    async change(ownerId: string, id: string, { set, version, status, jobId }: BookChange) {
      const filter = {
        _id: id,
        ownerId,
        ...(version === undefined ? {} : { version }),
        ...(status === undefined ? {} : { status }),
        ...(jobId === undefined ? {} : { jobId }),
      }
      const changed = affectsSearch(set) ? { ...set, indexDue: newId() } : set
      const update = affectsCounts(set) ? tally.pendingUpdate(changed) : { $set: changed }
      return (await books.updateOne(filter, update)).matchedCount === 1
    },
    async markIndexed(ownerId: string, id: string, change: string) {
      return (
        (await books.updateOne({ _id: id, ownerId, indexDue: change }, { $set: { indexDue: '' } })).matchedCount === 1
      )
    },
    async markIndexDue(ownerId: string, id: string) {
      await books.updateOne({ _id: id, ownerId }, { $set: { indexDue: newId() } })
    },
    feature: (id: string, until: Date) => feature(books, id, until),
    async remove(ownerId: string, id: string) {
      const { matchedCount } = await books.updateOne({ _id: id, ownerId }, tally.pendingRemoval())
      if (matchedCount === 0) return false
      // A change of the book at this very moment has it counted once more before it goes.
      do await tally.reconcile(ownerId)
      while (await books.findOne({ _id: id, 'uncounted.gone': true }, { projection: { _id: 1 } }))
      return true
    },
  }
}

/** A book that is just being removed makes room for one of the same id: a create that is repeated. */
async function addBook(books: Collection<Row>, tally: DerivedCounts, { id, ...fields }: Book): Promise<boolean> {
  for (;;) {
    try {
      await books.insertOne({ _id: id, ...fields, ...tally.pendingInsert(fields.ownerId) })
      return true
    } catch (error) {
      if (!isDuplicateKey(error)) throw error
      const beingRemoved = await books.findOne({ _id: id, 'uncounted.gone': true }, { projection: { ownerId: 1 } })
      if (!beingRemoved) return false
      await tally.reconcile(beingRemoved.ownerId)
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
      // Another call has featured a book meanwhile: the later one wins.
      if (!isDuplicateKey(error) || attempt === maxAttempts) throw error
    }
  }
}

const searchableFields = ['version', 'title', 'author', 'description', 'tocId'] as const

/** True for a change of something that search looks into. */
function affectsSearch(set: BookChange['set']): boolean {
  return searchableFields.some((field) => field in set)
}
