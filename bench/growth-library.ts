import { createAccount } from '../src/accounts/create-account.ts'
import { createApiKey } from '../src/accounts/create-api-key.ts'
import { newBook } from '../src/books/new-book.ts'
import { readConfig } from '../src/app/config.ts'
import { newId } from '../src/core/ids.ts'
import { openServices, type OpenedServices } from '../src/app/services.ts'

/** Which books grow in number: the caller's own, or those of others next to ten of the caller's. */
export type GrowthSetting = 'own' | 'others'

/** A store on disk, with the data that a client needs. */
export interface Library {
  directory: string
  key: string
  /** Ids of ten of the caller's books, spread over the library. */
  ids: string[]
  /** A shelf with ten books. */
  shelf: string
}

interface GrowingLibrary extends Library {
  accountId: string
  others: string[]
  /** Shelves that contain all own books, in turn. */
  shelves: string[]
  own: string[]
  size: number
}

const ownBookCount = 10
const otherOwnerCount = 20
const pages = 3
const sentence = 'The quick brown fox jumps over the lazy dog, and nobody minds. '

/** Creates a store with an account, ten shelves, and twenty other accounts. */
export async function openLibrary(directory: string): Promise<GrowingLibrary> {
  return withStore(directory, async ({ services }) => {
    const { id: accountId } = await createAccount(services, { email: 'growth@lectern.example' })
    const { key } = await createApiKey(services, accountId, {})
    const others: string[] = []
    for (let at = 0; at < otherOwnerCount; at++) {
      others.push((await createAccount(services, { email: `other${at}@lectern.example` })).id)
    }
    const createdAt = new Date()
    const shelves = ['ten', ...Array.from({ length: 9 }, (_, at) => `shelf-${at}`)].map((slug) => {
      return { id: newId(), name: slug, slug, color: null, createdAt }
    })
    await services.shelves.change(accountId, () => shelves, createdAt)
    const [shelf = '', ...rest] = shelves.map(({ id }) => id)
    return { directory, key, ids: [], shelf, accountId, others, shelves: rest, own: [], size: 0 }
  })
}

/** Grows the library to `size` books, of which at least ten are the caller's. */
export async function growTo(library: GrowingLibrary, setting: GrowthSetting, size: number): Promise<void> {
  await withStore(library.directory, async (open) => {
    while (library.size < size) {
      const count = Math.min(1000, size - library.size)
      const mine = setting === 'own' || library.size < ownBookCount
      await addBooks(open, library, { count: mine && setting === 'others' ? ownBookCount : count, mine })
    }
  })
  const { own } = library
  library.ids = Array.from(
    { length: ownBookCount },
    (_, at) => own[Math.floor(((at + 0.5) * own.length) / ownBookCount)] ?? '',
  )
}

/** Writes rows like the product: books of three pages in their first version, indexed for search. */
async function addBooks(
  { services, database }: OpenedServices,
  library: GrowingLibrary,
  { count, mine }: { count: number; mine: boolean },
): Promise<void> {
  const rowsOf = (name: string) => database.db.collection<{ _id: string }>(name)
  const books = Array.from({ length: count }, (_, at) => {
    const number = library.size + at
    const createdAt = new Date(Date.UTC(2026, 0, 1) + number * 60_000)
    const ownerId = mine ? library.accountId : (library.others[number % otherOwnerCount] as string)
    const fixed = { id: newId(createdAt), ownerId, sourceType: 'markdown', status: 'READY', createdAt } as const
    const text = { title: `Book ${number} of a growing library`, author: 'A. Writer', pageCount: pages, version: 1 }
    return newBook({ ...fixed, ...text, indexDue: '' })
  })
  await sealBooks({ services, database }, books)
  await rowsOf('pages').insertMany(
    books.flatMap(({ id }) =>
      Array.from({ length: pages }, (_, page) => {
        const _id = `${id}:create:${String(page).padStart(6, '0')}`
        return { _id, content: `# Chapter ${page + 1}\n\n${sentence.repeat(6)}\n`, label: null }
      }),
    ),
  )
  await rowsOf('books').insertMany(books.map(({ id, ...fields }) => ({ _id: id, ...fields })))
  // Removes sums that were computed at an earlier size and do not include these rows.
  await Promise.all(['bookTallies', 'placementTallies'].map((name) => rowsOf(name).deleteMany({})))
  if (mine) {
    await rowsOf('accounts').updateOne({ _id: library.accountId }, { $inc: { slots: count } })
    const ids = books.map(({ id }) => id)
    if (library.own.length === 0) await placeBooks({ services, database }, library, { shelfIds: [library.shelf], ids })
    await placeBooks({ services, database }, library, { shelfIds: library.shelves, ids })
    library.own.push(...ids)
  }
  library.size += count
}

type Opened = Pick<OpenedServices, 'services' | 'database'>

/** Seals one book and copies its row for the others. */
async function sealBooks({ services, database }: Opened, books: readonly ReturnType<typeof newBook>[]): Promise<void> {
  const [first, ...others] = books
  if (!first) return
  const { id: itemId, ownerId, createdAt } = first
  const segments = [{ revision: 'create', start: 0, count: pages }]
  const made = { createdAt, createdBy: ownerId, client: null, reason: 'create', jobId: null }
  const size = { pageCount: pages, bytes: 1200, words: 220, toc: [] }
  await services.contents.seal({ itemId, version: 1, runs: segments, ...size, ...made })
  const contents = database.db.collection<{ _id: string; itemId: string }>('contents')
  const row = await contents.findOne({ itemId })
  if (!row || others.length === 0) return
  await contents.insertMany(
    others.map(({ id, ownerId: createdBy, createdAt: at }) => {
      return { ...row, _id: row._id.replace(itemId, id), itemId: id, createdBy, createdAt: at }
    }),
  )
}

async function placeBooks(
  { database }: Opened,
  { accountId }: GrowingLibrary,
  { shelfIds, ids }: { shelfIds: readonly string[]; ids: readonly string[] },
): Promise<void> {
  const rows = ids.slice(0, shelfIds.length === 1 ? ownBookCount : undefined).map((itemId, at) => {
    const shelfId = shelfIds[at % shelfIds.length] as string
    return { _id: `${accountId}:${shelfId}:${itemId}`, accountId, shelfId, itemId }
  })
  await database.db.collection<{ _id: string }>('placements').insertMany(rows)
}

async function withStore<T>(directory: string, run: (open: OpenedServices) => Promise<T>): Promise<T> {
  const open = await openServices(readConfig({ LECTERN_DATA_DIR: directory, LECTERN_LOG_LEVEL: 'silent' }))
  try {
    return await run(open)
  } finally {
    await open.close()
  }
}
