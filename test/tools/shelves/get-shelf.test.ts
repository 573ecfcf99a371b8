import { Collection } from 'mongodb'
import { describe, expect, test, vi } from 'vitest'
import { transports, send, sendMcp } from '../../support/transports.ts'
import { makeBook, markdownPages } from '../../support/make-book.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { readsUsed } from '../../support/charge-reads.ts'
import { expectRefusal, type ExpectedRefusal } from '../../support/expect-refusal.ts'
import { seedBooks } from '../../support/seed-books.ts'
import { contextOf } from '../../support/context.ts'
import { makeShelf } from '../../support/shelves.ts'
import { addToShelf } from '../../../src/shelves/shelve-books.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web', ...(await plansEnvironment({ tier: 'TINY', itemLimit: 2 })) })

const notFound: ExpectedRefusal = { status: 404, code: 'SHELF_NOT_FOUND', message: /Shelf not found/ }

async function shelve(person: Person, shelf: string, itemIds: string[]): Promise<void> {
  const ctx = await contextOf(server, person)
  for (let at = 0; at < itemIds.length; at += 200) {
    await addToShelf(ctx, { shelf, itemIds: itemIds.slice(at, at + 200) })
  }
}

const slugsOf = (item: { shelves: { slug: string }[] }) => item.shelves.map(({ slug }) => slug)

describe.for(transports)('shelf reads over %s', ([name, transport]) => {
  const items = async (person: Person, input = {}) => (await transport.call(server, person, 'list_items', input)).body

  test('get_shelf returns a shelf with its books as list items, newest first', async () => {
    const person = await server.createPerson()
    const ids = []
    for (let i = 0; i < 3; i++)
      ids.push(await makeBook(server, person, { title: `Book ${i}`, content: markdownPages(i + 1) }))
    const shelf = await makeShelf(server, person, 'Sea')
    await shelve(person, 'sea', [ids[0], ids[2]] as string[])
    const { body, status } = await transport.call(server, person, 'get_shelf', { shelf: 'sea' })
    expect(status).toBe(200)
    const all = (await items(person)).items as { id: string }[]
    expect(body).toEqual({
      shelf: { ...shelf, itemCount: 2 },
      items: [all[0], all[2]],
      enrichmentQueue: null,
    })
    expect(body.items[0].shelves).toEqual([{ id: shelf.id, slug: 'sea', name: 'Sea' }])
    expect(await readsUsed(server, person)).toBe(0)
  })

  test('list_items accepts a shelf by slug and by id', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person)
    await makeBook(server, person)
    const shelf = await makeShelf(server, person, 'Ünïcode')
    await shelve(person, shelf.id, [id])
    for (const ref of ['unicode', shelf.id]) {
      const body = await items(person, { shelf: ref })
      expect(body).toMatchObject({ items: [{ id }], enrichmentQueue: null })
      expect(body).not.toHaveProperty('pickUrl')
    }
    const foreign = await items(await server.createPerson(), { shelf: shelf.id })
    const note = `No shelf is called "${shelf.id}". You have no shelves.`
    expect(foreign).toEqual({ items: [], enrichmentQueue: [], ...(name === 'mcp' ? { note } : {}) })
  })

  test('an empty shelf gives an empty list', async () => {
    const person = await server.createPerson()
    await makeShelf(server, person, 'Empty')
    expect(await items(person, { shelf: 'empty' })).toEqual({ items: [], enrichmentQueue: null })
  })

  test('every item lists its shelves in display order, in every list', async () => {
    const person = await server.createPerson()
    const ids = [await makeBook(server, person), await makeBook(server, person)]
    const shelves = []
    for (const shelf of ['c', 'a', 'b']) shelves.push(await makeShelf(server, person, shelf))
    await shelve(person, 'b', ids)
    await shelve(person, 'c', [ids[0] as string])
    const listed = (await items(person)).items
    expect(listed.map(slugsOf)).toEqual([['b'], ['c', 'b']])
    expect((await items(person, { shelf: 'b' })).items).toEqual(listed)
    await transport.call(server, person, 'update_shelf', { shelf: 'b', position: 0, name: 'Z' })
    expect((await items(person)).items.map(slugsOf)).toEqual([['z'], ['z', 'c']])
  })

  test('pickUrl is present only when a book on the shelf is locked', async () => {
    const person = await server.createPerson()
    const ids = await seedBooks(server, person, { count: 4 })
    await makeShelf(server, person, 'usable')
    await makeShelf(server, person, 'locked')
    await shelve(person, 'usable', ids.slice(0, 2))
    await shelve(person, 'locked', ids.slice(1))
    await server.running.opened.services.accounts.change(person.id, { tier: 'TINY' })
    const pickUrl = `${server.baseUrl}/library/usable`
    const get = async (shelf: string) => (await transport.call(server, person, 'get_shelf', { shelf })).body
    expect(await get('usable')).not.toHaveProperty('pickUrl')
    expect(await get('locked')).toMatchObject({ pickUrl })
    expect(await items(person, { shelf: 'usable' })).not.toHaveProperty('pickUrl')
    expect((await get('locked')).items.map(({ locked }: { locked: boolean }) => locked)).toEqual([true, true, false])
  })

  test('a deleted shelf leaves its books in the library', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person)
    await makeShelf(server, person, 'Sea')
    await makeShelf(server, person, 'Land')
    await shelve(person, 'sea', [id])
    const { body, status } = await transport.call(server, person, 'delete_shelf', { shelf: 'sea' })
    expect(status).toBe(200)
    expect(body).toEqual({ success: true })
    expect((await items(person)).items).toMatchObject([{ id, shelves: [] }])
    expect((await transport.call(server, person, 'list_shelves')).body.shelves).toMatchObject([
      { slug: 'land', position: 0, itemCount: 0 },
    ])
    expectRefusal(await transport.call(server, person, 'delete_shelf', { shelf: 'sea' }), name, notFound)
    expectRefusal(await transport.call(server, person, 'get_shelf', { shelf: 'sea' }), name, notFound)
  })

  test('a new shelf with the name of a deleted one is empty', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person)
    await makeShelf(server, person, 'Sea')
    await shelve(person, 'sea', [id])
    await transport.call(server, person, 'delete_shelf', { shelf: 'sea' })
    await makeShelf(server, person, 'Sea')
    expect((await transport.call(server, person, 'get_shelf', { shelf: 'sea' })).body.items).toEqual([])
  })

  test("other accounts' shelves cannot be read or deleted", async () => {
    const owner = await server.createPerson()
    const { id } = await makeShelf(server, owner, 'Sea')
    const stranger = await server.createPerson()
    for (const tool of ['get_shelf', 'delete_shelf']) {
      expectRefusal(await transport.call(server, stranger, tool, { shelf: id }), name, notFound)
    }
    expect((await transport.call(server, stranger, 'list_shelves')).body).toEqual({ shelves: [] })
    expect((await transport.call(server, owner, 'list_shelves')).body.shelves).toHaveLength(1)
  })
})

async function mcp(person: Person, tool: string, input: Record<string, unknown> = {}) {
  const params = { name: tool, arguments: input }
  return (await sendMcp(server, person.key, { method: 'tools/call', params })).body.result
}

test('over MCP a large shelf is returned in parts that together are complete', async () => {
  const person = await server.createPerson()
  const ids = await seedBooks(server, person, { count: 1200, book: () => ({ title: 'A title '.repeat(20) }) })
  await makeShelf(server, person, 'Sea')
  await shelve(person, 'sea', ids)
  const seen: string[] = []
  for (let cursor: string | undefined; ;) {
    const { content, structuredContent } = await mcp(person, 'get_shelf', { shelf: 'sea', cursor })
    expect(content[0].text.length).toBeLessThanOrEqual(60_000)
    expect(structuredContent).toMatchObject({ total: 1200, enrichmentQueue: null, shelf: { itemCount: 1200 } })
    seen.push(...structuredContent.items.map(({ id }: { id: string }) => id))
    cursor = structuredContent.nextCursor
    if (cursor === undefined) break
  }
  expect(seen).toEqual([...ids].reverse())
  const whole = await send(server, person.key, { method: 'GET', path: '/api/v1/shelves/sea' })
  expect(whole.body.items).toHaveLength(1200)
})

test('over MCP 1,000 shelves are returned in parts, and the summary lists the first ones in under 8 kB', async () => {
  const person = await server.createPerson()
  const shelves = Array.from({ length: 1000 }, (_, i) => {
    const name = `${'長'.repeat(40)} ${i}`
    return { id: `id${i}`, name, slug: name.replace(' ', '-'), color: null, createdAt: new Date() }
  })
  await server.running.opened.services.shelves.change(person.id, () => shelves, new Date())
  const seen: string[] = []
  for (let cursor: string | undefined; ;) {
    const { content, structuredContent } = await mcp(person, 'list_shelves', { cursor })
    expect(content[0].text.length).toBeLessThanOrEqual(60_000)
    seen.push(...structuredContent.shelves.map(({ id }: { id: string }) => id))
    cursor = structuredContent.nextCursor
    if (cursor === undefined) break
  }
  expect(seen).toEqual(shelves.map(({ id }) => id))
  expect((await send(server, person.key, { method: 'GET', path: '/api/v1/shelves' })).body.shelves).toHaveLength(1000)
  await seedBooks(server, person, {
    count: 30,
    book: () => ({ title: '長'.repeat(200), author: '長'.repeat(200), health: 'empty' }),
  })
  const { content, structuredContent } = await mcp(person, 'library_summary')
  expect(Buffer.byteLength(content[0].text)).toBeLessThan(8000)
  expect(structuredContent.shelfCount).toBe(1000)
  expect(structuredContent.shelves.length).toBeGreaterThan(3)
})

test('the summary counts the books on each shelf', async () => {
  const person = await server.createPerson()
  const ids = await seedBooks(server, person, { count: 3 })
  await makeShelf(server, person, 'Sea')
  await makeShelf(server, person, 'Land')
  await shelve(person, 'land', ids)
  expect((await mcp(person, 'library_summary')).structuredContent).toMatchObject({
    shelfCount: 2,
    shelves: [
      { name: 'Sea', slug: 'sea', itemCount: 0 },
      { name: 'Land', slug: 'land', itemCount: 3 },
    ],
  })
})

test('a list of many books needs as many shelf queries as a list of one', async () => {
  const person = await server.createPerson()
  const [first, ...others] = await seedBooks(server, person, { count: 50 })
  await makeShelf(server, person, 'Sea')
  await shelve(person, 'sea', [first as string])
  const spies = [vi.spyOn(Collection.prototype, 'find'), vi.spyOn(Collection.prototype, 'findOne')]
  const queries = async () => {
    for (const spy of spies) spy.mockClear()
    await send(server, person.key, { method: 'GET', path: '/api/v1/shelves/sea' })
    const asked = spies.flatMap(({ mock }) => mock.contexts.map((self) => (self as Collection).collectionName))
    return asked.filter((name) => name === 'shelves' || name === 'placements').length
  }
  const before = await queries()
  await shelve(person, 'sea', others)
  expect(await queries()).toBe(before)
  expect(before).toBeGreaterThan(1)
  for (const spy of spies) spy.mockRestore()
})
