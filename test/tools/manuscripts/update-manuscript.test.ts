import { describe, expect, test } from 'vitest'
import { mcp, send, transports, type ToolResponse } from '../../support/transports.ts'
import { makeBook } from '../../support/make-book.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { expectRefusal, type ExpectedRefusal } from '../../support/expect-refusal.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer(await plansEnvironment({ tier: 'ONE', manuscriptSlots: 1 }))

const notFound: ExpectedRefusal = { status: 404, code: 'NOT_FOUND', message: /Manuscript not found/ }

const nullFields: [string, Record<string, unknown>][] = [
  ['a title that is null', { title: null }],
  ['topics that are null', { topics: null }],
  ['autoUpdate that is null', { autoUpdate: null }],
  ['a status that is null', { status: null }],
  ['an itemId that is null', { itemId: null }],
]

describe.for(transports)('over %s', ([name, transport]) => {
  const create = async (person: Person, input: Record<string, unknown> = {}) =>
    (await transport.call(server, person, 'create_manuscript', { title: 'Whales', ...input })).body.manuscript
  const update = (person: Person, manuscriptId: string, change: Record<string, unknown>): Promise<ToolResponse> =>
    transport.call(server, person, 'update_manuscript', { manuscriptId, ...change })
  const archive = (person: Person, manuscriptId: string) =>
    transport.call(server, person, 'archive_manuscript', { manuscriptId })
  const list = async (person: Person, status?: string) =>
    (await transport.call(server, person, 'list_manuscripts', status ? { status } : {})).body.manuscripts

  test('changes the given fields and keeps the rest', async () => {
    const person = await server.createPerson()
    const before = await create(person, { topics: ['a'], trigger: 'daily', structure: { a: 1 } })
    const change = { title: 'Ships', criteria: ['b'], autoUpdate: true, structure: { b: [2] }, topics: [] }
    const { body, status } = await update(person, before.id, change)
    expect(status).toBe(200)
    expect(body).toEqual({ manuscript: { ...before, ...change, updatedAt: expect.any(String) } })
    expect(body.manuscript.updatedAt >= before.updatedAt).toBe(true)
    expect(await list(person)).toEqual([body.manuscript])
  })

  test('null clears nullable fields, and over MCP an empty string', async () => {
    const person = await server.createPerson()
    const texts = { description: 'a', audience: 'b', trigger: 'c', instructions: 'd' }
    const { id } = await create(person, { ...texts, structure: { e: 1 } })
    const cleared = { description: null, audience: null, trigger: null, instructions: null, structure: null }
    const emptied = { description: '', audience: '', trigger: '', instructions: '', structure: {} }
    const change = name === 'rest' ? cleared : emptied
    const structure = name === 'rest' ? null : {}
    expect((await update(person, id, change)).body.manuscript).toMatchObject({ ...cleared, structure })
  })

  test('an empty update changes only the time', async () => {
    const person = await server.createPerson()
    const before = await create(person)
    const { body } = await update(person, before.id, {})
    expect(body.manuscript).toEqual({ ...before, updatedAt: expect.any(String) })
  })

  test('pausing releases the slot, resuming takes it again', async () => {
    const person = await server.createPerson({ plan: 'ONE' })
    const one = await create(person)
    expect((await update(person, one.id, { status: 'PAUSED' })).body.manuscript.status).toBe('PAUSED')
    const two = await create(person, { title: 'Two' })
    expect(two.status).toBe('ACTIVE')
    const answer = await update(person, one.id, { status: 'ACTIVE' })
    expectRefusal(answer, name, {
      status: 403,
      code: 'MANUSCRIPT_LIMIT_EXCEEDED',
      message: /"Two"/,
      fields: { limit: 1, used: 1, occupants: [{ id: two.id, title: 'Two', itemId: two.itemId, status: 'ACTIVE' }] },
    })
    expect((await update(person, two.id, { status: 'ARCHIVED' })).body.manuscript.status).toBe('ARCHIVED')
    expect((await update(person, one.id, { status: 'ACTIVE' })).body.manuscript.status).toBe('ACTIVE')
    expect((await update(person, one.id, { status: 'ACTIVE', title: 'Again' })).body.manuscript.title).toBe('Again')
  })

  test('a refused update changes nothing', async () => {
    const person = await server.createPerson({ plan: 'ONE' })
    const one = await create(person)
    await update(person, one.id, { status: 'PAUSED' })
    await create(person, { title: 'Two' })
    await update(person, one.id, { status: 'ACTIVE', title: 'Changed' })
    expect((await list(person, 'PAUSED'))[0].title).toBe('Whales')
  })

  test('an archived manuscript can be reactivated while its book has no other manuscript', async () => {
    const person = await server.createPerson()
    const one = await create(person)
    await archive(person, one.id)
    expect((await update(person, one.id, { status: 'PAUSED' })).body.manuscript.status).toBe('PAUSED')
    await archive(person, one.id)
    const two = await create(person, { itemId: one.itemId })
    expectRefusal(await update(person, one.id, { status: 'ACTIVE' }), name, {
      status: 409,
      code: 'MANUSCRIPT_ITEM_CONFLICT',
      message: /already has an active manuscript/,
      fields: { existingManuscriptId: two.id },
    })
  })

  test('moves to another book of the author', async () => {
    const person = await server.createPerson()
    const [one, two] = [await create(person), await create(person)]
    const itemId = await makeBook(server, person)
    expect((await update(person, one.id, { itemId })).body.manuscript.itemId).toBe(itemId)
    expect((await create(person, { itemId: one.itemId })).itemId).toBe(one.itemId)
    const taken = {
      status: 409,
      code: 'MANUSCRIPT_ITEM_CONFLICT',
      message: /already/,
      fields: { existingManuscriptId: one.id },
    }
    expectRefusal(await update(person, two.id, { itemId }), name, taken)
    const foreign = await makeBook(server, await server.createPerson())
    const missing = { status: 404, code: 'ITEM_NOT_FOUND', message: /Item not found or not yours/ }
    expectRefusal(await update(person, two.id, { itemId: foreign }), name, missing)
  })

  test('archiving releases the slot, keeps the book, and is idempotent', async () => {
    const person = await server.createPerson({ plan: 'ONE' })
    const { id, itemId } = await create(person)
    for (let i = 0; i < 2; i++) {
      const { body, status } = await archive(person, id)
      expect(status).toBe(200)
      expect(body).toEqual({ success: true })
    }
    expect(await list(person)).toMatchObject([{ id, status: 'ARCHIVED', itemId }])
    expect((await transport.call(server, person, 'list_items')).body.items).toMatchObject([{ id: itemId }])
    expect((await create(person)).status).toBe('ACTIVE')
  })

  test('deleting a book archives its manuscript, which stays readable and releases its slot', async () => {
    const person = await server.createPerson({ plan: 'ONE' })
    const { id, itemId } = await create(person, { instructions: 'Keep it short.' })
    await transport.call(server, person, 'delete_items', { ids: [itemId] })
    const kept = { id, status: 'ARCHIVED', itemId, instructions: 'Keep it short.', locked: false }
    expect(await list(person)).toMatchObject([kept])
    const missing = { status: 404, code: 'ITEM_NOT_FOUND', message: /Item not found/ }
    expectRefusal(await update(person, id, { status: 'ACTIVE' }), name, missing)
    expect((await update(person, id, { title: 'Still there' })).body.manuscript.title).toBe('Still there')
    const other = await makeBook(server, person)
    const { body } = await update(person, id, { status: 'ACTIVE', itemId: other })
    expect(body.manuscript).toMatchObject({ status: 'ACTIVE', itemId: other })
  })

  test('lists by status, newest first', async () => {
    const person = await server.createPerson()
    const ids = []
    for (const title of ['a', 'b', 'c']) ids.push((await create(person, { title })).id)
    await update(person, ids[1], { status: 'PAUSED' })
    const titles = async (status?: string) => (await list(person, status)).map(({ title }: { title: string }) => title)
    expect(await titles()).toEqual(['c', 'b', 'a'])
    expect(await titles('ACTIVE')).toEqual(['c', 'a'])
    expect(await titles('PAUSED')).toEqual(['b'])
    expect(await titles('ARCHIVED')).toEqual([])
  })

  // Over MCP, null and empty texts count as omitted.
  test.for(['active', 'DONE', ...(name === 'rest' ? [''] : [])])('refuses the status %j', async (status) => {
    const answer = await transport.call(server, await server.createPerson(), 'list_manuscripts', { status })
    const says = /Invalid status; must be one of ACTIVE, PAUSED, ARCHIVED/
    expectRefusal(answer, name, { status: 400, code: 'INVALID_INPUT', message: says })
  })

  test.for<[string, Record<string, unknown>]>([
    ['a blank title', { title: ' ' }],
    ['an unknown status', { status: 'DONE' }],
    ['instructions of 16,001 characters', { instructions: 'x'.repeat(16_001) }],
    ['a structure of 16,001 bytes', { structure: { a: 'x'.repeat(15_993) } }],
    ['an operator', { title: { $set: 1 } }],
    ...(name === 'rest' ? nullFields : []),
  ])('refuses %s without a code', async ([, change]) => {
    const person = await server.createPerson()
    const { id } = await create(person)
    const says = name === 'rest' ? /^Invalid request body/ : /^INVALID_INPUT: \w+/
    expectRefusal(await update(person, id, change), name, { status: 400, mcpCode: 'INVALID_INPUT', message: says })
    expect((await list(person))[0].title).toBe('Whales')
  })

  test('manuscripts of others look missing', async () => {
    const owner = await server.createPerson()
    const { id } = await create(owner)
    const stranger = await server.createPerson()
    for (const unknown of [id, 'nope']) {
      expectRefusal(await update(stranger, unknown, { title: 'Mine' }), name, notFound)
      expectRefusal(await archive(stranger, unknown), name, notFound)
    }
    expect(await list(stranger)).toEqual([])
    expect(await list(owner)).toMatchObject([{ title: 'Whales', status: 'ACTIVE' }])
  })

  test('an unknown team is refused', async () => {
    const person = await server.createPerson()
    const { id } = await create(person)
    const says = /You are not a member of team t1/
    expectRefusal(await update(person, id, { teamId: 't1' }), name, {
      status: 403,
      code: 'NOT_TEAM_MEMBER',
      message: says,
    })
  })
})

test('a PUT with invalid JSON is an invalid body', async () => {
  const { key } = await server.createPerson()
  const answer = await send(server, key, { method: 'PUT', path: '/api/v1/manuscripts/x', body: '{' })
  expectRefusal(answer, 'rest', { status: 400, message: /^Invalid request body/ })
})

test('over MCP fields that exceed the budget are omitted and named, and lists are paginated', async () => {
  const person = await server.createPerson()
  const long = {
    title: 'Long',
    instructions: '長'.repeat(16_000),
    criteria: Array.from({ length: 50 }, () => '長'.repeat(500)),
    structure: { a: 'x'.repeat(15_000) },
  }
  const { body, text } = await mcp.call(server, person, 'create_manuscript', long)
  expect(body.manuscript).toMatchObject({
    title: 'Long',
    instructions: long.instructions,
    omitted: ['structure', 'criteria'],
  })
  expect(text.length).toBeLessThanOrEqual(60_000)
  for (let i = 0; i < 6; i++) {
    const instructions = 'x'.repeat(16_000)
    await mcp.call(server, person, 'create_manuscript', { title: `Short ${i}`, instructions })
  }
  const seen: string[] = []
  for (let cursor: string | undefined; ;) {
    const part = await mcp.call(server, person, 'list_manuscripts', cursor ? { cursor } : {})
    expect(part.text.length).toBeLessThanOrEqual(60_000)
    seen.push(...part.body.manuscripts.map(({ title }: { title: string }) => title))
    cursor = part.body.nextCursor
    if (cursor === undefined) break
  }
  expect(seen).toEqual(['Short 5', 'Short 4', 'Short 3', 'Short 2', 'Short 1', 'Short 0', 'Long'])
  const whole = await send(server, person.key, { method: 'GET', path: '/api/v1/manuscripts' })
  expect(whole.body.manuscripts.at(-1)).toMatchObject(long)
})
