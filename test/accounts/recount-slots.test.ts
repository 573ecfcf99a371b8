import { expect, test } from 'vitest'
import { makeBook } from '../support/make-book.ts'
import { librarySlots, publishBook, subscribe } from '../support/marketplace.ts'
import { seedBooks } from '../support/seed-books.ts'
import { rest } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

/** A person with two own books and one of the marketplace, who has one slot too many in use. */
async function personWithDrift() {
  const [person, publisher] = [await server.createPerson(), await server.createPerson()]
  const [itemId = ''] = await seedBooks(server, person, { count: 2 })
  const [added, other] = [await publishBook(server, publisher), await publishBook(server, publisher)]
  await subscribe(server, person, added.listingId)
  const { database, services } = server.running.opened
  const accounts = database.db.collection<{ _id: string }>('accounts')
  await accounts.updateOne({ _id: person.id }, { $set: { slots: 4 } })
  const recount = (count: () => Promise<number>) => services.accounts.recountSlots(person.id, count)
  return { person, itemId, added, other, accounts, recount }
}

test('a recount replaces the number of used slots', async () => {
  const { person, recount } = await personWithDrift()
  expect(await recount(async () => 3)).toBe(true)
  expect(await librarySlots(server, person)).toMatchObject({ slots: 3, own: 2, added: 1 })
})

type Drifted = Awaited<ReturnType<typeof personWithDrift>>

test.for<[what: string, change: (drifted: Drifted) => Promise<unknown>, slots: number]>([
  ['a new book', ({ person }) => makeBook(server, person), 5],
  ['a deletion', ({ person, itemId }) => rest.call(server, person, 'delete_items', { ids: [itemId] }), 3],
  ['a subscription', ({ person, other }) => subscribe(server, person, other.listingId), 5],
  [
    'the end of a subscription',
    ({ person, added }) => rest.call(server, person, 'unsubscribe_marketplace', { listingId: added.listingId }),
    3,
  ],
])('%s during a recount keeps its slot, and the recount changes nothing', async ([, change, slots]) => {
  const drifted = await personWithDrift()
  const wasReplaced = await drifted.recount(async () => {
    await change(drifted)
    return 3
  })
  expect(wasReplaced).toBe(false)
  expect((await librarySlots(server, drifted.person)).slots).toBe(slots)
  // The next one is not disturbed.
  expect(await drifted.recount(async () => slots - 1)).toBe(true)
})

test('a recount is refused while a slot change is pending', async () => {
  const { person, accounts, recount } = await personWithDrift()
  const pending = [{ id: 'c', itemId: 'i', change: 'take', at: new Date() }]
  await accounts.updateOne({ _id: person.id }, { $set: { pending } })
  expect(await recount(async () => 3)).toBe(false)
  await accounts.updateOne({ _id: person.id }, { $set: { pending: [], slots: 3 } })
})
