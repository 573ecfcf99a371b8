import { expect, onTestFinished, test } from 'vitest'
import type { Context } from '../../src/app/context.ts'
import { indexBook } from '../../src/search/index/index-book.ts'
import { removeFromIndex } from '../../src/search/index/remove-from-index.ts'
import { searchItems } from '../../src/search/search-items.ts'
import { createSearchStore } from '../../src/search/store.ts'
import { putItemPage } from '../../src/writing/put-item-page.ts'
import { contextOf } from '../support/context.ts'
import { makeBook } from '../support/make-book.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

/** Several processes that index books of one library, each with what it remembers of the library. */

const server = useTestServer({ LECTERN_ROLE: 'web' })

const find = async (ctx: Context, query: string) => (await searchItems(ctx, { query, limit: 10 })).items

/** Returns the context of another process, which has its own memory. */
function otherProcess(ctx: Context): Context {
  const { db } = server.running.opened.database
  const search = createSearchStore(db, { onError: (error) => expect.fail(String(error)) })
  onTestFinished(() => search.work.flush())
  return { ...ctx, search }
}

/** Returns a context in which `between` runs after the first write of an index entry. */
function afterEntry(ctx: Context, between: () => Promise<unknown>): Context {
  let isDone = false
  const books: Context['search']['books'] = {
    ...ctx.search.books,
    async replace(...given) {
      const replaced = await ctx.search.books.replace(...given)
      if (!isDone) {
        isDone = true
        await between()
      }
      return replaced
    },
  }
  return { ...ctx, search: { ...ctx.search, books } }
}

async function start(...words: string[]): Promise<{ person: Person; ctx: Context; ids: string[] }> {
  const person = await server.createPerson()
  const ids: string[] = []
  for (const word of words) ids.push(await makeBook(server, person, { content: `# One\n\n${word}\n` }))
  return { person, ctx: await contextOf(server, person), ids }
}

test('a process that lost a race to another process does not list an outdated segment', async () => {
  const { ctx, ids, person } = await start('bandicoot', 'bilby')
  const id = ids[0] as string
  await ctx.books.markIndexDue(person.id, id)
  const slow = afterEntry(ctx, async () => {
    await putItemPage(ctx, { id, pageNum: 1, content: '# One\n\nquoll\n' })
    await indexBook(otherProcess(ctx), { id, ownerId: person.id })
  })
  await indexBook(slow, { id, ownerId: person.id })
  expect(await find(ctx, 'bandicoot')).toEqual([])
  expect(await find(ctx, 'quoll')).toHaveLength(1)
})

test('processes that take turns with the books of a library lose none', async () => {
  const { ctx, person } = await start()
  const other = otherProcess(ctx)
  const ids: string[] = []
  for (let book = 0; book < 6; book++) {
    const id = await makeBook(server, person, { content: `# One\n\nechidna number${book}x\n` })
    ids.push(id)
    await ctx.books.markIndexDue(person.id, id)
    await indexBook(book % 2 === 0 ? ctx : other, { id, ownerId: person.id })
  }
  expect(await find(ctx, 'echidna')).toHaveLength(6)
  // Each removes a book that the other has indexed.
  await removeFromIndex(other, person.id, ids[0] as string)
  await removeFromIndex(ctx, person.id, ids[1] as string)
  const library = await other.search.libraries.find(person.id)
  expect(library?.segments.map(({ bookId }) => bookId).sort()).toEqual(ids.slice(2).sort())
})

test('a process removes the only book of a library that another process has indexed', async () => {
  const { ctx, ids, person } = await start('numbat')
  const id = ids[0] as string
  const other = otherProcess(ctx)
  await removeFromIndex(other, person.id, id)
  await indexBook(ctx, { id, ownerId: person.id })
  await removeFromIndex(other, person.id, id)
  expect(await other.search.libraries.find(person.id)).toBeNull()
})

test('a process that read a book before another process changed and indexed it leaves the newer index', async () => {
  const { ctx, ids, person } = await start('bandicoot')
  const id = ids[0] as string
  await ctx.books.markIndexDue(person.id, id)
  let isDone = false
  const slow: Context = {
    ...ctx,
    books: {
      ...ctx.books,
      async findOwned(...given) {
        const found = await ctx.books.findOwned(...given)
        if (!isDone) {
          isDone = true
          await putItemPage(ctx, { id, pageNum: 1, content: '# One\n\nquoll\n' })
          await indexBook(otherProcess(ctx), { id, ownerId: person.id })
        }
        return found
      },
    },
  }
  await indexBook(slow, { id, ownerId: person.id })
  expect(await find(ctx, 'bandicoot')).toEqual([])
  expect(await find(ctx, 'quoll')).toHaveLength(1)
})
