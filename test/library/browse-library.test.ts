import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Context } from '../../src/app/context.ts'
import type { Book } from '../../src/books/book.ts'
import { sortKeysOf } from '../../src/books/sort-keys.ts'
import { newId } from '../../src/core/ids.ts'
import { browseLibrary, type BrowseLibrary } from '../../src/library/browse-library.ts'
import { libraryViews, type LibraryFilter } from '../../src/library/library-filter.ts'
import { librarySorts, type LibrarySort } from '../../src/library/library-order.ts'
import { contextOf } from '../support/context.ts'
import { seedBooks } from '../support/seed-books.ts'
import type { Person } from '../support/server.ts'
import { makeShelf } from '../support/shelves.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let publisher: Person
let team: string

beforeAll(async () => {
  publisher = await server.createPerson()
  team = newId()
})
afterAll(async () => {
  // Removes rows that refer to a team, listings and jobs which do not exist.
  for (const name of ['subscriptions', 'shares', 'members', 'bookTallies']) await collection(name).deleteMany({})
  await collection('books').updateMany({ status: 'PROCESSING' }, { $set: { status: 'READY' } })
})

const collection = (name: string) => server.running.opened.database.db.collection<{ _id: string }>(name)

/** A book in the model of the test. */
interface ModelBook {
  id: string
  title: string
  author: string | null
  kind: 'own' | 'subscribed' | 'shared'
  addedAt: number
  readAt: number | null
  onShelf: boolean
  attention: boolean
  importing: boolean
}

const minute = 60_000
const start = Date.UTC(2026, 5, 1)

const someTitle = fc.oneof(
  fc.constantFrom(
    'Über Bücher',
    'uber',
    'Volume 2',
    'Volume 10',
    'Zebra',
    'zebra',
    '《红楼梦》',
    '𐍈 Gothic',
    '…',
    'كتاب',
  ),
  fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }),
)
const someBook = fc.record({
  title: someTitle,
  author: fc.option(fc.constantFrom('Ada', 'ada', 'Émile', 'Zoë 2', '…'), { nil: null }),
  kind: fc.constantFrom('own', 'own', 'own', 'subscribed', 'shared'),
  addedAt: fc.integer({ min: 0, max: 8 }).map((at) => start + at * minute),
  readAt: fc.option(
    fc.integer({ min: 0, max: 8 }).map((at) => start + at * minute),
    { nil: null },
  ),
  onShelf: fc.boolean(),
  attention: fc.boolean(),
  importing: fc.boolean(),
})

/** Creates a person with these books in the library, and a shelf for those that are shelved. */
async function fill(books: readonly Omit<ModelBook, 'id'>[]) {
  const person = await server.createPerson()
  const { id: shelf } = await makeShelf(server, person, 'Some')
  const model: ModelBook[] = []
  for (const kind of ['own', 'subscribed', 'shared'] as const) {
    const some = books.filter((book) => book.kind === kind)
    if (some.length === 0) continue
    const owner = kind === 'own' ? person : publisher
    const ids = await seedBooks(server, owner, { count: some.length, book: (at) => rowOf(some[at] as ModelBook) })
    model.push(...some.map((book, at) => ({ ...book, id: ids[at] as string })))
  }
  await grant(person, model)
  const read = model.filter(({ readAt }) => readAt !== null)
  const { readingPositions, placements } = server.running.opened.services
  for (const { id, readAt } of read) {
    readingPositions.save(person.id, id, { page: 1, of: 1, version: 1, at: new Date(readAt as number) })
  }
  const placed = model.filter(({ onShelf }) => onShelf)
  await placements.add(
    person.id,
    placed.map(({ id, kind }) => ({
      shelfId: shelf,
      itemId: id,
      ...(kind === 'own' ? {} : { granted: true as const }),
    })),
  )
  return { ctx: await contextOf(server, person), model, shelf, person }
}

function rowOf({ title, author, kind, addedAt, attention, importing }: Omit<ModelBook, 'id'>): Partial<Book> {
  const fields = { title, author, createdAt: new Date(addedAt) }
  if (kind !== 'own') return fields
  if (importing) return { ...fields, status: 'PROCESSING' }
  return { ...fields, health: attention ? 'empty' : 'ok' }
}

async function grant({ id: accountId }: Person, model: readonly ModelBook[]): Promise<void> {
  const { subscriptions, shares, members } = server.running.opened.services
  const teamId = `${team}${accountId}`
  const joinedAt = new Date(start)
  await members.add({ teamId, accountId, role: 'MEMBER', departments: [], joinedAt, leavingAt: null })
  for (const { id: itemId, kind, addedAt } of model) {
    const ownerId = publisher.id
    const sharedAt = new Date(addedAt)
    if (kind === 'subscribed') {
      await subscriptions.add({ id: newId(), accountId, itemId, listingId: newId(), ownerId, createdAt: sharedAt })
    }
    if (kind === 'shared') {
      await shares.add({ teamId, itemId, ownerId, accessLevel: 'READ', departments: [], sharedBy: ownerId, sharedAt })
    }
  }
}

/** Returns the whole order as a plain sort produces it. */
function expected(model: readonly ModelBook[], sort: LibrarySort, filter: LibraryFilter): string[] {
  const shown = model.filter((book) => isShown(book, filter))
  const bytes = (text: string) => Buffer.from(text).toString('hex')
  const rankOf = (book: ModelBook): string => {
    const keys = sortKeysOf(book)
    if (sort === 'title') return bytes(keys.titleKey)
    return `${bytes(keys.authorKey)} ${bytes(keys.titleKey)}`
  }
  const newestFirst = (a: number, b: number, one: ModelBook, other: ModelBook) => b - a || (one.id < other.id ? 1 : -1)
  return shown
    .toSorted((a, b) => {
      if (sort === 'added') return newestFirst(a.addedAt, b.addedAt, a, b)
      if (sort !== 'read') return rankOf(a) < rankOf(b) ? -1 : 1
      if ((a.readAt === null) !== (b.readAt === null)) return a.readAt === null ? 1 : -1
      return newestFirst(a.readAt ?? a.addedAt, b.readAt ?? b.addedAt, a, b)
    })
    .map(({ id }) => id)
}

function isShown(book: ModelBook, filter: LibraryFilter): boolean {
  if ('shelf' in filter) return book.onShelf
  const own = book.kind === 'own'
  if (filter.view === 'shared') return book.kind === 'shared'
  if (filter.view === 'marketplace') return book.kind === 'subscribed'
  if (filter.view === 'importing') return own && book.importing
  if (filter.view === 'attention') return own && book.attention && !book.importing
  return true
}

/** Returns all pages of a list; `between` runs after each. */
async function pages(ctx: Context, request: Omit<BrowseLibrary, 'after'>, between?: () => Promise<unknown>) {
  const listed: string[] = []
  let after: string | undefined
  do {
    const page = await browseLibrary(ctx, { ...request, after })
    expect(page.books.length).toBeLessThanOrEqual(request.limit)
    listed.push(...page.books.map(({ id }) => id))
    after = page.next ?? undefined
    await between?.()
  } while (after !== undefined)
  return listed
}

const filtersOf = (shelf: string): LibraryFilter[] => [...libraryViews.map((view) => ({ view })), { shelf }]

describe('the pages of a library', () => {
  test(
    'concatenated are the whole sorted library: in every order, through every filter',
    { timeout: 300_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(someBook, { maxLength: 14 }),
          fc.integer({ min: 1, max: 6 }),
          async (books, limit) => {
            const { ctx, model, shelf } = await fill(books)
            for (const sort of librarySorts) {
              for (const filter of filtersOf(shelf)) {
                const listed = await pages(ctx, { sort, filter, limit })
                expect(listed, JSON.stringify({ sort, filter })).toEqual(expected(model, sort, filter))
              }
            }
          },
        ),
        { numRuns: 8 },
      )
    },
  )

  test('show the count of each filter', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(someBook, { maxLength: 14 }), async (books) => {
        const { ctx, model, shelf } = await fill(books)
        const { facets } = await browseLibrary(ctx, { sort: 'added', filter: { view: 'all' }, limit: 1 })
        for (const view of libraryViews) {
          expect(facets[view], view).toBe(expected(model, 'added', { view }).length)
        }
        expect(facets.shelves.map(({ count }) => count)).toEqual([expected(model, 'added', { shelf }).length])
      }),
      { numRuns: 8 },
    )
  })

  test('contain no book twice and miss none while books are added', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(someBook, { minLength: 4, maxLength: 12 }),
        fc.array(someBook, { minLength: 8, maxLength: 8 }),
        fc.constantFrom(...librarySorts),
        async (books, later, sort) => {
          const { ctx, model, person } = await fill(books)
          const rest = later.map((book) => ({ ...book, kind: 'own' as const }))
          const add = async () => {
            const book = rest.pop()
            if (book) await seedBooks(server, person, { count: 1, book: () => rowOf(book) })
          }
          const listed = await pages(ctx, { sort, filter: { view: 'all' }, limit: 2 }, add)
          expect(new Set(listed).size).toBe(listed.length)
          expect(listed).toEqual(expect.arrayContaining(model.map(({ id }) => id)))
        },
      ),
      { numRuns: 8 },
    )
  })

  test('show the books with certain words in their title', async () => {
    const base = { author: null, kind: 'own', addedAt: start, readAt: null, onShelf: false } as const
    const { ctx, model } = await fill(
      ['The Art of Memory', 'Memory', 'ÁRT of war', 'Nothing'].map((title) => ({
        ...base,
        title,
        attention: title === 'Memory',
        importing: false,
      })),
    )
    const titlesOf = async (title: string, filter: LibraryFilter = { view: 'all' }) => {
      const ids = await pages(ctx, { sort: 'title', filter, title, limit: 1 })
      return ids.map((id) => model.find((book) => book.id === id)?.title)
    }
    expect(await titlesOf('art OF')).toEqual(['ÁRT of war', 'The Art of Memory'])
    expect(await titlesOf('memory', { view: 'attention' })).toEqual(['Memory'])
    expect(await titlesOf('nowhere')).toEqual([])
  })

  test.for([
    ['no cursor', 'x'],
    ['a cursor of another order', Buffer.from('["title",1,0,["a"],"b"]').toString('base64url')],
    ['a cursor without its keys', Buffer.from('["added",1,0,["a"],"b"]').toString('base64url')],
    ['a very long one', 'A'.repeat(5000)],
  ])('refuse %s', async ([, after]) => {
    const ctx = await contextOf(server, await server.createPerson())
    const answer = browseLibrary(ctx, { sort: 'added', filter: { view: 'all' }, after, limit: 5 })
    await expect(answer).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })

  test('refuse an unknown shelf', async () => {
    const ctx = await contextOf(server, await server.createPerson())
    const answer = browseLibrary(ctx, { sort: 'added', filter: { shelf: 'nothing' }, limit: 5 })
    await expect(answer).rejects.toMatchObject({ code: 'SHELF_NOT_FOUND' })
  })
})

describe('a large library', () => {
  const count = 3200

  test('lists few or many matches, in every order', { timeout: 300_000 }, async () => {
    const person = await server.createPerson()
    const state = (at: number): Partial<Book> => {
      if (at % 3 === 0) return { health: 'empty' }
      return at % 3 === 1 ? { status: 'PROCESSING', health: 'ok' } : { health: 'ok' }
    }
    const ids = await seedBooks(server, person, {
      count,
      book: (at) => ({ title: `Number ${(at * 7) % count}`, author: at % 2 === 0 ? 'Even' : null, ...state(at) }),
    })
    const { id: shelf } = await makeShelf(server, person, 'Many')
    const placed = ids.filter((_, at) => at % 2 === 0)
    await server.running.opened.services.placements.add(
      person.id,
      placed.map((itemId) => ({ shelfId: shelf, itemId })),
    )
    const ctx = await contextOf(server, person)
    const all = await pages(ctx, { sort: 'title', filter: { view: 'all' }, limit: 400 })
    expect(all.length).toBe(count)
    const numberOf = (id: string) => (ids.indexOf(id) * 7) % count
    expect(all.map(numberOf)).toEqual(Array.from({ length: count }, (_, at) => at))
    const sets: [LibraryFilter, (at: number) => boolean][] = [
      [{ shelf }, (at) => at % 2 === 0],
      [{ view: 'attention' }, (at) => at % 3 === 0],
      [{ view: 'importing' }, (at) => at % 3 === 1],
    ]
    for (const [filter, has] of sets) {
      const wanted = ids.filter((_, at) => has(at))
      expect(await pages(ctx, { sort: 'title', filter, limit: 400 })).toEqual(all.filter((id) => wanted.includes(id)))
      expect((await pages(ctx, { sort: 'read', filter, limit: 400 })).toSorted()).toEqual(wanted.toSorted())
    }
    const { facets } = await browseLibrary(ctx, { sort: 'added', filter: { view: 'all' }, limit: 1 })
    expect(facets).toMatchObject({ all: count, attention: Math.ceil(count / 3), importing: 1000 })
  })

  test('examines a bounded number of books for one page, and continues from there', { timeout: 120_000 }, async () => {
    const person = await server.createPerson()
    const ids = await seedBooks(server, person, { count: 3100, book: (at) => ({ title: at === 0 ? 'Needle' : 'Hay' }) })
    const ctx = await contextOf(server, person)
    const request = { sort: 'added', filter: { view: 'all' }, title: 'needle', limit: 10 } as const
    const first = await browseLibrary(ctx, request)
    expect(first).toMatchObject({ books: [], unfinished: true, next: expect.any(String) })
    const second = await browseLibrary(ctx, { ...request, after: first.next ?? '' })
    expect(second.books.map(({ id }) => id)).toEqual([ids[0]])
    expect(second.next).toBeNull()
  })
})

describe('books of an earlier version of the store, without sort keys', () => {
  test.for(['title', 'author'] as const)('are sorted by %s, too', async (sort) => {
    const person = await server.createPerson()
    const ids = await seedBooks(server, person, {
      count: 30,
      book: (at) => ({ title: `Title ${(at * 7) % 30}`, author: `Author ${at % 4}` }),
    })
    const { services, database } = server.running.opened
    await database.db
      .collection('books')
      .updateMany({ ownerId: person.id }, { $unset: { titleKey: '', authorKey: '' } })
    const found = await services.books.byIds(ids)
    const ctx = await contextOf(server, person)
    const listed = await pages(ctx, { sort, filter: { view: 'all' }, limit: 7 })
    const model = found.map(({ id, title, author }) => ({ id, title, author, kind: 'own', addedAt: 0 }) as ModelBook)
    expect(listed).toEqual(expected(model, sort, { view: 'all' }))
  })
})

test('changing the title or author moves a book', async () => {
  const person = await server.createPerson()
  const ids = await seedBooks(server, person, { count: 2, book: (at) => ({ title: `T${at}`, author: `A${at}` }) })
  const ctx = await contextOf(server, person)
  const order = (sort: LibrarySort) => pages(ctx, { sort, filter: { view: 'all' }, limit: 1 })
  expect(await order('author')).toEqual(ids)
  await server.running.opened.services.books.change(person.id, ids[0] as string, { set: { author: null } })
  expect(await order('author')).toEqual(ids.toReversed())
  await server.running.opened.services.books.change(person.id, ids[1] as string, { set: { title: 'A first one' } })
  expect(await order('title')).toEqual(ids.toReversed())
})
