import { describe, expect, test } from 'vitest'
import { putItemPage } from '../../../src/writing/put-item-page.ts'
import { rest, transports } from '../../support/transports.ts'
import { makeBook, markdownPages } from '../../support/make-book.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { chargeReads } from '../../support/charge-reads.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { contextOf } from '../../support/context.ts'

const server = useTestServer(await plansEnvironment({ tier: 'TINY', monthlyReadLimit: 3 }))

const edit = async (person: Person, id: string, pageNum: number) => {
  const ctx = await contextOf(server, person)
  await putItemPage(ctx, { id, pageNum, content: `# ${Math.random()}\n` })
}

describe.for(transports)('changesSinceLastRead over %s', ([, transport]) => {
  const read = async (person: Person, id: string) =>
    (await transport.call(server, person, 'read_items', { items: [{ id, pages: '1' }] })).body.items[0].freshness
      .changesSinceLastRead
  const content = async (person: Person, id: string) =>
    (await transport.call(server, person, 'get_item_content', { id })).body.freshness.changesSinceLastRead

  test('is null on the first read and while nothing changes', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: markdownPages(5) })
    expect([await read(person, id), await read(person, id), await content(person, id)]).toEqual([null, null, null])
  })

  test('lists the changed pages once, for every reading call', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: markdownPages(5) })
    const started = new Date().toISOString()
    await read(person, id)
    await edit(person, id, 4)
    await edit(person, id, 2)
    const changes = await content(person, id)
    expect(changes).toEqual({
      fromVersion: 1,
      toVersion: 3,
      changedPages: [2, 4],
      eventCount: 2,
      summary: '2 new versions; changed pages: 2, 4.',
      lastUpdatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      lastReadAt: expect.any(String),
    })
    expect(changes.lastUpdatedAt > changes.lastReadAt).toBe(true)
    expect(changes.lastReadAt >= started).toBe(true)
    expect(await read(person, id)).toBeNull()
    await edit(person, id, 1)
    expect(await read(person, id)).toMatchObject({
      fromVersion: 3,
      toVersion: 4,
      changedPages: [1],
      eventCount: 1,
      summary: '1 new version; changed page: 1.',
    })
  })

  test("follows each reader's own reads, for each book of a batch", async () => {
    const person = await server.createPerson()
    const ids = await Promise.all([1, 2, 3].map(() => makeBook(server, person, { content: markdownPages(3) })))
    const items = ids.map((id) => ({ id }))
    await transport.call(server, person, 'read_items', { items: items.slice(0, 2) })
    for (const id of ids) await edit(person, id, 3)
    const { body } = await transport.call(server, person, 'read_items', { items })
    const changes = body.items.map((item: any) => item.freshness.changesSinceLastRead?.changedPages ?? null)
    expect(changes).toEqual([[3], [3], null])
  })

  test('a refused read is not recorded', async () => {
    const person = await server.createPerson({ plan: 'TINY' })
    const id = await makeBook(server, person, { content: markdownPages(3) })
    await read(person, id)
    await edit(person, id, 2)
    await chargeReads(server, person, 2)
    expect((await transport.call(server, person, 'get_item_content', { id })).ok).toBe(false)
    const { lastReads } = server.running.opened.services
    expect((await lastReads.find(person.id, [{ id, version: Infinity }])).get(id)).toMatchObject({ version: 1 })
  })
})

test('a last read is stored at most once a minute while nothing changes, and removed with the book', async () => {
  const person = await server.createPerson()
  const id = await makeBook(server, person, { content: markdownPages(3) })
  const { services } = server.running.opened
  const lastAt = async () =>
    (await services.lastReads.find(person.id, [{ id, version: Infinity }])).get(id)?.at.getTime()
  await rest.call(server, person, 'get_item_content', { id })
  const first = await lastAt()
  await rest.call(server, person, 'get_item_content', { id })
  expect(await lastAt()).toBe(first)
  await services.lastReads.record(person.id, [{ itemId: id, version: 0 }], new Date(0))
  expect((await services.lastReads.find(person.id, [{ id, version: Infinity }])).get(id)).toMatchObject({ version: 1 })
  await rest.call(server, person, 'delete_items', { ids: [id] })
  expect(await lastAt()).toBeUndefined()
})
