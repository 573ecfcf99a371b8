import { beforeAll, expect, test } from 'vitest'
import { librarySlots } from '../../../src/admin/doctor/accounts.ts'
import { problemsOf } from '../../../src/admin/doctor/check.ts'
import { listings } from '../../../src/admin/doctor/marketplace.ts'
import { refreshListing } from '../../../src/marketplace/refresh-listing.ts'
import { publishBook, subscribe, type PublishedBook } from '../../support/marketplace.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let publisher: Person

beforeAll(async () => {
  publisher = await server.createPerson()
})

const rows = (name: string) => server.running.opened.database.db.collection<{ _id: string }>(name)
const context = () => ({ db: server.running.opened.database.db, services: server.running.opened.services, deep: false })

/** Changes a row, runs the checks and restores the row. */
async function examineWith(collection: string, _id: string, change: object): Promise<string[]> {
  const row = await rows(collection).findOne({ _id })
  await rows(collection).updateOne({ _id }, change)
  const findings = problemsOf([...(await listings.run(context())), ...(await librarySlots.run(context()))])
  if (row) await rows(collection).replaceOne({ _id }, row, { upsert: true })
  return findings
}

async function listed(): Promise<PublishedBook & { reader: Person; subscription: string }> {
  const published = await publishBook(server, publisher)
  const reader = await server.createPerson()
  await subscribe(server, reader, published.listingId)
  const [held] = await server.running.opened.services.subscriptions.listByAccount(reader.id, null)
  return { ...published, reader, subscription: held?.id ?? '' }
}

test('a consistent marketplace has no findings', async () => {
  await listed()
  expect(await listings.run(context())).toEqual([])
})

test.for([
  [
    'a wrong count',
    (at) => ['listings', at.listingId, { $inc: { subscriberCount: 1 } }],
    /2 subscribers, 1 subscriptions/,
  ],
  [
    'an outdated title',
    (at) => ['listings', at.listingId, { $set: { 'item.title': 'Old' } }],
    /does not match its book/,
  ],
  ['a missing facet', (at) => ['listings', at.listingId, { $set: { facets: [] } }], /does not match its book/],
  [
    'a listing of a book that does not exist',
    (at) => ['listings', at.listingId, { $set: { itemId: 'gone' } }],
    /book gone does not exist/,
  ],
  [
    'a subscription to a book without a listing',
    (at) => ['subscriptions', at.subscription, { $set: { itemId: 'gone' } }],
    /book gone has no listing/,
  ],
  [
    "a subscription to the account's own book",
    (at) => ['subscriptions', at.subscription, { $set: { accountId: publisher.id } }],
    /the subscriber owns the book/,
  ],
  ['one slot too many', (at) => ['accounts', at.reader.id, { $inc: { slots: 1 } }], /2 slots in use, 1 books/],
] as [string, (at: Awaited<ReturnType<typeof listed>>) => [string, string, object], RegExp][])(
  'finds %s',
  async ([, damage, says]) => {
    const findings = await examineWith(...damage(await listed()))
    expect(findings.join('\n')).toMatch(says)
  },
)

test('marked listings and pending changes are not findings', async () => {
  const { listingId, itemId, reader } = await listed()
  const wrong = { $set: { due: 'later', subscriberCount: 9 } }
  expect(await examineWith('listings', listingId, wrong)).toEqual([])
  const pending = { id: 'p', itemId, ownerId: publisher.id, change: 'leave', at: new Date() }
  await rows('accounts').updateOne({ _id: reader.id }, { $push: { pending } })
  expect(await examineWith('listings', listingId, { $set: { subscriberCount: 9 } })).toEqual([])
  await rows('accounts').updateOne({ _id: reader.id }, { $set: { pending: [] } })
})

test('two books featured at the same time are a finding', async () => {
  const books = [await listed(), await listed()]
  const until = new Date(Date.now() + 60_000)
  for (const { itemId } of books) await rows('books').updateOne({ _id: itemId }, { $set: { featuredUntil: until } })
  expect(await listings.run(context())).toEqual(['2 books are featured at the same time'])
  for (const { itemId } of books) await rows('books').updateOne({ _id: itemId }, { $set: { featuredUntil: null } })
})

test('refreshing a listing repairs the finding', async () => {
  const { listingId, itemId } = await listed()
  const wrong = { subscriberCount: 5, words: [], 'item.title': 'Old' }
  await rows('listings').updateOne({ _id: listingId }, { $set: wrong })
  expect(await listings.run(context())).toHaveLength(1)
  await refreshListing(server.running.opened.services, { id: itemId, ownerId: publisher.id })
  expect(await listings.run(context())).toEqual([])
})
