import { contextOf } from '../support/context.ts'
import { changedContext } from '../support/changed-context.ts'
import { expect, test } from 'vitest'
import { deleteItems } from '../../src/books/delete-items.ts'
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
    contents: {
      ...ctx.contents,
      async removeBook(itemId) {
        await deleteItems(ctx, { ids: [id] })
        return ctx.contents.removeBook(itemId)
      },
    },
  })
  await deleteItems(interrupted, { ids: [id] })
  expect(await slotsOf(person)).toMatchObject({ slots: 2, pending: [] })
})
