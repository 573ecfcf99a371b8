import { describe, expect, test } from 'vitest'
import { systemOwner } from '../../../src/books/book.ts'
import { transports, send } from '../../support/transports.ts'
import { makeBook } from '../../support/make-book.ts'
import { expectRefusal, type ExpectedRefusal } from '../../support/expect-refusal.ts'
import { makeShelf } from '../../support/shelves.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer()

async function scene(books = 2): Promise<{ person: Person; ids: string[] }> {
  const person = await server.createPerson()
  await makeShelf(server, person, 'Sea')
  const ids = []
  for (let i = 0; i < books; i++) ids.push(await makeBook(server, person, { title: `Book ${i}` }))
  return { person, ids }
}

const notFound: ExpectedRefusal = { status: 404, code: 'SHELF_NOT_FOUND', message: /Shelf not found/ }
const tooMany: ExpectedRefusal = {
  status: 413,
  code: 'BATCH_TOO_LARGE',
  message: /Too many items in one request \(max 200\)/,
}

describe.for(transports)('books on shelves over %s', ([name, transport]) => {
  const add = (person: Person, itemIds: unknown, shelf = 'sea') =>
    transport.call(server, person, 'add_to_shelf', { shelf, itemIds })
  const remove = (person: Person, itemIds: unknown, shelf = 'sea') =>
    transport.call(server, person, 'remove_from_shelf', { shelf, itemIds })
  const onShelf = async (person: Person): Promise<string[]> => {
    const { body } = await transport.call(server, person, 'get_shelf', { shelf: 'sea' })
    const ids = body.items.map(({ id }: { id: string }) => id)
    expect(body.shelf.itemCount).toBe(ids.length)
    return ids.sort()
  }

  test('adds books of the caller, and adding them again changes nothing', async () => {
    const { person, ids } = await scene()
    for (const added of [ids, []]) {
      const { body, status } = await add(person, ids)
      expect(status).toBe(name === 'rest' ? 201 : 200)
      expect(body).toEqual({ added, notFound: [] })
      expect(await onShelf(person)).toEqual([...ids].sort())
    }
  })

  test('names those that are newly on the shelf, in the order of the request', async () => {
    const { person, ids } = await scene(3)
    await add(person, [ids[1]])
    expect((await add(person, [ids[2], ids[1], ids[0]])).body).toEqual({ added: [ids[2], ids[0]], notFound: [] })
    await remove(person, [ids[2]])
    expect((await add(person, ids)).body).toEqual({ added: [ids[2]], notFound: [] })
  })

  test('returns 207 when some books are not found, and adds the others', async () => {
    const { person, ids } = await scene(1)
    const foreign = await makeBook(server, await server.createPerson())
    const { body, status } = await add(person, ['nope', ids[0], foreign, ids[0]])
    expect(status).toBe(name === 'rest' ? 207 : 200)
    expect(body).toEqual({ added: [ids[0]], notFound: ['nope', foreign] })
    expect(await onShelf(person)).toEqual(ids)
  })

  test('built-in books can be put on a shelf', async () => {
    const { person } = await scene(0)
    const id = await makeBook(server, { id: systemOwner })
    expect((await add(person, [id])).body).toEqual({ added: [id], notFound: [] })
    expect(await onShelf(person)).toEqual([id])
  })

  test('removes books and counts those that were on the shelf', async () => {
    const { person, ids } = await scene(3)
    await add(person, ids.slice(0, 2))
    const { body, status } = await remove(person, [ids[0], ids[2], 'nope', ids[0]])
    expect(status).toBe(200)
    expect(body).toEqual({ removed: 1 })
    expect((await remove(person, [ids[0]])).body).toEqual({ removed: 0 })
    expect(await onShelf(person)).toEqual([ids[1]])
  })

  test('adds and removes up to 200 ids per call', async () => {
    const { person, ids } = await scene(1)
    const all = [...ids, ...Array.from({ length: 199 }, (_, i) => `missing${i}`)]
    expect((await add(person, all)).body).toMatchObject({ added: ids })
    expect((await remove(person, all)).body).toEqual({ removed: 1 })
    expectRefusal(await add(person, [...all, 'one']), name, tooMany)
    expectRefusal(await remove(person, [...all, 'one']), name, tooMany)
  })

  const required: ExpectedRefusal = {
    status: 400,
    code: 'INVALID_INPUT',
    message: /itemIds must be a non-empty array of strings/,
  }
  test.for<[string, unknown]>([
    ['no ids', undefined],
    ['an empty list', []],
    ['null', null],
    ['a string', 'abc'],
    ['a number among them', ['a', 7]],
    ['an operator among them', [{ $ne: '' }]],
  ])('adding refuses %s', async ([, itemIds]) => {
    expectRefusal(await add((await scene(0)).person, itemIds), name, required)
  })

  test("an unknown shelf and another account's shelf get the same refusal", async () => {
    const { person, ids } = await scene(1)
    const { id } = await makeShelf(server, await server.createPerson(), 'Theirs')
    for (const shelf of ['nowhere', id, 'theirs']) {
      expectRefusal(await add(person, ids, shelf), name, notFound)
      expectRefusal(await remove(person, ids, shelf), name, notFound)
    }
  })

  test('a deleted book leaves its shelves', async () => {
    const { person, ids } = await scene()
    await add(person, ids)
    await transport.call(server, person, 'delete_items', { ids: [ids[0]] })
    expect(await onShelf(person)).toEqual([ids[1]])
    const { db } = server.running.opened.database
    expect(await db.collection('placements').countDocuments({ itemId: ids[0] })).toBe(0)
  })

  test('parallel adds of the same books add each once', async () => {
    const { person, ids } = await scene(5)
    const answers = await Promise.all(Array.from({ length: 10 }, () => add(person, ids)))
    for (const { body } of answers) expect(body.notFound).toEqual([])
    expect(answers.flatMap(({ body }) => body.added).sort()).toEqual([...ids].sort())
    expect(await onShelf(person)).toEqual([...ids].sort())
  })

  test('of parallel removals of one book only one counts it', async () => {
    const { person, ids } = await scene(1)
    await add(person, ids)
    const answers = await Promise.all(Array.from({ length: 8 }, () => remove(person, ids)))
    expect(answers.map(({ body }) => body.removed as number).sort()).toEqual([0, 0, 0, 0, 0, 0, 0, 1])
  })
})

const request = (key: string, query: string, body?: unknown) =>
  send(server, key, { method: 'DELETE', path: `/api/v1/shelves/sea/items${query}`, body })

describe('DELETE /shelves/{id}/items', () => {
  test.for([
    ['no query', ''],
    ['no itemIds', '?ids=a'],
    ['empty itemIds', '?itemIds='],
    ['commas only', '?itemIds=,%20,'],
  ])('refuses %s without a code', async ([, query]) => {
    const answer = await request((await scene(0)).person.key, query as string)
    expectRefusal(answer, 'rest', { status: 400, message: /^itemIds query param is required$/ })
    expect(answer.body).not.toHaveProperty('code')
  })

  test('ignores ids in a body', async () => {
    const { person, ids } = await scene(1)
    expectRefusal(await request(person.key, '', { itemIds: ids }), 'rest', { status: 400, message: /is required/ })
    expect((await request(person.key, `?itemIds=${ids[0]}`, 'no JSON')).body).toEqual({ removed: 0 })
  })

  test('accepts a query of 8,192 characters and refuses a longer one', async () => {
    const { key } = (await scene(0)).person
    const ids = Array.from({ length: 128 }, () => 'x'.repeat(63)).join(',')
    expect(ids).toHaveLength(8191)
    expect((await request(key, `?itemIds=${ids}x`)).body).toEqual({ removed: 0 })
    expectRefusal(await request(key, `?itemIds=${ids}xx`), 'rest', {
      status: 414,
      code: 'BATCH_TOO_LARGE',
      message: /itemIds query string is too long/,
    })
  })

  test('refuses a query that is too long and has too many ids as too long', async () => {
    const { key } = (await scene(0)).person
    expect((await request(key, `?itemIds=${'abc,'.repeat(3000)}`)).status).toBe(414)
  })

  test('ignores blanks around the ids', async () => {
    const { person, ids } = await scene()
    const path = '/api/v1/shelves/sea/items'
    await send(server, person.key, { method: 'POST', path, body: { itemIds: ids } })
    expect((await request(person.key, `?itemIds=%20${ids[0]}%20,${ids[1]}%2C`)).body).toEqual({ removed: 2 })
  })
})

test('the OpenAPI description declares the ids as a query parameter', async () => {
  const { body } = await send(server, null, { method: 'GET', path: '/api/v1/openapi.json' })
  const operation = body.paths['/api/v1/shelves/{id}/items'].delete
  expect(operation).not.toHaveProperty('requestBody')
  expect(operation.parameters).toMatchObject([
    { in: 'path', name: 'id', required: true },
    { in: 'query', name: 'itemIds', required: true, schema: { type: 'string' } },
  ])
  expect(body.paths['/api/v1/shelves/{id}'].delete).not.toHaveProperty('requestBody')
})
