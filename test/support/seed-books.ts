import { newBook } from '../../src/books/new-book.ts'
import { systemOwner, type Book } from '../../src/books/book.ts'
import { newId } from '../../src/core/ids.ts'
import type { Manifest } from '../../src/reading/manifest.ts'
import type { Person, TestServer } from './server.ts'

interface SeedOptions {
  count: number
  /** Changes to an empty Markdown book; `index` is 0 for the oldest one. */
  book?: (index: number) => Partial<Book>
}

/** Writes empty books directly to the store, one second apart, for libraries larger than the rate limits allow. */
export async function seedBooks(server: TestServer, owner: Pick<Person, 'id'>, seed: SeedOptions): Promise<string[]> {
  const { db } = server.running.opened.database
  const start = Date.UTC(2026, 0, 1)
  const books = Array.from({ length: seed.count }, (_, index) => {
    const createdAt = new Date(start + index * 1000)
    const id = newId(createdAt)
    const fixed = { id, ownerId: owner.id, sourceType: 'markdown', status: 'READY', version: 1, createdAt } as const
    return newBook({ ...fixed, title: `Book ${index}`, ...seed.book?.(index) })
  })
  await sealBooks(
    server,
    books.filter(({ version }) => version > 0),
  )
  await db.collection<{ _id: string }>('books').insertMany(books.map(({ id, ...fields }) => ({ _id: id, ...fields })))
  // Unmarked rows are counted when the sums of the library are created again.
  await server.running.opened.services.books.removeCounts(owner.id)
  if (owner.id !== systemOwner) {
    await db.collection<{ _id: string }>('accounts').updateOne({ _id: owner.id }, { $inc: { slots: seed.count } })
  }
  return books.map(({ id }) => id)
}

/** Seals one book and copies its row for the others, with two writes in total. */
async function sealBooks(server: TestServer, [first, ...others]: Book[]): Promise<void> {
  if (!first) return
  const { services, database } = server.running.opened
  await services.contents.seal(emptyContent(first))
  const contents = database.db.collection<{ _id: string; itemId: string }>('contents')
  const row = await contents.findOne({ itemId: first.id })
  if (!row || others.length === 0) return
  await contents.insertMany(
    others.map(({ id, createdAt }) => ({ ...row, _id: row._id.replace(first.id, id), itemId: id, createdAt })),
  )
}

function emptyContent({ id, ownerId, createdAt }: Book): Manifest {
  return {
    itemId: id,
    version: 1,
    runs: [],
    pageCount: 0,
    bytes: 0,
    words: 0,
    toc: [],
    createdAt,
    createdBy: ownerId,
    reason: 'create',
    jobId: null,
  }
}
