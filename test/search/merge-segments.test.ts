import { expect, test } from 'vitest'
import type { Context } from '../../src/app/context.ts'
import { indexBook } from '../../src/search/index/index-book.ts'
import type { LibraryIndexStore } from '../../src/search/index/library-index-store.ts'
import { refreshStaleIndex } from '../../src/search/index/refresh-stale-index.ts'
import { removeFromIndex } from '../../src/search/index/remove-from-index.ts'
import { searchItems } from '../../src/search/search-items.ts'
import { contextOf } from '../support/context.ts'
import { makeBook } from '../support/make-book.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

/** The role `web` runs no background work. The test runs the work that it needs. */

/** Writes a number in letters. */
const lettersOf = (number: number) => [...`${number}`].map((digit) => 'qwrtpsdfgh'[Number(digit)]?.repeat(2)).join('')

/** So many different words that the segment of the book is too large to be merged while the book is indexed. */
const manyWords = Array.from({ length: 5000 }, (_, at) => `w${lettersOf(at)}`).join(' ')

/** Returns a context that counts the calls of the store of library indexes. */
function counting(ctx: Context): { counted: Context; calls: Partial<Record<keyof LibraryIndexStore, number>> } {
  const calls: Partial<Record<keyof LibraryIndexStore, number>> = {}
  const libraries = new Proxy(ctx.search.libraries, {
    get(store, name: keyof LibraryIndexStore) {
      calls[name] = (calls[name] ?? 0) + 1
      return store[name]
    },
  })
  return { counted: { ...ctx, search: { ...ctx.search, libraries } }, calls }
}

test('large segments are merged by the sweep, with one read per range of rows, however many they are', async () => {
  const person = await server.createPerson()
  const ctx = await contextOf(server, person)
  for (let at = 0; at < 17; at++) {
    await makeBook(server, person, { title: `Book ${at}`, content: `${manyWords} own${lettersOf(at)}` })
  }
  const library = server.running.opened.database.db.collection<{ _id: string }>('search_libraries')
  expect(await library.findOne({ _id: person.id })).toMatchObject({ crowded: true })

  const last = await makeBook(server, person, { title: 'Last', content: `${manyWords} platypus` })
  await ctx.books.markIndexDue(person.id, last)
  const indexing = counting(ctx)
  await indexBook(indexing.counted, { id: last, ownerId: person.id })
  expect({ find: 0, read: 0, ...indexing.calls }).toMatchObject({ find: 0, read: 0, replace: 1 })

  const merging = counting(ctx)
  await refreshStaleIndex({ ...server.running.opened.services, search: merging.counted.search, log: ctx.log })
  const { passRows = 0, passWords = 0, writeRows } = merging.calls
  expect(passRows + passWords).toBe(writeRows)
  const merged = await ctx.search.libraries.find(person.id)
  expect(merged?.segments).toMatchObject([{ count: 18 }])
  expect(await library.findOne({ _id: person.id })).toMatchObject({ crowded: false })
  expect((await searchItems(ctx, { query: `w${lettersOf(7)}`, limit: 5 })).total).toBe(18)
  expect((await searchItems(ctx, { query: 'platypus', limit: 5 })).items).toMatchObject([{ id: last }])
  expect((await searchItems(ctx, { query: 'platipus', limit: 5 })).didYouMean).toBe('platypus')
})

test('the sweep removes the mark of a library without a merge to do', async () => {
  const person = await server.createPerson()
  const ctx = await contextOf(server, person)
  await makeBook(server, person, { content: '# A\n\nechidna\n' })
  const library = server.running.opened.database.db.collection<{ _id: string }>('search_libraries')
  await library.updateOne({ _id: person.id }, { $set: { crowded: true } })
  await refreshStaleIndex({ ...server.running.opened.services, log: ctx.log })
  expect(await library.findOne({ _id: person.id })).toMatchObject({ crowded: false })
  expect((await searchItems(ctx, { query: 'echidna', limit: 5 })).total).toBe(1)
})

test('books that are indexed at the same time are added to their library together, and nothing is merged twice', async () => {
  const person = await server.createPerson()
  const ctx = await contextOf(server, person)
  const ids: string[] = []
  for (let at = 0; at < 40; at++)
    ids.push(await makeBook(server, person, { content: `# A\n\nwombat own${lettersOf(at)}` }))
  for (const id of ids) {
    await removeFromIndex(ctx, person.id, id)
    await ctx.books.markIndexDue(person.id, id)
  }
  const { counted, calls } = counting(ctx)
  await Promise.all(ids.map((id) => indexBook(counted, { id, ownerId: person.id })))
  expect((await ctx.search.libraries.find(person.id))?.segments.reduce((sum, { count }) => sum + count, 0)).toBe(40)
  // Each write would be one of a single book otherwise, and most of them would be repeated.
  expect(calls.replace).toBeLessThan(20)
  expect(calls.writeHeader).toBeLessThanOrEqual(2)
  expect((await searchItems(ctx, { query: 'wombat', limit: 5 })).total).toBe(40)
  expect((await searchItems(ctx, { query: `own${lettersOf(33)}`, limit: 5 })).items).toMatchObject([{ id: ids[33] }])
})
