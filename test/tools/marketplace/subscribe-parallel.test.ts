import { beforeAll, describe, expect, test } from 'vitest'
import { sweep } from '../../../src/maintenance/sweep.ts'
import { createLog } from '../../../src/app/log.ts'
import { changedContext } from '../../support/changed-context.ts'
import { contextOf } from '../../support/context.ts'
import { subscribeMarketplace } from '../../../src/marketplace/subscribe-marketplace.ts'
import { unsubscribeMarketplace } from '../../../src/marketplace/unsubscribe-marketplace.ts'
import { rest } from '../../support/transports.ts'
import { librarySlots, publishBook, subscribe, subscriberCount } from '../../support/marketplace.ts'
import { seedBooks } from '../../support/seed-books.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let publisher: Person

beforeAll(async () => {
  publisher = await server.createPerson()
})

const add = (person: Person, listingId: string) => rest.call(server, person, 'subscribe_marketplace', { listingId })
const remove = (person: Person, listingId: string) =>
  rest.call(server, person, 'unsubscribe_marketplace', { listingId })

const ended = new Error('killed')

/** Returns a context in which a step of the call fails, as in a process that dies. */
async function dyingContext(person: Person, store: 'subscriptions' | 'subscriptionSlots' | 'listings', method: string) {
  const ctx = await contextOf(server, person)
  const dead = () => Promise.reject(ended)
  return changedContext(ctx, { [store]: { ...ctx[store], [method]: dead } })
}

async function sweepLater(): Promise<void> {
  const { services } = server.running.opened
  await sweep({ ...services, now: () => new Date(Date.now() + 10 * 60_000), log: createLog('silent') })
}

describe('parallel calls', () => {
  test('with one free slot and 12 different books add one book', async () => {
    const reader = await server.createPerson({ plan: 'FREE' })
    await seedBooks(server, reader, { count: 19 })
    const listings = []
    for (let i = 0; i < 12; i++) listings.push(await publishBook(server, publisher))
    const answers = await Promise.all(listings.map(({ listingId }) => add(reader, listingId)))
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
    expect(new Set(answers.filter(({ ok }) => !ok).map(({ body }) => body.code))).toEqual(
      new Set(['PLAN_LIMIT_EXCEEDED']),
    )
    expect(await librarySlots(server, reader)).toEqual({ slots: 20, pending: [], own: 19, added: 1 })
    const counts = await Promise.all(listings.map((listing) => subscriberCount(server, listing)))
    expect(counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)).toBe(1)
  })

  test('adding the same book 12 times in one account add it once and report the repeats', async () => {
    const listing = await publishBook(server, publisher)
    const reader = await server.createPerson()
    const answers = await Promise.all(Array.from({ length: 12 }, () => add(reader, listing.listingId)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(11)
    expect(await librarySlots(server, reader)).toEqual({ slots: 1, pending: [], own: 0, added: 1 })
    expect(await subscriberCount(server, listing)).toBe(1)
  })

  test('removing the same book 12 times in one account remove it once', async () => {
    const listing = await publishBook(server, publisher)
    const reader = await server.createPerson()
    await subscribe(server, reader, listing.listingId)
    const answers = await Promise.all(Array.from({ length: 12 }, () => remove(reader, listing.listingId)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(11)
    expect(await librarySlots(server, reader)).toEqual({ slots: 0, pending: [], own: 0, added: 0 })
  })

  test('adding and removing in 20 accounts leave every count right', async () => {
    const listing = await publishBook(server, publisher)
    const readers = await Promise.all(Array.from({ length: 20 }, () => server.createPerson()))
    const waves = readers.flatMap((reader) =>
      [add, remove, add, remove, add].map((act) => act(reader, listing.listingId)),
    )
    const answers = await Promise.all(waves)
    for (const { status } of answers) expect([200, 404, 409]).toContain(status)
    let added = 0
    for (const reader of readers) {
      const library = await librarySlots(server, reader)
      expect(library).toMatchObject({ slots: library.added, pending: [] })
      added += library.added
    }
    expect(await subscriberCount(server, listing)).toBe(added)
  })

  test('adding a book while it is deleted leave it in no library', async () => {
    const listing = await publishBook(server, publisher)
    const readers = await Promise.all(Array.from({ length: 16 }, () => server.createPerson()))
    await Promise.all(readers.slice(0, 6).map((reader) => add(reader, listing.listingId)))
    await Promise.all([
      ...readers.slice(6).map((reader) => add(reader, listing.listingId)),
      rest.call(server, publisher, 'delete_items', { ids: [listing.itemId] }),
    ])
    for (const reader of readers) {
      expect(await librarySlots(server, reader)).toEqual({ slots: 0, pending: [], own: 0, added: 0 })
    }
  })
})

describe('a process that dies', () => {
  test.for([
    ['before the subscription is stored', 'subscriptions', 'add', 0],
    ['before the listing is refreshed', 'listings', 'markStale', 1],
    ['before the pending change is cleared', 'subscriptionSlots', 'clearPending', 1],
  ] as const)('%s, while adding: the sweep completes the change', async ([, store, method, added]) => {
    const listing = await publishBook(server, publisher)
    const reader = await server.createPerson()
    const ctx = await dyingContext(reader, store, method)
    await expect(subscribeMarketplace(ctx, { listingId: listing.listingId })).rejects.toBe(ended)
    expect(await librarySlots(server, reader)).toMatchObject({ slots: 1, added, pending: [{ change: 'subscribe' }] })
    await sweepLater()
    expect(await librarySlots(server, reader)).toEqual({ slots: added, pending: [], own: 0, added })
    expect(await subscriberCount(server, listing)).toBe(added)
  })

  test.for([
    ['before the end is committed', 'subscriptionSlots', 'commitToEnd'],
    ['before the subscription is removed', 'subscriptions', 'remove'],
    ['before the listing is refreshed', 'listings', 'markStale'],
    ['before the slot is released', 'subscriptionSlots', 'release'],
  ] as const)('%s, while removing: the sweep completes the change', async ([, store, method]) => {
    const listing = await publishBook(server, publisher)
    const reader = await server.createPerson()
    await subscribe(server, reader, listing.listingId)
    const ctx = await dyingContext(reader, store, method)
    await expect(unsubscribeMarketplace(ctx, { listingId: listing.listingId })).rejects.toBe(ended)
    expect(await librarySlots(server, reader)).toMatchObject({ slots: 1 })
    await sweepLater()
    expect(await librarySlots(server, reader)).toEqual({ slots: 0, pending: [], own: 0, added: 0 })
    expect(await subscriberCount(server, listing)).toBe(0)
  })

  test('while adding: the next call completes the change, without the sweep', async () => {
    const listing = await publishBook(server, publisher)
    const reader = await server.createPerson()
    const ctx = await dyingContext(reader, 'subscriptions', 'add')
    await expect(subscribeMarketplace(ctx, { listingId: listing.listingId })).rejects.toBe(ended)
    expect((await add(reader, listing.listingId)).status).toBe(200)
    expect(await librarySlots(server, reader)).toEqual({ slots: 1, pending: [], own: 0, added: 1 })
  })

  test('while removing: the next call completes the change, without the sweep', async () => {
    const listing = await publishBook(server, publisher)
    const reader = await server.createPerson()
    await subscribe(server, reader, listing.listingId)
    const ctx = await dyingContext(reader, 'subscriptionSlots', 'release')
    await expect(unsubscribeMarketplace(ctx, { listingId: listing.listingId })).rejects.toBe(ended)
    expect((await add(reader, listing.listingId)).status).toBe(200)
    expect(await librarySlots(server, reader)).toEqual({ slots: 1, pending: [], own: 0, added: 1 })
  })

  test('an end that is marked after another call has completed it releases no second slot', async () => {
    const listing = await publishBook(server, publisher)
    const reader = await server.createPerson()
    const other = await publishBook(server, publisher)
    await subscribe(server, reader, listing.listingId)
    await subscribe(server, reader, other.listingId)
    const ctx = await contextOf(server, reader)
    const overtaken = {
      ...ctx,
      subscriptionSlots: {
        ...ctx.subscriptionSlots,
        async markEnding(...announced: Parameters<typeof ctx.subscriptionSlots.markEnding>) {
          await unsubscribeMarketplace(ctx, { listingId: listing.listingId })
          return ctx.subscriptionSlots.markEnding(...announced)
        },
      },
    }
    await expect(unsubscribeMarketplace(overtaken, { listingId: listing.listingId })).rejects.toThrow(/No subscription/)
    expect(await librarySlots(server, reader)).toEqual({ slots: 1, pending: [], own: 0, added: 1 })
  })

  test('while a book is deleted: the sweep completes the deletion', async () => {
    const listing = await publishBook(server, publisher)
    const readers = await Promise.all(Array.from({ length: 3 }, () => server.createPerson()))
    for (const reader of readers) await subscribe(server, reader, listing.listingId)
    const { deleteItems } = await import('../../../src/books/delete-items.ts')
    const ctx = await dyingContext(publisher, 'subscriptionSlots', 'release')
    await expect(deleteItems(ctx, { ids: [listing.itemId] })).rejects.toBe(ended)
    await sweepLater()
    for (const reader of readers)
      expect(await librarySlots(server, reader)).toMatchObject({ slots: 0, added: 0, pending: [] })
  })
})

test('control: without marking the change, a call that dies leaves a slot that nobody owns', async () => {
  const listing = await publishBook(server, publisher)
  const reader = await server.createPerson()
  await subscribe(server, reader, listing.listingId)
  const { services, database } = server.running.opened
  const [held] = await services.subscriptions.listByAccount(reader.id, null)
  await services.subscriptions.remove(reader.id, held?.id ?? '')
  await sweepLater()
  expect(await librarySlots(server, reader)).toMatchObject({ slots: 1, added: 0 })
  await database.db.collection<{ _id: string }>('accounts').updateOne({ _id: reader.id }, { $set: { slots: 0 } })
  await services.listings.change(publisher.id, listing.listingId, { set: {} })
  await sweepLater()
})
