import { beforeAll, describe, expect, test } from 'vitest'
import { mcp, rest, transports } from '../../support/transports.ts'
import { librarySlots, publishBook, subscribe, subscriberCount, type PublishedBook } from '../../support/marketplace.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { seedBooks } from '../../support/seed-books.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { createTeamClient } from '../../support/team-client.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let publisher: Person
let listing: PublishedBook

beforeAll(async () => {
  publisher = await server.createPerson()
  listing = await publishBook(server, publisher, { title: 'Whales' })
})

describe.for(transports)('over %s', ([name, transport]) => {
  const add = (person: Person, listingId: string) =>
    transport.call(server, person, 'subscribe_marketplace', { listingId })
  const remove = (person: Person, listingId: string) =>
    transport.call(server, person, 'unsubscribe_marketplace', { listingId })

  test('a book is added, takes a slot, is listed as subscribed, and releases its slot when removed', async () => {
    const reader = await server.createPerson({ plan: 'FREE' })
    const before = await subscriberCount(server, listing)
    const answer = await add(reader, listing.listingId)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ success: true, itemId: listing.itemId })
    expect(await librarySlots(server, reader)).toEqual({ slots: 1, pending: [], own: 0, added: 1 })
    expect(await subscriberCount(server, listing)).toBe((before ?? 0) + 1)
    const { items } = (await transport.call(server, reader, 'list_items')).body
    expect(items).toMatchObject([{ id: listing.itemId, title: 'Whales', isSubscribed: true, proOnly: false }])
    expect((await transport.call(server, reader, 'whoami')).body).toMatchObject({ itemCount: 1, subscribedCount: 1 })
    const gone = await remove(reader, listing.listingId)
    expect(gone.status).toBe(200)
    expect(gone.body).toEqual({ success: true })
    expect(await librarySlots(server, reader)).toEqual({ slots: 0, pending: [], own: 0, added: 0 })
    expect(await subscriberCount(server, listing)).toBe(before)
    expect((await transport.call(server, reader, 'list_items')).body.items).toEqual([])
  })

  test('an added book can be read and searched', async () => {
    const reader = await server.createPerson({ plan: 'FREE' })
    await add(reader, listing.listingId)
    const read = await transport.call(server, reader, 'read_items', { items: [{ id: listing.itemId, pages: '9' }] })
    expect(read.body.items).toMatchObject([{ proRestricted: false, pages: [{ pageNum: 9 }] }])
    const found = await transport.call(server, reader, 'search_items', { query: 'whales' })
    expect(found.body.items).toMatchObject([{ id: listing.itemId }])
  })

  test("removing a book takes it off the reader's shelves, not off those of others", async () => {
    const [reader, other] = [await server.createPerson(), await server.createPerson()]
    for (const person of [reader, other]) {
      await add(person, listing.listingId)
      await transport.call(server, person, 'create_shelf', { name: 'Sea' })
      await transport.call(server, person, 'add_to_shelf', { shelf: 'sea', itemIds: [listing.itemId] })
    }
    await remove(reader, listing.listingId)
    expect((await transport.call(server, reader, 'list_shelves')).body.shelves).toMatchObject([{ itemCount: 0 }])
    expect((await transport.call(server, other, 'list_shelves')).body.shelves).toMatchObject([{ itemCount: 1 }])
  })

  test('a removed book can be added again', async () => {
    const reader = await server.createPerson()
    await add(reader, listing.listingId)
    await remove(reader, listing.listingId)
    expect((await add(reader, listing.listingId)).body).toEqual({ success: true, itemId: listing.itemId })
    expect(await librarySlots(server, reader)).toMatchObject({ slots: 1, added: 1 })
  })

  test('a full library refuses another book', async () => {
    const reader = await server.createPerson({ plan: 'FREE' })
    await seedBooks(server, reader, { count: 20 })
    expectRefusal(await add(reader, listing.listingId), name, {
      status: 403,
      code: 'PLAN_LIMIT_EXCEEDED',
      message: /Your library is full\. Upgrade to add more items\./,
      fields: { tier: 'FREE', itemCount: 20, itemLimit: 20, upgradeUrl: `${server.baseUrl}/plans` },
    })
    expect(await librarySlots(server, reader)).toEqual({ slots: 20, pending: [], own: 20, added: 0 })
  })

  test.for([
    ['no listing id', {}, 400, undefined, 'INVALID_INPUT', /listingId is required/],
    ['an empty listing id', { listingId: '' }, 400, undefined, 'INVALID_INPUT', /listingId is required/],
    ['a listing id of 65 characters', { listingId: 'x'.repeat(65) }, 400, undefined, 'INVALID_INPUT', /at most 64/],
    ['an unknown listing', { listingId: 'nope' }, 404, undefined, 'NOT_FOUND', /Listing not found/],
  ] as const)('adding refuses %s', async ([, input, status, code, mcpCode, says]) => {
    const answer = await transport.call(server, await server.createPerson(), 'subscribe_marketplace', input)
    expectRefusal(answer, name, { status, code, mcpCode, message: says })
  })

  test("adding refuses a book id, one's own listing and a withdrawn one", async () => {
    const reader = await server.createPerson()
    const missing = { status: 404, mcpCode: 'NOT_FOUND', message: /Listing not found/ }
    expectRefusal(await add(reader, listing.itemId), name, missing)
    const says = /Cannot subscribe to your own listing/
    expectRefusal(await add(publisher, listing.listingId), name, {
      status: 400,
      mcpCode: 'INVALID_INPUT',
      message: says,
    })
    const { listingId } = await publishBook(server, publisher)
    await rest.call(server, publisher, 'withdraw_listing', { id: listingId })
    expectRefusal(await add(reader, listingId), name, missing)
  })

  test('removing refuses a book that was not added', async () => {
    const reader = await server.createPerson()
    const refusal = { status: 404, code: 'NOT_FOUND', message: /No subscription found for this listing/ }
    expectRefusal(await remove(reader, listing.listingId), name, refusal)
    expectRefusal(await remove(reader, 'nope'), name, refusal)
    await add(reader, listing.listingId)
    await remove(reader, listing.listingId)
    expectRefusal(await remove(reader, listing.listingId), name, refusal)
  })
})

test('over REST a repeat is refused and names the book; over MCP it returns the same result', async () => {
  const reader = await server.createPerson()
  const input = { listingId: listing.listingId }
  await subscribe(server, reader, listing.listingId)
  expectRefusal(await rest.call(server, reader, 'subscribe_marketplace', input), 'rest', {
    status: 409,
    code: 'CONFLICT',
    message: /Already subscribed to this listing/,
    fields: { itemId: listing.itemId },
  })
  const again = await mcp.call(server, reader, 'subscribe_marketplace', input)
  expect(again.body).toEqual({ success: true, itemId: listing.itemId, alreadySubscribed: true })
  expect(await librarySlots(server, reader)).toMatchObject({ slots: 1, added: 1 })
})

test('a full library still reports that a book was added already', async () => {
  const reader = await server.createPerson({ plan: 'FREE' })
  await seedBooks(server, reader, { count: 19 })
  await subscribe(server, reader, listing.listingId)
  const again = await rest.call(server, reader, 'subscribe_marketplace', { listingId: listing.listingId })
  expect(again).toMatchObject({ status: 409, body: { code: 'CONFLICT', itemId: listing.itemId } })
})

test('adding counts against the rate limit of library writes, removing does not', async () => {
  const reader = await server.createPerson()
  const added = await rest.call(server, reader, 'subscribe_marketplace', { listingId: listing.listingId })
  expect(added.headers.get('ratelimit-limit')).toBe('120')
  const removed = await rest.call(server, reader, 'unsubscribe_marketplace', { listingId: listing.listingId })
  expect(removed.headers.get('ratelimit-limit')).toBeNull()
})

test('a book shared by a team stays in the library and on shelves after it is removed', async () => {
  const reader = await server.createPerson()
  const { itemId, listingId } = await publishBook(server, publisher)
  await subscribe(server, reader, listingId)
  await rest.call(server, reader, 'create_shelf', { name: 'Sea' })
  await rest.call(server, reader, 'add_to_shelf', { shelf: 'sea', itemIds: [itemId] })
  const desk = createTeamClient(server)
  const teamId = await desk.createTeam(publisher)
  await desk.addMember(teamId, reader)
  await desk.shareItem(teamId, publisher, itemId)
  await rest.call(server, reader, 'unsubscribe_marketplace', { listingId })
  expect(await librarySlots(server, reader)).toMatchObject({ slots: 0, added: 0 })
  expect((await rest.call(server, reader, 'list_shelves')).body.shelves).toMatchObject([{ itemCount: 1 }])
  const { items } = (await rest.call(server, reader, 'list_items')).body
  expect(items).toMatchObject([{ id: itemId, isSubscribed: false }])
})

test('a Pro book that a team shares is read in full on every plan', async () => {
  const reader = await server.createPerson({ plan: 'FREE' })
  const { itemId, listingId } = await publishBook(server, publisher, { terms: { proOnly: true } })
  await subscribe(server, reader, listingId)
  const pages = async () =>
    (await rest.call(server, reader, 'read_items', { items: [{ id: itemId }] })).body.items[0].pages
  expect(await pages()).toHaveLength(2)
  const desk = createTeamClient(server)
  const teamId = await desk.createTeam(publisher)
  await desk.addMember(teamId, reader)
  await desk.shareItem(teamId, publisher, itemId)
  expect(await pages()).toHaveLength(10)
})
