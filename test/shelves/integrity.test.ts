import { describe, expect, test } from 'vitest'
import { runChecks } from '../../src/admin/doctor/run-checks.ts'
import { deleteItems } from '../../src/books/delete-items.ts'
import type { Context } from '../../src/app/context.ts'
import { sweep } from '../../src/maintenance/sweep.ts'
import { createLog } from '../../src/app/log.ts'
import { createShelf } from '../../src/shelves/create-shelf.ts'
import { deleteShelf } from '../../src/shelves/delete-shelf.ts'
import { addToShelf } from '../../src/shelves/shelve-books.ts'
import { makeBook } from '../support/make-book.ts'
import { contextOf } from '../support/context.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const rows = (name: string) => server.running.opened.database.db.collection<{ _id: string }>(name)
const placementsOf = ({ id }: Person) => server.running.opened.services.placements.list(id)

async function createShelfOwner() {
  const person = await server.createPerson()
  const ctx = await contextOf(server, person)
  const { id: shelf } = await createShelf(ctx, { name: 'Sea' })
  return { person, ctx, shelf, itemId: await makeBook(server, person) }
}

/** Returns a context in which `happens` runs right before placements are stored. */
function interrupted(ctx: Context, happens: () => Promise<unknown>): Context {
  return {
    ...ctx,
    placements: {
      ...ctx.placements,
      async add(...placements) {
        await happens()
        return ctx.placements.add(...placements)
      },
    },
  }
}

async function finding(check: string): Promise<string | undefined> {
  const { services, database } = server.running.opened
  const { checks } = await runChecks({ db: database.db, services, deep: false })
  return checks.find(({ name, ok }) => name === check && !ok)?.detail
}

function sweepLater(): Promise<void> {
  const later = new Date(Date.now() + 10 * 60_000)
  return sweep({ ...server.running.opened.services, now: () => later, log: createLog('silent') })
}

test('adding a book that is deleted in the meantime reports it as not found and leaves no placement', async () => {
  const { person, ctx, shelf, itemId } = await createShelfOwner()
  const other = await makeBook(server, person)
  const call = interrupted(ctx, () => deleteItems(ctx, { ids: [itemId] }))
  expect(await addToShelf(call, { shelf, itemIds: [itemId, other] })).toEqual({ added: [other], notFound: [itemId] })
  expect(await placementsOf(person)).toEqual([{ shelfId: shelf, itemId: other }])
})

test('the sweep empties a shelf that was deleted while books were added', async () => {
  const { person, ctx, shelf, itemId } = await createShelfOwner()
  await addToShelf(
    interrupted(ctx, () => deleteShelf(ctx, { shelf })),
    { shelf, itemIds: [itemId] },
  )
  expect(await placementsOf(person)).toHaveLength(1)
  expect(await finding('shelves')).toBeUndefined()
  await sweepLater()
  expect(await placementsOf(person)).toEqual([])
  expect(await rows('shelves').findOne({ _id: person.id })).toMatchObject({ shelves: [], removing: [] })
})

test('the sweep completes a shelf deletion interrupted by a crash', async () => {
  const { person, ctx, shelf, itemId } = await createShelfOwner()
  await addToShelf(ctx, { shelf, itemIds: [itemId] })
  const crash = new Error('crash')
  const crashing = { ...ctx, placements: { ...ctx.placements, clear: () => Promise.reject(crash) } }
  await expect(deleteShelf(crashing, { shelf })).rejects.toThrow(crash)
  expect(await ctx.shelves.list(person.id)).toEqual([])
  await sweepLater()
  expect(await placementsOf(person)).toEqual([])
})

describe('lectern doctor', () => {
  test.for([
    ['two shelves with one slug', /two shelves share a slug/, { id: 'b', name: 'Other', slug: 'sea' }],
    ['two shelves with one name', /two shelves share a name/, { id: 'b', name: 'SEA', slug: 'other' }],
  ] as const)('finds %s', async ([, says, duplicate]) => {
    const { person } = await createShelfOwner()
    await rows('shelves').updateOne({ _id: person.id }, { $push: { shelves: duplicate } })
    expect(await finding('shelves')).toMatch(says)
    await rows('shelves').updateOne({ _id: person.id }, { $pull: { shelves: { id: 'b' } } })
  })

  test.for([
    ['a placement on a shelf that does not exist', /shelf gone does not exist/, { shelfId: 'gone' }],
    ['a placement of a book that does not exist', /book gone does not exist/, { itemId: 'gone' }],
    ['a placement of an account that does not exist', /placements: account gone does not exist/, { accountId: 'gone' }],
  ] as const)('finds %s', async ([, says, change]) => {
    const { person, shelf, itemId } = await createShelfOwner()
    const row = { _id: 'damage', accountId: person.id, shelfId: shelf, itemId, ...change }
    await rows('placements').insertOne(row)
    expect(`${await finding('shelves')} ${await finding('owners')}`).toMatch(says)
    await rows('placements').deleteOne({ _id: 'damage' })
  })
})
