import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { systemOwner } from '../../../src/books/book.ts'
import { sweep } from '../../../src/maintenance/sweep.ts'
import { createLog } from '../../../src/app/log.ts'
import { categories } from '../../../src/marketplace/categories.ts'
import { withdrawListing } from '../../../src/marketplace/withdraw-listing.ts'
import { mcp, rest, send, type ToolResponse } from '../../support/transports.ts'
import { makeBook, markdownPages } from '../../support/make-book.ts'
import { browse, librarySlots, publishBook, subscribe, subscriberCount } from '../../support/marketplace.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { seedBooks } from '../../support/seed-books.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { notifyWithdrawal } from '../../../src/marketplace/notify-withdrawal.ts'
import { contextOf } from '../../support/context.ts'

const server = useTestServer({
  LECTERN_ROLE: 'web',
  ...(await plansEnvironment({ tier: 'SMALL', itemLimit: 1, canPublish: true })),
})
let publisher: Person

beforeAll(async () => {
  publisher = await server.createPerson({ plan: 'PRO' })
})

const call = (person: Person, tool: string, input = {}): Promise<ToolResponse> => rest.call(server, person, tool, input)
const browsed = async (search: string) => (await browse(server, `?search=${search}`)).body.listings
const book = (title: string, owner: Person = publisher) => makeBook(server, owner, { title, content: markdownPages(3) })

describe('publishing', () => {
  test("puts one of the caller's books on the marketplace", async () => {
    const itemId = await book('A Field Guide to Tides')
    const freeUntil = '2999-01-31T12:00:00.000Z'
    const terms = { category: 'science', tags: ['Sea', ' sea ', 'Low water'], proOnly: true, freeUntil }
    const { status, body } = await call(publisher, 'publish_listing', { itemId, ...terms })
    expect(status).toBe(201)
    expect(body).toEqual({
      listing: {
        id: expect.stringMatching(/^[a-z0-9]{26}$/),
        itemId,
        slug: 'a-field-guide-to-tides',
        status: 'LIVE',
        category: 'science',
        proOnly: true,
        freeUntil,
        tags: [
          { name: 'Sea', slug: 'sea' },
          { name: 'Low water', slug: 'low-water' },
        ],
        subscriberCount: 0,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        item: {
          title: 'A Field Guide to Tides',
          description: null,
          author: null,
          sourceType: 'markdown',
          pageCount: 3,
        },
        seller: { name: publisher.email.split('@')[0], imageUrl: null },
      },
    })
    const { itemId: _, status: _status, freeUntil: _free, updatedAt: _at, ...shown } = body.listing
    expect(await browsed('tides')).toEqual([shown])
    const [row] = (await call(publisher, 'list_items')).body.items
    expect(row).toMatchObject({ id: itemId, proOnly: true })
  })

  test('accepts a book without terms and a date without a time', async () => {
    const { body } = await call(publisher, 'publish_listing', { itemId: await book('Bare'), freeUntil: '2999-01-31' })
    expect(body.listing).toMatchObject({
      category: null,
      tags: [],
      proOnly: false,
      freeUntil: '2999-01-31T00:00:00.000Z',
    })
  })

  test('gives every listing its own slug', async () => {
    const slugs = []
    for (const title of ['Same Title', 'same title!', 'Sáme Title', 'Same Title 2', '!!!', '???']) {
      slugs.push((await call(publisher, 'publish_listing', { itemId: await book(title) })).body.listing.slug)
    }
    expect(slugs).toEqual(['same-title', 'same-title-2', 'same-title-3', 'same-title-2-2', 'book', 'book-2'])
  })

  test('in parallel with the same title gives different slugs', async () => {
    const ids = []
    for (let i = 0; i < 6; i++) ids.push(await book('Twins'))
    const answers = await Promise.all(ids.map((itemId) => call(publisher, 'publish_listing', { itemId })))
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 201))
    expect(new Set(answers.map(({ body }) => body.listing.slug)).size).toBe(6)
  })

  test('one book in parallel creates one listing, whose id the refusals give', async () => {
    // A unique title, also when the test is repeated.
    const title = `once-${randomUUID()}`
    const itemId = await book(title)
    const answers = await Promise.all(Array.from({ length: 6 }, () => call(publisher, 'publish_listing', { itemId })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    const made = answers.find(({ ok }) => ok)
    const { id, slug } = made?.body.listing ?? {}
    for (const answer of answers.filter(({ ok }) => !ok)) {
      expectRefusal(answer, 'rest', {
        status: 409,
        code: 'CONFLICT',
        message: /already on the marketplace/,
        fields: { listingId: id, slug },
      })
    }
    expect(await browsed(title)).toHaveLength(1)
  })

  test('happens once per idempotency key', async () => {
    const itemId = await book('Keyed')
    const request = {
      method: 'POST',
      path: '/api/v1/marketplace/listings',
      body: { itemId },
      headers: { 'Idempotency-Key': 'k' },
    }
    const first = await send(server, publisher.key, request)
    const second = await send(server, publisher.key, request)
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body).toEqual(first.body)
  })

  test.for([
    ['no item', { itemId: undefined }, 400, 'INVALID_INPUT', /itemId is required/],
    ['an unknown item', { itemId: 'nope' }, 404, 'NOT_FOUND', /Item not found/],
    ['an unknown category', { category: 'cooking' }, 400, 'INVALID_INPUT', /Invalid `category`/],
    ['11 tags', { tags: Array.from({ length: 11 }, (_, at) => `t${at}`) }, 400, 'INVALID_INPUT', /10 tags at most/],
    ['a tag of 41 characters', { tags: ['x'.repeat(41)] }, 400, 'INVALID_INPUT', /1 to 40 characters/],
    ['a tag of punctuation', { tags: ['!!'] }, 400, 'INVALID_INPUT', /a letter or a digit/],
    ['tags that are not an array', { tags: 'a,b' }, 400, 'INVALID_INPUT', /tags must be an array of strings/],
    ['an invalid date', { freeUntil: 'soon' }, 400, 'INVALID_INPUT', /freeUntil must be an ISO 8601 date/],
    ['proOnly that is not a boolean', { proOnly: 'yes' }, 400, 'INVALID_INPUT', /proOnly must be a boolean/],
  ] as const)('refuses %s', async ([, change, status, code, says]) => {
    const itemId = await book('Refused')
    expectRefusal(await call(publisher, 'publish_listing', { itemId, ...change }), 'rest', {
      status,
      code,
      message: says,
    })
    expect(await browsed('refused')).toEqual([])
  })

  test('names the allowed categories when it refuses one', async () => {
    const itemId = await book('Refused')
    const { body } = await call(publisher, 'publish_listing', { itemId, category: 'cooking' })
    expect(body.allowed).toEqual([...categories])
  })

  test('refuses a plan without publishing, with the upgrade URL', async () => {
    const person = await server.createPerson({ plan: 'FREE' })
    expectRefusal(await call(person, 'publish_listing', { itemId: await book('Mine', person) }), 'rest', {
      status: 403,
      code: 'PUBLISH_NOT_ALLOWED',
      message: /Personal plan does not include publishing.*\/plans/,
      fields: { tier: 'FREE', upgradeUrl: `${server.baseUrl}/plans` },
    })
  })

  test('refuses the books of others, including added and built-in ones', async () => {
    const { itemId, listingId } = await publishBook(server, publisher)
    const person = await server.createPerson()
    const publish = (id: string) => call(person, 'publish_listing', { itemId: id })
    expectRefusal(await publish(itemId), 'rest', { status: 404, code: 'NOT_FOUND', message: /Item not found/ })
    await subscribe(server, person, listingId)
    const builtIn = await makeBook(server, { id: systemOwner }, { content: 'text' })
    for (const id of [itemId, builtIn]) {
      expectRefusal(await publish(id), 'rest', {
        status: 403,
        code: 'FORBIDDEN',
        message: /Only the owner may publish/,
      })
    }
  })

  test.for(['DRAFT', 'PROCESSING', 'FAILED'] as const)('refuses a book that is %s', async (status) => {
    const person = await server.createPerson()
    const itemId = await book('Not ready', person)
    const { books } = server.running.opened.services
    await books.change(person.id, itemId, { set: { status } })
    expectRefusal(await call(person, 'publish_listing', { itemId }), 'rest', {
      status: 409,
      code: 'CONFLICT',
      message: new RegExp(`Only a READY book.*${status}`),
    })
    await books.change(person.id, itemId, { set: { status: 'READY' } })
  })

  test('refuses a locked book', async () => {
    const person = await server.createPerson()
    const ids = await seedBooks(server, person, { count: 2 })
    await server.running.opened.services.accounts.change(person.id, { tier: 'SMALL' })
    const answer = await call(person, 'publish_listing', { itemId: ids[1] })
    expectRefusal(answer, 'rest', { status: 403, code: 'ITEM_LOCKED', message: /locked/ })
  })

  test('is not offered to agents over MCP', async () => {
    const { body } = await mcp.call(server, publisher, 'publish_listing', {})
    expect(JSON.stringify(body)).toMatch(/Unknown tool/)
  })
})

describe('changing a listing', () => {
  test('changes the given fields, and null clears them', async () => {
    const { listingId: id } = await publishBook(server, publisher, {
      title: 'Changing',
      terms: { category: 'science', tags: ['a'] },
    })
    const patch = async (change: object) => (await call(publisher, 'update_listing', { id, ...change })).body.listing
    expect(await patch({})).toMatchObject({
      category: 'science',
      tags: [{ slug: 'a' }],
      proOnly: false,
      freeUntil: null,
    })
    expect(await patch({ category: 'history' })).toMatchObject({ category: 'history', tags: [{ slug: 'a' }] })
    expect(await patch({ tags: [], proOnly: true, freeUntil: '2999-01-01' })).toMatchObject({
      category: 'history',
      tags: [],
      proOnly: true,
      freeUntil: '2999-01-01T00:00:00.000Z',
    })
    expect(await patch({ category: null, freeUntil: null })).toMatchObject({
      category: null,
      freeUntil: null,
      proOnly: true,
    })
    expect((await browse(server, '?proOnly=true&search=changing')).body.total).toBe(1)
    expect((await browse(server, '?category=history&search=changing')).body.total).toBe(0)
  })

  test('concurrently keeps the last value of each field, and browsing agrees', async () => {
    const { listingId: id } = await publishBook(server, publisher, { title: 'Raced' })
    const changes = categories.map((category, at) => ({ category, tags: [`t${at}`], proOnly: at % 2 === 0 }))
    await Promise.all(changes.map((change) => call(publisher, 'update_listing', { id, ...change })))
    const own = (await call(publisher, 'list_listings')).body.listings.find((one: { id: string }) => one.id === id)
    expect(await browsed('raced')).toMatchObject([{ category: own.category, tags: own.tags, proOnly: own.proOnly }])
    const { body } = await browse(server, `?search=raced&category=${own.category}&tag=${own.tags[0].slug}`)
    expect(body.total).toBe(1)
  })

  test.for([
    ['update_listing', { proOnly: true }],
    ['withdraw_listing', {}],
  ] as const)('%s refuses unknown and foreign listings', async ([tool, change]) => {
    const { listingId } = await publishBook(server, publisher)
    for (const id of [listingId, 'nope']) {
      const answer = await call(await server.createPerson(), tool, { id, ...change })
      expectRefusal(answer, 'rest', { status: 404, code: 'NOT_FOUND', message: /Listing not found/ })
    }
  })

  test('refuses an unknown category without changing anything', async () => {
    const { listingId: id } = await publishBook(server, publisher, { terms: { category: 'science' } })
    const answer = await call(publisher, 'update_listing', { id, category: 'cooking', proOnly: true })
    expectRefusal(answer, 'rest', { status: 400, code: 'INVALID_INPUT', message: /Invalid `category`/ })
    const { listing } = (await call(publisher, 'update_listing', { id })).body
    expect(listing).toMatchObject({ category: 'science', proOnly: false })
  })
})

const notices = async (person: Person) =>
  (await call(person, 'list_notifications', { type: 'listing_withdrawn' })).body.notifications

describe('withdrawing', () => {
  test('removes a listing from the marketplace; subscribers keep the book and are notified once', async () => {
    const { listingId, itemId, slug } = await publishBook(server, publisher, { title: 'Ebbing' })
    const readers = [await server.createPerson({ plan: 'FREE' }), await server.createPerson({ plan: 'FREE' })]
    for (const reader of readers) await subscribe(server, reader, listingId)
    const remove = () => call(publisher, 'withdraw_listing', { id: listingId })
    expect((await remove()).body).toEqual({ success: true })
    expect((await remove()).body).toEqual({ success: true })
    expect(await browsed('ebbing')).toEqual([])
    const own = (await call(publisher, 'list_listings')).body.listings
    expect(own[0]).toMatchObject({ id: listingId, status: 'WITHDRAWN', subscriberCount: 2 })
    for (const reader of readers) {
      const read = await call(reader, 'read_items', { items: [{ id: itemId, pages: '10' }] })
      expect(read.body.items[0].pages).toHaveLength(1)
      expect(await notices(reader)).toMatchObject([
        { title: '"Ebbing" is no longer on the marketplace', metadata: { itemId, listingId, slug } },
      ])
    }
    expect(await notices(publisher)).toEqual([])
  })

  test('still allows removing the book from the library', async () => {
    const { listingId } = await publishBook(server, publisher)
    const reader = await server.createPerson()
    await subscribe(server, reader, listingId)
    await call(publisher, 'withdraw_listing', { id: listingId })
    expect((await call(reader, 'unsubscribe_marketplace', { listingId })).status).toBe(200)
    expect(await notices(reader)).toHaveLength(1)
    const again = await call(reader, 'subscribe_marketplace', { listingId })
    expectRefusal(again, 'rest', { status: 404, message: /Listing not found/ })
  })

  test('and publishing again restores the same listing with its subscribers', async () => {
    const published = await publishBook(server, publisher, { title: 'Flowing', terms: { category: 'science' } })
    const { listingId, itemId } = published
    const reader = await server.createPerson()
    await subscribe(server, reader, listingId)
    await call(publisher, 'withdraw_listing', { id: listingId })
    const { status, body } = await call(publisher, 'publish_listing', { itemId, category: 'history' })
    expect(status).toBe(201)
    expect(body.listing).toMatchObject({ id: listingId, slug: published.slug, status: 'LIVE', category: 'history' })
    expect(await browsed('flowing')).toMatchObject([{ id: listingId, subscriberCount: 1 }])
    await call(publisher, 'withdraw_listing', { id: listingId })
    expect((await call(publisher, 'list_listings')).body.listings[0]).toMatchObject({
      id: listingId,
      status: 'WITHDRAWN',
    })
  })

  test('again on the same day notifies nobody again, and on the next day it does', async () => {
    const { listingId, itemId } = await publishBook(server, publisher)
    const reader = await server.createPerson()
    await subscribe(server, reader, listingId)
    for (let round = 0; round < 3; round++) {
      await call(publisher, 'withdraw_listing', { id: listingId })
      await call(publisher, 'publish_listing', { itemId })
    }
    const withdrawals = new Set(
      (await notices(reader)).map(({ createdAt }: { createdAt: string }) => createdAt.slice(0, 10)),
    )
    expect(await notices(reader)).toHaveLength(withdrawals.size)
    const ctx = await contextOf(server, publisher)
    const listing = await ctx.listings.byId(listingId)
    const tomorrow = new Date(ctx.now().getTime() + 24 * 60 * 60 * 1000)
    await notifyWithdrawal(ctx, { ...listing!, withdrawnAt: tomorrow })
    expect(await notices(reader)).toHaveLength(withdrawals.size + 1)
  })

  test('is announced by the sweep if the process dies before', async () => {
    const { listingId } = await publishBook(server, publisher, { title: 'Cut off' })
    const readers = [await server.createPerson(), await server.createPerson()]
    for (const reader of readers) await subscribe(server, reader, listingId)
    const ended = new Error('killed')
    const ctx = await contextOf(server, publisher)
    let told = 0
    const notifications: typeof ctx.notifications = {
      ...ctx.notifications,
      async add(notification) {
        if (told++ > 0) throw ended
        await ctx.notifications.add(notification)
      },
    }
    await expect(withdrawListing({ ...ctx, notifications }, { id: listingId })).rejects.toBe(ended)
    const { services } = server.running.opened
    await sweep({ ...services, now: () => new Date(Date.now() + 10 * 60_000), log: createLog('silent') })
    for (const reader of readers) expect(await notices(reader)).toHaveLength(1)
    expect(await browsed('cut+off')).toEqual([])
  })
})

describe('deleting a published book', () => {
  test('removes its listing, and the book from all libraries and shelves', async () => {
    const published = await publishBook(server, publisher, { title: 'Sinking' })
    const { listingId, itemId } = published
    const readers = [await server.createPerson(), await server.createPerson()]
    for (const reader of readers) {
      await subscribe(server, reader, listingId)
      await call(reader, 'create_shelf', { name: 'Sea' })
      await call(reader, 'add_to_shelf', { shelf: 'sea', itemIds: [itemId] })
    }
    expect(await subscriberCount(server, published)).toBe(2)
    await call(publisher, 'delete_items', { ids: [itemId] })
    expect(await browsed('sinking')).toEqual([])
    const own = (await call(publisher, 'list_listings')).body.listings
    expect(own.map(({ id }: { id: string }) => id)).not.toContain(listingId)
    for (const reader of readers) {
      expect(await librarySlots(server, reader)).toEqual({ slots: 0, pending: [], own: 0, added: 0 })
      expect((await call(reader, 'list_shelves')).body.shelves).toMatchObject([{ itemCount: 0 }])
      const left = (await call(reader, 'list_items')).body.items
      expect(left.map(({ id }: { id: string }) => id)).not.toContain(itemId)
    }
  })
})
