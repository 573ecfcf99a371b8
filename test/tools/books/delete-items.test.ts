import { describe, expect, test } from 'vitest'
import { systemOwner } from '../../../src/books/book.ts'
import { mcp, rest, send, transports, type ToolResponse } from '../../support/transports.ts'
import { makeBook } from '../../support/make-book.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { expectRefusal, type ExpectedRefusal } from '../../support/expect-refusal.ts'
import { seedBooks } from '../../support/seed-books.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web', ...(await plansEnvironment({ tier: 'TINY', itemLimit: 1 })) })

describe.for(transports)('delete_items over %s', ([name, transport]) => {
  const remove = (person: Person, ids: unknown): Promise<ToolResponse> =>
    transport.call(server, person, 'delete_items', { ids })
  const count = async (person: Person) => (await transport.call(server, person, 'whoami')).body.ownedCount as number

  test('deletes books of the caller and returns unknown ids in notFound', async () => {
    const person = await server.createPerson()
    const ids = [await makeBook(server, person, { content: 'text' }), await makeBook(server, person)]
    const { body, status } = await remove(person, [ids[1], 'nope', ids[0]])
    expect(status).toBe(200)
    expect(body).toEqual({ deleted: [ids[1], ids[0]], notFound: ['nope'] })
    expect(await count(person)).toBe(0)
    const read = await transport.call(server, person, 'read_items', { items: [{ id: ids[0] }] })
    expect(read.body.notFound).toEqual([ids[0]])
  })

  test('a repeated id is deleted once, and a repeated call finds nothing', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person)
    expect((await remove(person, [id, id])).body).toEqual({ deleted: [id], notFound: [] })
    expect((await remove(person, [id])).body).toEqual({ deleted: [], notFound: [id] })
  })

  test("other accounts' books are reported as not found and stay", async () => {
    const owner = await server.createPerson()
    const id = await makeBook(server, owner)
    expect((await remove(await server.createPerson(), [id])).body).toEqual({ deleted: [], notFound: [id] })
    expect(await count(owner)).toBe(1)
  })

  test('a call that names a built-in book is refused and deletes nothing', async () => {
    const builtIn = await makeBook(server, { id: systemOwner })
    const person = await server.createPerson()
    const own = await makeBook(server, person)
    const says = /System books cannot be deleted/
    expectRefusal(await remove(person, [own, builtIn]), name, { status: 403, code: 'FORBIDDEN', message: says })
    expect(await count(person)).toBe(1)
  })

  test('locked books can be deleted', async () => {
    const person = await server.createPerson()
    const ids = await seedBooks(server, person, { count: 3 })
    await server.running.opened.services.accounts.change(person.id, { tier: 'TINY' })
    expect((await remove(person, ids.slice(1))).body).toEqual({ deleted: ids.slice(1), notFound: [] })
  })

  test('a reservation whose file cannot be removed is deleted and listed in storageErrors', async () => {
    const person = await server.createPerson()
    const upload = { filename: 'a.md', size: 3, contentType: 'text/markdown' }
    const { itemId } = (await rest.call(server, person, 'start_upload', upload)).body
    const ids = [itemId, await makeBook(server, person)]
    const { services } = server.running.opened
    const { files } = services
    services.files = {
      ...files,
      async *list(prefix) {
        if (prefix.includes(ids[0] as string)) throw new Error('the disk is gone')
        yield* files.list(prefix)
      },
    }
    const { body, status } = await remove(person, ids)
    services.files = files
    expect(status).toBe(200)
    expect(body).toEqual({ deleted: ids, notFound: [], storageErrors: [ids[0]] })
    expect(await count(person)).toBe(0)
  })

  test('parallel deletes of one book release one slot', async () => {
    const person = await server.createPerson()
    const [id = ''] = await seedBooks(server, person, { count: 4 })
    await Promise.all(Array.from({ length: 12 }, () => remove(person, [id])))
    const account = await server.running.opened.services.accounts.byId(person.id)
    expect(account).toMatchObject({ slots: 3, pending: [] })
    expect(await count(person)).toBe(3)
  })

  const ownMessages = name === 'rest'
  const required = ownMessages ? /ids array is required/ : /ids/
  const strings = ownMessages ? /ids must be strings/ : /ids\.0 must be a string/
  test.for<[string, unknown, RegExp]>([
    ['no ids', undefined, required],
    ['ids that are null', null, required],
    ['an empty list', [], required],
    ['a string instead of the list', 'abc', required],
    ['an object instead of the list', { $gt: '' }, required],
    ['a number among the ids', [5], strings],
    ['an operator among the ids', [{ $ne: '' }], strings],
  ])('refuses %s', async ([, ids, says]) => {
    const refusal: ExpectedRefusal = { status: 400, code: 'INVALID_INPUT', message: says }
    expectRefusal(await remove(await server.createPerson(), ids), name, refusal)
  })
})

test.for([
  [50, true],
  [51, false],
] as const)('over MCP a call accepts at most 50 ids: %i', async ([length, ok]) => {
  const ids = Array.from({ length }, (_, index) => `id${index}`)
  expect((await mcp.call(server, await server.createPerson(), 'delete_items', { ids })).ok).toBe(ok)
})

test('over REST a call accepts more than 50 ids', async () => {
  const person = await server.createPerson()
  const ids = await seedBooks(server, person, { count: 60 })
  const { body } = await send(server, person.key, { method: 'DELETE', path: '/api/v1/items', body: { ids } })
  expect(body.deleted).toEqual(ids)
})
