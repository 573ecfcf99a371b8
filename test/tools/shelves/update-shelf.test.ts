import { describe, expect, test } from 'vitest'
import { mcp, rest, transports, type Transport } from '../../support/transports.ts'
import { expectRefusal, type ExpectedRefusal } from '../../support/expect-refusal.ts'
import { makeShelf, shelfSlugs } from '../../support/shelves.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer()

async function personWith(...names: string[]): Promise<Person> {
  const person = await server.createPerson()
  for (const name of names) await makeShelf(server, person, name)
  return person
}

const invalid = (says: RegExp): ExpectedRefusal => ({ status: 400, code: 'INVALID_INPUT', message: says })

describe.for(transports)('update_shelf over %s', ([name, transport]) => {
  const update = (person: Person, shelf: string, change: Record<string, unknown>) =>
    transport.call(server, person, 'update_shelf', { shelf, ...change })

  test('a new name gives a new slug and keeps the id', async () => {
    const person = await personWith('Sea', 'Land')
    const before = await makeShelf(server, person, 'Air')
    const { body, status } = await update(person, 'air', { name: 'Fire & Air' })
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, name: 'Fire & Air', slug: 'fire-air' })
    expect(await shelfSlugs(server, person)).toEqual(['sea', 'land', 'fire-air'])
  })

  test('a new name may keep the slug of the shelf', async () => {
    const person = await personWith('Sea')
    expect((await update(person, 'sea', { name: 'SEA!' })).body).toMatchObject({ name: 'SEA!', slug: 'sea' })
  })

  test('a name whose slug is taken gets a number', async () => {
    const person = await personWith('Sea', 'Land')
    expect((await update(person, 'land', { name: 'Sea?' })).body.slug).toBe('sea-2')
    expect((await update(person, 'sea-2', { name: 'Sea?' })).body.slug).toBe('sea-2')
  })

  test('a colour is set, kept when omitted or invalid, and cleared by null or none', async () => {
    const person = await personWith('Sea')
    const steps = [
      [{ color: '#00ff00' }, '#00ff00'],
      [{ position: 0 }, '#00ff00'],
      [{ color: 'blue' }, '#00ff00'],
      [{ color: name === 'rest' ? null : 'none' }, null],
    ] as const
    for (const [change, color] of steps) expect((await update(person, 'sea', change)).body.color).toBe(color)
  })

  test('an update without fields changes nothing', async () => {
    const person = await personWith('Sea', 'Land')
    const { body, status } = await update(person, 'land', {})
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: 'Land', slug: 'land', color: null, position: 1, itemCount: 0 })
  })

  test.for([
    [0, ['c', 'a', 'b', 'd']],
    [1, ['a', 'c', 'b', 'd']],
    [2, ['a', 'b', 'c', 'd']],
    [3, ['a', 'b', 'd', 'c']],
    [99, ['a', 'b', 'd', 'c']],
  ] as const)('moving the third of four to %i shifts the others', async ([position, order]) => {
    const person = await personWith('a', 'b', 'c', 'd')
    const { body } = await update(person, 'c', { position })
    expect(body.position).toBe(Math.min(position, 3))
    expect(await shelfSlugs(server, person)).toEqual(order)
  })

  test('a shelf is found by its id too, and an id takes precedence over a slug', async () => {
    const person = await personWith('Sea')
    const { id } = await makeShelf(server, person, 'Land')
    const namedLikeId = await makeShelf(server, person, id)
    expect(namedLikeId.slug).toBe(id)
    expect((await update(person, id, { name: 'Meadow' })).body).toMatchObject({ id, slug: 'meadow' })
  })

  test('a decomposed slug finds the shelf', async () => {
    const person = await personWith('Йод')
    expect((await update(person, 'йод'.normalize('NFD'), { color: '#ffffff' })).ok).toBe(true)
  })

  const wrongName = invalid(/Name must be 1-50 characters/)
  const wrongPosition = invalid(/Position must be a non-negative integer/)
  const notFound: ExpectedRefusal = { status: 404, code: 'SHELF_NOT_FOUND', message: /Shelf not found/ }
  const invalidName: ExpectedRefusal = { status: 400, code: 'SHELF_NAME_INVALID', message: /Invalid shelf name/ }
  const taken: ExpectedRefusal = { status: 409, code: 'SHELF_NAME_TAKEN', message: /already exists/ }
  // Over MCP, null and empty texts count as omitted.
  const leftOutOverMcp: [string, string, Record<string, unknown>, ExpectedRefusal][] = [
    ['an empty name', 'sea', { name: '' }, wrongName],
    ['a name that is null', 'sea', { name: null }, wrongName],
    ['a position that is null', 'sea', { position: null }, wrongPosition],
  ]
  test.for<[string, string, Record<string, unknown>, ExpectedRefusal]>([
    ...(name === 'rest' ? leftOutOverMcp : []),
    ['a name of 51 characters', 'sea', { name: 'x'.repeat(51) }, wrongName],
    ['a name without letters', 'sea', { name: '...' }, invalidName],
    ['the name of another shelf', 'sea', { name: 'LAND' }, taken],
    ['a negative position', 'sea', { position: -1 }, wrongPosition],
    ['a fractional position', 'sea', { position: 0.5 }, wrongPosition],
    ['a position that is a string', 'sea', { position: '1' }, wrongPosition],
    ['an unknown shelf', 'nowhere', { name: 'A' }, notFound],
    ['a shelf name with a path traversal', '../sea', { name: 'A' }, notFound],
  ])('refuses %s and changes nothing', async ([, shelf, change, refusal]) => {
    const person = await personWith('Sea', 'Land')
    expectRefusal(await update(person, shelf, change), name, refusal)
    expect(await shelfSlugs(server, person)).toEqual(['sea', 'land'])
  })

  test("another account's shelf is not found", async () => {
    const owner = await personWith()
    const { id } = await makeShelf(server, owner, 'Sea')
    const answer = await update(await server.createPerson(), id, { name: 'Mine' })
    expectRefusal(answer, name, notFound)
    expect(await shelfSlugs(server, owner)).toEqual(['sea'])
  })
})

const attempts: [string, number, Transport][] = [
  ['rest', 40, rest],
  ['mcp', 20, mcp],
]

describe.for(attempts)('parallel shelf changes over %s', ([, parallel, transport]) => {
  test(`${parallel} moves leave no gap and no duplicate position`, async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const person = await personWith(...names)
    const moves = Array.from({ length: parallel }, (_, i) => {
      const shelf = names[i % names.length]
      return transport.call(server, person, 'update_shelf', { shelf, position: (i * 5) % names.length })
    })
    for (const { ok } of await Promise.all(moves)) expect(ok).toBe(true)
    const { body } = await transport.call(server, person, 'list_shelves')
    const shelves = body.shelves as { slug: string; position: number }[]
    expect(shelves.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4, 5])
    expect(shelves.map(({ slug }) => slug).sort()).toEqual(names)
  })

  test('of many renames to one name one succeeds', async () => {
    const names = Array.from({ length: 10 }, (_, i) => `shelf ${i}`)
    const person = await personWith(...names)
    const rename = (shelf: string) => transport.call(server, person, 'update_shelf', { shelf, name: 'One' })
    const answers = await Promise.all((await shelfSlugs(server, person)).map(rename))
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
    const codes = answers.filter(({ ok }) => !ok).map(({ body }) => body.code)
    expect(new Set(codes)).toEqual(new Set(['SHELF_NAME_TAKEN']))
    expect((await shelfSlugs(server, person)).filter((slug) => slug === 'one')).toHaveLength(1)
  })

  test('concurrent moves, creates and deletes keep the list consistent', async () => {
    const person = await personWith('a', 'b', 'c', 'd')
    await Promise.all([
      ...['a', 'b'].map((shelf) => transport.call(server, person, 'delete_shelf', { shelf })),
      ...['x', 'y', 'z'].map((shelf) => transport.call(server, person, 'create_shelf', { name: shelf })),
      ...['c', 'd'].map((shelf) => transport.call(server, person, 'update_shelf', { shelf, position: 0 })),
    ])
    expect((await shelfSlugs(server, person)).sort()).toEqual(['c', 'd', 'x', 'y', 'z'])
  })
})
