import { contextOf } from '../support/context.ts'
import { changedContext } from '../support/changed-context.ts'
import { expect, test } from 'vitest'
import { deleteItems } from '../../src/books/delete-items.ts'
import { eraseDeletedItem } from '../../src/books/erase-deleted-item.ts'
import { undeleteItem } from '../../src/books/undelete-item.ts'
import { sweep } from '../../src/maintenance/sweep.ts'
import { searchItems } from '../../src/search/search-items.ts'
import { getItemContent } from '../../src/reading/get-item-content.ts'
import { putItemContent } from '../../src/writing/put-item-content.ts'
import { makeBook } from '../support/make-book.ts'
import type { Context } from '../../src/app/context.ts'
import { seedBooks } from '../support/seed-books.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const slotsOf = async ({ id }: Person) => server.running.opened.services.accounts.byId(id)

test('two deletes of the same book release one slot', async () => {
  const person = await server.createPerson()
  const [id = ''] = await seedBooks(server, person, { count: 3 })
  const ctx = await contextOf(server, person)
  const overtaken: Context = {
    ...ctx,
    accounts: {
      ...ctx.accounts,
      async markSlotsReleasing(...announced) {
        await deleteItems(ctx, { ids: [id] })
        return ctx.accounts.markSlotsReleasing(...announced)
      },
    },
  }
  await deleteItems(overtaken, { ids: [id] })
  expect(await slotsOf(person)).toMatchObject({ slots: 2, pending: [] })
})

test('a delete that runs between the two steps of another one does not release its slot', async () => {
  const person = await server.createPerson()
  const [id = ''] = await seedBooks(server, person, { count: 3 })
  const ctx = await contextOf(server, person)
  const interrupted = changedContext(ctx, {
    shares: {
      ...ctx.shares,
      async planRemoval(itemId) {
        await deleteItems(ctx, { ids: [id] })
        return ctx.shares.planRemoval(itemId)
      },
    },
  })
  await deleteItems(interrupted, { ids: [id] })
  expect(await slotsOf(person)).toMatchObject({ slots: 2, pending: [] })
})

test('a delete that is overtaken by another one and by the return of its book leaves the book in the library', async () => {
  const person = await server.createPerson()
  const [id = ''] = await seedBooks(server, person, { count: 3 })
  const ctx = await contextOf(server, person)
  let overtakings = 0
  const overtaken = changedContext(ctx, {
    bin: {
      ...ctx.bin,
      async put(...entry) {
        // This runs after the check of the mark and before the entry is stored.
        if (overtakings++ === 0) {
          await deleteItems(ctx, { ids: [id] })
          await undeleteItem(ctx, { itemId: id })
        }
        return ctx.bin.put(...entry)
      },
    },
  })
  await deleteItems(overtaken, { ids: [id] })
  expect(overtakings).toBe(1)
  expect(await slotsOf(person)).toMatchObject({ slots: 3, pending: [] })
  expect(await ctx.books.findOwned(person.id, [id])).toHaveLength(1)
  expect(await ctx.bin.find(person.id, id)).toBeNull()
})

test('a delete that is overtaken by another one and by the return of its book leaves the book in the search index', async () => {
  const person = await server.createPerson()
  const id = await makeBook(server, person, { content: '# One\n\nwallaby\n' })
  const ctx = await contextOf(server, person)
  let overtakings = 0
  const overtaken = changedContext(ctx, {
    shares: {
      ...ctx.shares,
      async planRemoval(itemId) {
        const remove = await ctx.shares.planRemoval(itemId)
        return async () => {
          // This runs before the book is removed from the index.
          if (overtakings++ === 0) {
            await deleteItems(ctx, { ids: [id] })
            await undeleteItem(ctx, { itemId: id })
          }
          await remove()
        }
      },
    },
  })
  await deleteItems(overtaken, { ids: [id] })
  expect(overtakings).toBe(1)
  const { items } = await searchItems(ctx, { query: 'wallaby', limit: 10 })
  expect(items.map((item) => item.id)).toEqual([id])
})

test('a return that is overtaken by another one and by a second delete leaves the book in the bin', async () => {
  const person = await server.createPerson()
  const [id = ''] = await seedBooks(server, person, { count: 3 })
  const ctx = await contextOf(server, person)
  await deleteItems(ctx, { ids: [id] })
  let overtakings = 0
  const overtaken = changedContext(ctx, {
    books: {
      ...ctx.books,
      async add(book) {
        if (overtakings++ === 0) {
          await undeleteItem(ctx, { itemId: id })
          await deleteItems(ctx, { ids: [id] })
        }
        return ctx.books.add(book)
      },
    },
  })
  await expect(undeleteItem(overtaken, { itemId: id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await slotsOf(person)).toMatchObject({ slots: 2, pending: [] })
  expect(await ctx.books.findOwned(person.id, [id])).toEqual([])
  expect(await ctx.bin.find(person.id, id)).toMatchObject({ state: 'kept' })
})

test('a book that is deleted again during its return is in the bin, without a slot', async () => {
  const person = await server.createPerson()
  const [id = ''] = await seedBooks(server, person, { count: 3 })
  const ctx = await contextOf(server, person)
  await deleteItems(ctx, { ids: [id] })
  const overtaken = changedContext(ctx, {
    bin: {
      ...ctx.bin,
      async endReturn(...named) {
        await deleteItems(ctx, { ids: [id] })
        return ctx.bin.endReturn(...named)
      },
    },
  })
  await expect(undeleteItem(overtaken, { itemId: id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await slotsOf(person)).toMatchObject({ slots: 2, pending: [] })
  expect(await ctx.bin.find(person.id, id)).toMatchObject({ state: 'kept' })
})

test('of three concurrent returns, the second does not confirm a slot that the third has taken', async () => {
  const person = await server.createPerson()
  const [id = ''] = await seedBooks(server, person, { count: 3 })
  const ctx = await contextOf(server, person)
  await deleteItems(ctx, { ids: [id] })
  const firstEnded = Promise.withResolvers<void>()
  const thirdTaken = Promise.withResolvers<void>()
  const secondEnded = Promise.withResolvers<void>()
  const third = changedContext(ctx, {
    accounts: {
      ...ctx.accounts,
      async takeSlot(...named) {
        await firstEnded.promise
        const taken = await ctx.accounts.takeSlot(...named)
        expect(taken).toBe(true)
        thirdTaken.resolve()
        await secondEnded.promise
        return taken
      },
    },
  })
  const thirdReturn = undeleteItem(third, { itemId: id })
  const second = changedContext(ctx, {
    bin: {
      ...ctx.bin,
      async endReturn(...named) {
        await undeleteItem(ctx, { itemId: id })
        firstEnded.resolve()
        await thirdTaken.promise
        return ctx.bin.endReturn(...named)
      },
    },
  })
  await undeleteItem(second, { itemId: id })
  secondEnded.resolve()
  await thirdReturn
  expect(await slotsOf(person)).toMatchObject({ slots: 3, pending: [] })
})

test('a return between the last two steps of a deletion takes its own slot', async () => {
  const person = await server.createPerson()
  const [id = ''] = await seedBooks(server, person, { count: 3 })
  const ctx = await contextOf(server, person)
  let overtakings = 0
  const overtaken = changedContext(ctx, {
    accounts: {
      ...ctx.accounts,
      async releaseSlot(...named) {
        if (overtakings++ === 0) await undeleteItem(ctx, { itemId: id })
        return ctx.accounts.releaseSlot(...named)
      },
    },
  })
  await deleteItems(overtaken, { ids: [id] })
  expect(await ctx.books.findOwned(person.id, [id])).toHaveLength(1)
  expect(await slotsOf(person)).toMatchObject({ slots: 3, pending: [] })
})

test('a delete that is overtaken by another one and by a return keeps the slot of the return', async () => {
  const person = await server.createPerson()
  const [id = ''] = await seedBooks(server, person, { count: 3 })
  const ctx = await contextOf(server, person)
  const taken = Promise.withResolvers<void>()
  const deleted = Promise.withResolvers<void>()
  const returning = changedContext(ctx, {
    accounts: {
      ...ctx.accounts,
      async takeSlot(...named) {
        const isTaken = await ctx.accounts.takeSlot(...named)
        taken.resolve()
        await deleted.promise
        return isTaken
      },
    },
  })
  let returned: Promise<unknown> | undefined
  const overtaken = changedContext(ctx, {
    bin: {
      ...ctx.bin,
      async put(...entry) {
        if (!returned) {
          await deleteItems(ctx, { ids: [id] })
          returned = undeleteItem(returning, { itemId: id })
          await taken.promise
        }
        return ctx.bin.put(...entry)
      },
    },
  })
  await deleteItems(overtaken, { ids: [id] })
  deleted.resolve()
  await returned
  expect(await ctx.books.findOwned(person.id, [id])).toHaveLength(1)
  expect(await slotsOf(person)).toMatchObject({ slots: 3, pending: [] })
})

test('a return whose call died after it had confirmed its slot is ended by the sweep', async () => {
  const person = await server.createPerson()
  const [id = ''] = await seedBooks(server, person, { count: 3 })
  const ctx = await contextOf(server, person)
  await deleteItems(ctx, { ids: [id] })
  const dying = changedContext(ctx, {
    bin: { ...ctx.bin, endReturn: () => Promise.reject(new Error('the process dies')) },
  })
  await expect(undeleteItem(dying, { itemId: id })).rejects.toThrow('the process dies')
  await sweep(ctx)
  expect(await ctx.bin.find(person.id, id)).toBeNull()
  expect(await ctx.books.findOwned(person.id, [id])).toHaveLength(1)
  expect(await slotsOf(person)).toMatchObject({ slots: 3, pending: [] })
})

test('a slot that is confirmed late does not prevent a deletion', async () => {
  const person = await server.createPerson()
  const [id = ''] = await seedBooks(server, person, { count: 3 })
  const ctx = await contextOf(server, person)
  const overtaken = changedContext(ctx, {
    accounts: {
      ...ctx.accounts,
      async markSlotsReleasing(...named) {
        const mark = await ctx.accounts.markSlotsReleasing(...named)
        await ctx.accounts.confirmSlot(person.id, { id, itemId: id })
        return mark
      },
    },
  })
  await deleteItems(overtaken, { ids: [id] })
  expect(await slotsOf(person)).toMatchObject({ slots: 2, pending: [] })
  expect(await ctx.bin.find(person.id, id)).toMatchObject({ state: 'kept' })
})

test('of a concurrent return and erasure one wins, and the slot counts are right', async () => {
  const person = await server.createPerson()
  const ids = await seedBooks(server, person, { count: 8 })
  const ctx = await contextOf(server, person)
  await deleteItems(ctx, { ids })
  const outcomes = await Promise.allSettled(
    ids.flatMap((itemId) => [undeleteItem(ctx, { itemId }), eraseDeletedItem(ctx, { itemId })]),
  )
  const back = (await ctx.books.findOwned(person.id, ids)).length
  expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBe(8)
  expect(await slotsOf(person)).toMatchObject({ slots: back, pending: [] })
  for (const id of ids) expect(await ctx.bin.find(person.id, id)).toBeNull()
})

test('text of a write that ends after its book was deleted is kept while the book can be restored', async () => {
  const person = await server.createPerson()
  const ctx = await contextOf(server, person)
  const id = await makeBook(server, person, { content: '# One\n\nheron' })
  const overtaken = changedContext(ctx, {
    contents: {
      ...ctx.contents,
      async seal(manifest) {
        const sealed = await ctx.contents.seal(manifest)
        await deleteItems(ctx, { ids: [id] })
        return sealed
      },
    },
  })
  const write = putItemContent(overtaken, { id, content: '# Two\n\nbittern' })
  await expect(write).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await undeleteItem(ctx, { itemId: id })
  expect((await getItemContent(ctx, { id })).content).toBe('# One\n\nheron')
  await putItemContent(ctx, { id, content: '# Three\n\nstork' })
  expect((await getItemContent(ctx, { id })).content).toBe('# Three\n\nstork')
})
