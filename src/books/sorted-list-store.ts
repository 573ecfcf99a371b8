import type { Collection, Filter, Sort } from 'mongodb'
import type { Book } from './book.ts'
import { toBook, type BookRow } from './library-store.ts'
import { sortKeysOf } from './sort-keys.ts'

/** Position in a list by title or author; the keys are empty for a book that has none yet. */
export interface SortedPosition {
  authorKey: string
  titleKey: string
  id: string
}

interface SortedPage {
  after: SortedPosition | null
  limit: number
}

/**
 * Lists of a library by title and by author. The cost depends on the size of the result, not on the size of the
 * library.
 */
export interface SortedLists {
  /** The account's and built-in books by title, at most `limit`, after a position; null: from the first on. */
  listByTitle(accountId: string, page: SortedPage): Promise<Book[]>
  /** Like `listByTitle`, by author and then by title; books without an author come last. */
  listByAuthor(accountId: string, page: SortedPage): Promise<Book[]>
}

const fillBatch = 1000
const maxFilled = 20_000

/** Lists by sort key on MongoDB, each in the order of an index. `builtIn` is the owner of the built-in books. */
export function createSortedLists(books: Collection<BookRow>, builtIn: string): SortedLists {
  /** The matching rows, in the order of the filters: each filter is one index range per owner. */
  const list = async (
    owners: Filter<BookRow>,
    { filters, sort, limit }: { filters: readonly Filter<BookRow>[]; sort: Sort; limit: number },
  ): Promise<BookRow[]> => {
    const rows: BookRow[] = []
    for (const filter of filters) {
      const missing = limit - rows.length
      if (missing === 0) break
      rows.push(
        ...(await books
          .find({ ...owners, ...filter })
          .sort(sort)
          .limit(missing)
          .batchSize(missing)
          .toArray()),
      )
    }
    return rows
  }
  const listFilled = async (accountId: string, query: Omit<Parameters<typeof list>[1], never>): Promise<Book[]> => {
    const owners = { ownerId: { $in: [accountId, builtIn] } }
    let rows = await list(owners, query)
    // Rows of an earlier version come first, so they are on the first page.
    if (rows.some(({ titleKey }) => titleKey === undefined)) {
      await fillSortKeys(books, owners)
      rows = await list(owners, query)
    }
    return rows.map(toBook)
  }
  return {
    listByTitle: (accountId, { after, limit }) =>
      listFilled(accountId, { filters: afterTitle(after), sort: { titleKey: 1, _id: 1 }, limit }),
    listByAuthor: (accountId, { after, limit }) =>
      listFilled(accountId, { filters: afterAuthor(after), sort: { authorKey: 1, titleKey: 1, _id: 1 }, limit }),
  }
}

function afterTitle(after: SortedPosition | null): Filter<BookRow>[] {
  if (!after) return [{}]
  if (after.titleKey !== '') return [{ titleKey: { $gt: after.titleKey } }]
  return [afterUnfilled('titleKey', after), { titleKey: { $gte: '' } }]
}

function afterAuthor(after: SortedPosition | null): Filter<BookRow>[] {
  if (!after) return [{}]
  const { authorKey, titleKey } = after
  if (authorKey === '') return [afterUnfilled('authorKey', after), { authorKey: { $gte: '' } }]
  return [{ authorKey, titleKey: { $gt: titleKey } }, { authorKey: { $gt: authorKey } }]
}

/** The remaining rows without sort keys; in a filter, null also matches a missing field. */
function afterUnfilled(key: 'titleKey' | 'authorKey', { id }: SortedPosition): Filter<BookRow> {
  return { [key]: null, _id: { $gt: id } }
}

/** Computes the sort keys of rows from an earlier version, at most 20,000. */
async function fillSortKeys(books: Collection<BookRow>, owners: Filter<BookRow>): Promise<void> {
  const unfilled = { ...owners, titleKey: null } as unknown as Filter<BookRow>
  for (let filled = 0; filled < maxFilled; filled += fillBatch) {
    const rows = await books
      .find(unfilled, { projection: { title: 1, author: 1 } })
      .limit(fillBatch)
      .toArray()
    if (rows.length === 0) return
    // If the title changes in the meantime, that change sets the keys itself.
    const operations = rows.map(({ _id, title, author }) => ({
      updateOne: {
        filter: { _id, title, author },
        update: { $set: sortKeysOf({ id: _id, title, author }) },
      },
    }))
    await books.bulkWrite(operations, { ordered: false })
  }
}
