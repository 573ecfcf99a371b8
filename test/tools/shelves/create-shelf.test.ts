import { describe, expect, test } from 'vitest'
import { mcp, rest, send, transports, type ToolResponse } from '../../support/transports.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { expectRefusal, type ExpectedRefusal } from '../../support/expect-refusal.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer(await plansEnvironment({ tier: 'TWO', shelfLimit: 2 }, { tier: 'NONE', shelfLimit: 0 }))

describe.for(transports)('create_shelf over %s', ([name, transport]) => {
  const create = (person: Person, input: Record<string, unknown>): Promise<ToolResponse> =>
    transport.call(server, person, 'create_shelf', input)

  test('returns 201 with the fields of the contract', async () => {
    const person = await server.createPerson()
    const { body, status } = await create(person, { name: '  Science Fiction ', color: '#12aBef' })
    expect(status).toBe(name === 'rest' ? 201 : 200)
    expect(body).toEqual({
      id: expect.stringMatching(/^[a-z0-9]{26}$/),
      name: 'Science Fiction',
      slug: 'science-fiction',
      color: '#12aBef',
      position: 0,
      itemCount: 0,
    })
  })

  test('adds each new shelf at the end', async () => {
    const person = await server.createPerson()
    for (const [position, shelf] of ['c', 'a', 'b'].entries()) {
      expect((await create(person, { name: shelf })).body.position).toBe(position)
    }
    const { body } = await transport.call(server, person, 'list_shelves')
    expect(body.shelves.map(({ slug }: { slug: string }) => slug)).toEqual(['c', 'a', 'b'])
  })

  test('a slug that is taken gets a number', async () => {
    const person = await server.createPerson()
    const slugs = []
    for (const shelf of ['Sea', 'Sea!', 'Séa?', 'sea-2']) slugs.push((await create(person, { name: shelf })).body.slug)
    expect(slugs).toEqual(['sea', 'sea-2', 'sea-3', 'sea-2-2'])
  })

  test.for([
    ['no colour', undefined],
    ['a colour name', 'red'],
    ['a short colour', '#fff'],
    ['a colour with alpha', '#11223344'],
    ['null', null],
    ['a number', 0x112233],
    ['an object', { $gt: '' }],
  ] as const)('%s leaves the shelf without colour', async ([, color]) => {
    const { body, ok } = await create(await server.createPerson(), { name: 'A', color })
    expect(ok).toBe(true)
    expect(body.color).toBeNull()
  })

  test.for([
    ['50 characters', 'x'.repeat(50)],
    ['50 characters outside the basic plane', '𝔛'.repeat(50)],
    ['a name in another script', '日本語の本'],
    ['one letter', 'z'],
    ['an operator', '$where'],
  ] as const)('accepts %s', async ([, shelf]) => {
    expect((await create(await server.createPerson(), { name: shelf })).body.name).toBe(shelf)
  })

  const invalid: ExpectedRefusal = {
    status: 400,
    code: 'INVALID_INPUT',
    message: /Name is required and must be 50 characters or less/,
  }
  const withoutLetters: ExpectedRefusal = { status: 400, code: 'SHELF_NAME_INVALID', message: /Invalid shelf name/ }
  test.for<[string, unknown, ExpectedRefusal]>([
    ['no name', undefined, invalid],
    ['null', null, invalid],
    ['an empty name', '', invalid],
    ['a blank name', ' \n\t', invalid],
    ['51 characters', 'x'.repeat(51), invalid],
    ['a number', 7, invalid],
    ['an object', { $ne: '' }, invalid],
    ['a lone surrogate', 'a\ud800', invalid],
    ['punctuation only', '!?', withoutLetters],
    ['an emoji only', '😀', withoutLetters],
  ])('refuses %s', async ([, shelf, refusal]) => {
    const person = await server.createPerson()
    expectRefusal(await create(person, { name: shelf }), name, refusal)
    expect((await transport.call(server, person, 'list_shelves')).body).toEqual({ shelves: [] })
  })

  test.for([
    ['the same name', 'Sea', 'Sea'],
    ['another case', 'Sea', 'SEA'],
    ['another form of Unicode', 'Café', 'cafe\u0301'],
    ['a letter whose upper case is two letters', 'Straße', 'STRASSE'],
    ['blanks around', 'Sea', ' sea '],
  ] as const)('refuses %s as taken', async ([, first, second]) => {
    const person = await server.createPerson()
    await create(person, { name: first })
    const says = /A shelf with this name already exists/
    expectRefusal(await create(person, { name: second }), name, {
      status: 409,
      code: 'SHELF_NAME_TAKEN',
      message: says,
    })
  })

  test('accounts may use the same names', async () => {
    await create(await server.createPerson(), { name: 'Sea' })
    expect((await create(await server.createPerson(), { name: 'Sea' })).body.slug).toBe('sea')
  })

  test.for([
    ['TWO', 2],
    ['NONE', 0],
  ] as const)('refuses one shelf more than the plan %s has', async ([plan, limit]) => {
    const person = await server.createPerson({ plan })
    for (let i = 0; i < limit; i++) await create(person, { name: `shelf ${i}` })
    expectRefusal(await create(person, { name: 'too many' }), name, {
      status: 403,
      code: 'SHELF_LIMIT_EXCEEDED',
      message: /Shelf limit reached/,
      fields: { limit, tier: plan, upgradeUrl: `${server.baseUrl}/plans` },
    })
  })

  test('a taken name is refused before the limit is checked', async () => {
    const person = await server.createPerson({ plan: 'TWO' })
    await create(person, { name: 'a' })
    await create(person, { name: 'b' })
    expect((await create(person, { name: 'A' })).body.code).toBe('SHELF_NAME_TAKEN')
  })

  test('a deleted shelf frees its place in the limit and its name', async () => {
    const person = await server.createPerson({ plan: 'TWO' })
    await create(person, { name: 'a' })
    await create(person, { name: 'b' })
    await transport.call(server, person, 'delete_shelf', { shelf: 'a' })
    expect((await create(person, { name: 'A' })).body).toMatchObject({ slug: 'a', position: 1 })
  })
})

test('two calls with the same Idempotency-Key create one shelf', async () => {
  const { key } = await server.createPerson()
  const request = {
    method: 'POST',
    path: '/api/v1/shelves',
    body: { name: 'Sea' },
    headers: { 'Idempotency-Key': 'k' },
  }
  const [first, second] = [await send(server, key, request), await send(server, key, request)]
  expect(second.body).toEqual(first.body)
  expect((await send(server, key, { method: 'GET', path: '/api/v1/shelves' })).body.shelves).toHaveLength(1)
})

test('over MCP unknown fields are refused, over REST they are ignored', async () => {
  const person = await server.createPerson()
  expect((await mcp.call(server, person, 'create_shelf', { name: 'a', icon: 'x' })).text).toMatch(/icon: unknown field/)
  expect((await rest.call(server, person, 'create_shelf', { name: 'a', icon: 'x' })).status).toBe(201)
})
