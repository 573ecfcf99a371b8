import { describe, expect, test } from 'vitest'
import { systemOwner } from '../../../src/books/book.ts'
import { newId } from '../../../src/core/ids.ts'
import { transports, send, type ToolResponse } from '../../support/transports.ts'
import { makeBook } from '../../support/make-book.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { expectRefusal, type ExpectedRefusal } from '../../support/expect-refusal.ts'
import { seedBooks } from '../../support/seed-books.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer(
  await plansEnvironment(
    { tier: 'NONE', manuscriptSlots: 0 },
    { tier: 'TWO', manuscriptSlots: 2 },
    { tier: 'SMALL', itemLimit: 2, manuscriptSlots: 1 },
  ),
)

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const everything = {
  title: 'Whales',
  description: 'What we know',
  audience: 'Sailors',
  topics: ['whales', 'ships'],
  criteria: ['only what was read'],
  trigger: 'after each session',
  instructions: 'Keep it short.',
  autoUpdate: true,
  structure: { parts: [{ 'a.b': 1, $c: null }], __proto__x: 1 },
}

const slotsOf = async ({ id }: Person) => (await server.running.opened.services.accounts.byId(id))?.slots

const occupant = ({ id, title, itemId, status }: Record<string, string>) => ({ id, title, itemId, status })

describe.for(transports)('create_manuscript over %s', ([name, transport]) => {
  const create = (person: Person, input: Record<string, unknown>): Promise<ToolResponse> =>
    transport.call(server, person, 'create_manuscript', input)
  const itemsOf = async (person: Person) =>
    (await transport.call(server, person, 'list_items')).body.items.filter(
      ({ isSystem }: { isSystem: boolean }) => !isSystem,
    )
  const manuscriptsOf = async (person: Person) =>
    (await transport.call(server, person, 'list_manuscripts')).body.manuscripts

  test('creates a manuscript and an empty Markdown book for it', async () => {
    const person = await server.createPerson()
    const { body, status } = await create(person, everything)
    expect(status).toBe(name === 'rest' ? 201 : 200)
    const [item] = await itemsOf(person)
    expect(body).toEqual({
      manuscript: {
        ...everything,
        instructionsBy: { id: person.id, name: person.email.split('@')[0] },
        id: expect.stringMatching(/^[a-z0-9]{26}$/),
        isSystem: false,
        team: false,
        locked: false,
        status: 'ACTIVE',
        itemId: item.id,
        createdAt: instant,
        updatedAt: body.manuscript.createdAt,
      },
    })
    expect(item).toMatchObject({
      title: 'Whales',
      description: 'What we know',
      sourceType: 'markdown',
      status: 'READY',
    })
    expect(await manuscriptsOf(person)).toEqual([body.manuscript])
    expect(await slotsOf(person)).toBe(1)
  })

  test('fields that are not given are null, empty or false', async () => {
    const { body } = await create(await server.createPerson(), { title: '  Whales ' })
    expect(body.manuscript).toMatchObject({
      title: 'Whales',
      description: null,
      audience: null,
      topics: [],
      criteria: [],
      trigger: null,
      instructions: null,
      autoUpdate: false,
      structure: null,
    })
  })

  test("attaches to one of the caller's books without taking a library slot", async () => {
    const person = await server.createPerson()
    const itemId = await makeBook(server, person)
    const { body } = await create(person, { title: 'Whales', itemId })
    expect(body.manuscript).toMatchObject({ itemId, locked: false })
    expect(await itemsOf(person)).toHaveLength(1)
    expect(await slotsOf(person)).toBe(1)
  })

  test('is locked if its book is', async () => {
    const person = await server.createPerson()
    const ids = await seedBooks(server, person, { count: 3 })
    const { services } = server.running.opened
    await services.accounts.change(person.id, { tier: 'SMALL' })
    const { body } = await create(person, { title: 'Whales', itemId: ids[2] })
    expect(body.manuscript.locked).toBe(true)
    await services.accounts.change(person.id, { tier: 'PRO' })
    expect((await manuscriptsOf(person))[0].locked).toBe(false)
  })

  const longest: [string, Record<string, unknown>][] = [
    ['a title of 200 characters', { title: '😀'.repeat(200) }],
    ['a description of 4,000', { description: '😀'.repeat(4000) }],
    ['an audience of 500', { audience: 'é'.repeat(500) }],
    ['50 topics of 200', { topics: Array.from({ length: 50 }, () => 't'.repeat(200)) }],
    ['50 criteria of 500', { criteria: Array.from({ length: 50 }, () => 'c'.repeat(500)) }],
    ['a trigger of 80', { trigger: '😀'.repeat(80) }],
    ['instructions of 16,000', { instructions: 'x'.repeat(16_000) }],
    ['a structure of 16,000 bytes', { structure: { a: 'x'.repeat(16_000 - 8) } }],
    ['a structure of 100 levels', { structure: nested(100) }],
    ['nulls', { description: null, audience: null, trigger: null, instructions: null, structure: null }],
    ['NUL, bidi and tag characters', { instructions: '\u0000\u202e\u{e0041}' }],
  ]
  test.for(longest)('takes %s', async ([, fields]) => {
    const person = await server.createPerson()
    const input = { title: 'T', ...fields }
    expect((await create(person, input)).body.manuscript).toMatchObject(input)
  })

  const invalid = (field: string, says: RegExp): ExpectedRefusal => ({
    status: 400,
    code: 'INVALID_INPUT',
    message: name === 'rest' ? new RegExp(`^${field}`) : says,
    fields: { field },
  })
  test.for<[string, Record<string, unknown>, ExpectedRefusal]>([
    ['no title', { title: undefined }, invalid('title', /title is required/)],
    ['a blank title', { title: ' ' }, invalid('title', /title is required/)],
    ['a title of 201 characters', { title: 'x'.repeat(201) }, invalid('title', /at most 200/)],
    ['a description of 4,001', { description: 'x'.repeat(4001) }, invalid('description', /at most 4000/)],
    ['an audience of 501', { audience: 'x'.repeat(501) }, invalid('audience', /at most 500/)],
    ['topics that are text', { topics: 'a' }, invalid('topics', /must be an array/)],
    ['51 topics', { topics: Array.from({ length: 51 }, () => 't') }, invalid('topics', /at most 50/)],
    ['a topic of 201', { topics: ['a', 'x'.repeat(201)] }, invalid('topics.1', /topics\.1 must be at most 200/)],
    ['a topic that is a number', { topics: [1] }, invalid('topics.0', /must be a string/)],
    ['51 criteria', { criteria: Array.from({ length: 51 }, () => 't') }, invalid('criteria', /at most 50/)],
    ['a criterion of 501', { criteria: ['x'.repeat(501)] }, invalid('criteria.0', /at most 500/)],
    ['a trigger of 81', { trigger: 'x'.repeat(81) }, invalid('trigger', /at most 80/)],
    ['instructions of 16,001', { instructions: 'x'.repeat(16_001) }, invalid('instructions', /at most 16000/)],
    ['a lone surrogate', { instructions: '\udc00' }, invalid('instructions', /well-formed/)],
    ['autoUpdate that is text', { autoUpdate: 'yes' }, invalid('autoUpdate', /must be a boolean/)],
    ['an itemId with other characters', { itemId: 'a-b' }, invalid('itemId', /letters and digits/)],
    ['an itemId of 65', { itemId: 'a'.repeat(65) }, invalid('itemId', /letters and digits/)],
    ['an itemId that is an operator', { itemId: { $ne: '' } }, invalid('itemId', /must be a string/)],
    ['a teamId with other characters', { teamId: '../x' }, invalid('teamId', /letters and digits/)],
    ['a structure that is a list', { structure: [] }, invalid('structure', /must be an object/)],
    ['a structure that is text', { structure: 'x' }, invalid('structure', /must be an object/)],
    [
      'a structure of 16,001 bytes',
      { structure: { a: 'x'.repeat(15_993) } },
      invalid('structure', /at most 16000 bytes/),
    ],
    [
      'a structure of 8,001 times é',
      { structure: { a: 'é'.repeat(8001) } },
      invalid('structure', /at most 16000 bytes/),
    ],
    ['a structure of 101 levels', { structure: nested(101) }, invalid('structure', /not be nested deeper/)],
  ])('refuses %s and leaves nothing behind', async ([, fields, refusal]) => {
    const person = await server.createPerson()
    expectRefusal(await create(person, { title: 'T', ...fields }), name, refusal)
    expect(await itemsOf(person)).toEqual([])
  })

  const notYours: ExpectedRefusal = { status: 404, code: 'ITEM_NOT_FOUND', message: /Item not found or not yours/ }
  test("refuses an unknown book, another account's and a built-in one", async () => {
    const person = await server.createPerson()
    const foreign = await makeBook(server, await server.createPerson())
    const builtIn = await makeBook(server, { id: systemOwner })
    for (const itemId of ['nope', foreign, builtIn]) {
      expectRefusal(await create(person, { title: 'T', itemId }), name, notYours)
    }
    expect(await manuscriptsOf(person)).toEqual([])
  })

  test('refuses a missing book, and a team that the caller is not in', async () => {
    const person = await server.createPerson()
    const says = /You are not a member of team abc123/
    const answer = await create(person, { title: 'T', teamId: 'abc123' })
    expectRefusal(answer, name, { status: 403, code: 'NOT_TEAM_MEMBER', message: says })
    expectRefusal(await create(person, { title: 'T', teamId: 'abc123', itemId: 'nope' }), name, notYours)
    expect(await itemsOf(person)).toEqual([])
  })

  test('refuses a book with an active or paused manuscript, but not with an archived one', async () => {
    const person = await server.createPerson()
    const itemId = await makeBook(server, person)
    const first = (await create(person, { title: 'One', itemId })).body.manuscript
    const conflict: ExpectedRefusal = {
      status: 409,
      code: 'MANUSCRIPT_ITEM_CONFLICT',
      message: /the item already has an active manuscript/i,
      fields: { existingManuscriptId: first.id },
    }
    expectRefusal(await create(person, { title: 'Two', itemId }), name, conflict)
    await transport.call(server, person, 'update_manuscript', { manuscriptId: first.id, status: 'PAUSED' })
    expectRefusal(await create(person, { title: 'Two', itemId }), name, conflict)
    await transport.call(server, person, 'archive_manuscript', { manuscriptId: first.id })
    expect((await create(person, { title: 'Two', itemId })).body.manuscript).toMatchObject({ itemId, status: 'ACTIVE' })
  })

  test('refuses more manuscripts than the plan has slots, names who uses them, and leaves nothing behind', async () => {
    const person = await server.createPerson({ plan: 'TWO' })
    const one = (await create(person, { title: 'One' })).body.manuscript
    const two = (await create(person, { title: 'Two' })).body.manuscript
    const answer = await create(person, { title: 'Three' })
    expectRefusal(answer, name, {
      status: 403,
      code: 'MANUSCRIPT_LIMIT_EXCEEDED',
      message: /"Two" \(\w+\), "One" \(\w+\)/,
      fields: { upgradeUrl: `${server.baseUrl}/plans`, limit: 2, used: 2, occupants: [two, one].map(occupant) },
    })
    if (name === 'mcp') expect(answer.text).toMatch(/^MANUSCRIPT LIMIT REACHED/)
    expect(await itemsOf(person)).toHaveLength(2)
    const account = await server.running.opened.services.accounts.byId(person.id)
    expect(account).toMatchObject({ slots: 2, pending: [] })
    const itemId = await makeBook(server, person)
    expect((await create(person, { title: 'Four', itemId })).body.code).toBe('MANUSCRIPT_LIMIT_EXCEEDED')
  })

  test('a plan without slots refuses the first manuscript', async () => {
    const answer = await create(await server.createPerson({ plan: 'NONE' }), { title: 'T' })
    expect(answer.body).toMatchObject({ code: 'MANUSCRIPT_LIMIT_EXCEEDED', limit: 0, used: 0, occupants: [] })
  })

  test('refuses another one beside 300 archived ones; an archived one can be used again', async () => {
    const person = await server.createPerson({ plan: 'TWO' })
    const itemId = await makeBook(server, person)
    const { manuscript } = (await create(person, { title: 'Old', itemId })).body
    const archive = (manuscriptId: string) => transport.call(server, person, 'archive_manuscript', { manuscriptId })
    await archive(manuscript.id)
    const rows = server.running.opened.database.db.collection<{ _id: string }>('manuscripts')
    const row = await rows.findOne({ _id: manuscript.id })
    await rows.insertMany(Array.from({ length: 298 }, () => ({ ...row, _id: newId() })))
    const last = (await create(person, { title: 'Last', itemId })).body.manuscript
    await archive(last.id)
    const refused = await create(person, { title: 'More', itemId })
    expectRefusal(refused, name, {
      status: 403,
      code: 'MANUSCRIPT_LIMIT_EXCEEDED',
      message: /You have 300 archived manuscripts, such as "Last" \(\w+\), .* and 290 more;/,
      fields: { upgradeUrl: `${server.baseUrl}/plans`, limit: 300, used: 300 },
    })
    expect(refused.body.occupants[0]).toEqual({ id: last.id, title: 'Last', itemId, status: 'ARCHIVED' })
    const change = { manuscriptId: last.id, title: 'More', status: 'ACTIVE' }
    expect((await transport.call(server, person, 'update_manuscript', change)).body.manuscript).toMatchObject({
      title: 'More',
      status: 'ACTIVE',
    })
    await transport.call(server, person, 'update_manuscript', { manuscriptId: last.id, status: 'PAUSED' })
    expect((await create(person, { title: 'Other', itemId: await makeBook(server, person) })).ok).toBe(true)
    await rows.deleteMany({ accountId: person.id, title: 'Old' })
  })

  test('a full library is reported before full slots, and an existing book needs no library slot', async () => {
    const person = await server.createPerson({ plan: 'SMALL' })
    const [itemId] = await seedBooks(server, person, { count: 2 })
    const full: ExpectedRefusal = {
      status: 403,
      code: 'PLAN_LIMIT_EXCEEDED',
      message: /Your library is full/,
      fields: { tier: 'SMALL', itemCount: 2, itemLimit: 2 },
    }
    expectRefusal(await create(person, { title: 'T' }), name, full)
    expect((await create(person, { title: 'T', itemId })).ok).toBe(true)
    expectRefusal(await create(person, { title: 'T' }), name, full)
  })
})

function nested(depth: number): Record<string, unknown> {
  return depth === 1 ? { a: 1 } : { a: nested(depth - 1) }
}

test('one Idempotency-Key creates one manuscript and one book', async () => {
  const { key } = await server.createPerson({ plan: 'TWO' })
  const headers = { 'Idempotency-Key': 'once' }
  const request = { method: 'POST', path: '/api/v1/manuscripts', body: { title: 'T' }, headers }
  const [first, second] = [await send(server, key, request), await send(server, key, request)]
  expect(second.body).toEqual(first.body)
  expect((await send(server, key, { method: 'GET', path: '/api/v1/manuscripts' })).body.manuscripts).toHaveLength(1)
  const { items } = (await send(server, key, { method: 'GET', path: '/api/v1/items' })).body
  expect(items.filter(({ isSystem }: { isSystem: boolean }) => !isSystem)).toHaveLength(1)
})

test('a structure may have the key __proto__', async () => {
  const { key } = await server.createPerson()
  const body = '{"title":"T","structure":{"__proto__":{"a":1}}}'
  const answer = await send(server, key, { method: 'POST', path: '/api/v1/manuscripts', body })
  expect(answer.text).toContain('"structure":{"__proto__":{"a":1}}')
})

test.for<Record<string, string>>([{}, { 'Idempotency-Key': 'deep' }])(
  'a structure of 50,000 levels is refused with the headers %j',
  async (headers) => {
    const { key } = await server.createPerson()
    const body = `{"title":"T","structure":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`
    const answer = await send(server, key, { method: 'POST', path: '/api/v1/manuscripts', body, headers })
    expectRefusal(answer, 'rest', { status: 400, code: 'INVALID_INPUT', message: /nested/ })
  },
)
