import { describe, expect, test } from 'vitest'
import { systemOwner } from '../../src/books/book.ts'
import { mcp, transports, type ToolResponse } from '../support/transports.ts'
import { makeBook } from '../support/make-book.ts'
import { plansEnvironment } from '../support/plans-environment.ts'
import { readsUsed } from '../support/charge-reads.ts'
import { largestAnswer } from '../support/collect-text.ts'
import { expectRefusal, type ExpectedRefusal } from '../support/expect-refusal.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({
  LECTERN_ROLE: 'web',
  ...(await plansEnvironment({ tier: 'TINY', tierDisplay: 'Tiny', itemLimit: 2 })),
})

/** An account with four books, oldest first, whose plan was then reduced to two. */
async function overLimit(): Promise<{ person: Person; ids: string[] }> {
  const person = await server.createPerson()
  const ids: string[] = []
  for (let i = 0; i < 4; i++) ids.push(await makeBook(server, person, { title: `Book ${i}`, content: `# B${i}` }))
  await server.running.opened.services.accounts.change(person.id, { tier: 'TINY' })
  return { person, ids }
}

const entry = (id: string | undefined, title: string) => ({
  id,
  title,
  code: 'ITEM_LOCKED',
  error: expect.stringMatching(/locked: the Tiny plan keeps 2 books usable.*\/plans.*\/library\/usable/),
  tier: 'TINY',
  itemLimit: 2,
  upgradeUrl: `${server.baseUrl}/plans`,
  pickUrl: `${server.baseUrl}/library/usable`,
})

const allLocked = (): ExpectedRefusal => ({
  status: 403,
  code: 'ITEM_LOCKED',
  message: /keeps 2 books usable.*\/plans.*\/library\/usable/,
  fields: { tier: 'TINY', itemLimit: 2, upgradeUrl: `${server.baseUrl}/plans`, pickUrl: expect.any(String) },
})

describe.for(transports)('locked books over %s', ([name, transport]) => {
  const read = (person: Person, ids: string[]): Promise<ToolResponse> =>
    transport.call(server, person, 'read_items', { items: ids.map((id) => ({ id })) })
  const toc = (person: Person, ids: string[]): Promise<ToolResponse> =>
    transport.call(server, person, 'get_table_of_contents', { ids })

  test.for([
    ['read_items', read],
    ['get_table_of_contents', toc],
  ] as const)('%s returns the oldest books, and lists the locked ones without charging for them', async ([, call]) => {
    const { person, ids } = await overLimit()
    const { body, ok } = await call(person, [...ids, 'nope'])
    expect(ok).toBe(true)
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2))
    expect(body.locked).toEqual([entry(ids[2], 'Book 2'), entry(ids[3], 'Book 3')])
    expect(body.notFound).toEqual(['nope'])
    expect(await readsUsed(server, person)).toBe(2)
  })

  test.for([
    ['read_items', read],
    ['get_table_of_contents', toc],
    [
      'get_item_content',
      (person: Person, [id]: string[]) => transport.call(server, person, 'get_item_content', { id: id as string }),
    ],
  ] as const)('%s is refused if all found books are locked', async ([, call]) => {
    const { person, ids } = await overLimit()
    expectRefusal(await call(person, ids.slice(2)), name, allLocked())
    expectRefusal(await call(person, [ids[3] as string, 'nope']), name, allLocked())
    expect(await readsUsed(server, person)).toBe(0)
  })

  test('a call that finds no book is not refused with ITEM_LOCKED', async () => {
    const { person } = await overLimit()
    const { body, ok } = await read(person, ['nope'])
    expect(ok).toBe(true)
    expect(body).not.toHaveProperty('locked')
  })

  test('the refusal names every locked book', async () => {
    const { person, ids } = await overLimit()
    const { body } = await read(person, ids.slice(2))
    expect(body.locked).toEqual([entry(ids[2], 'Book 2'), entry(ids[3], 'Book 3')])
  })

  test('after deleting a usable book the next oldest one becomes usable', async () => {
    const { person, ids } = await overLimit()
    await transport.call(server, person, 'delete_items', { ids: [ids[0]] })
    const { body } = await read(person, ids.slice(1))
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1, 3))
  })

  test('a larger plan unlocks all books at once', async () => {
    const { person, ids } = await overLimit()
    await server.running.opened.services.accounts.change(person.id, { tier: 'PRO' })
    expect((await read(person, ids)).body.items).toHaveLength(4)
  })

  test('built-in books are never locked', async () => {
    const builtIn = await makeBook(server, { id: systemOwner }, { content: 'text' })
    const { person } = await overLimit()
    expect((await read(person, [builtIn])).body.items).toMatchObject([{ id: builtIn }])
  })

  test('a library over its limit refuses new books', async () => {
    const { person } = await overLimit()
    const answer = await transport.call(server, person, 'create_markdown_item', { title: 'T' })
    expectRefusal(answer, name, {
      status: 403,
      code: 'PLAN_LIMIT_EXCEEDED',
      message: /Your library is full/,
      fields: { tier: 'TINY', itemCount: 4, itemLimit: 2 },
    })
  })
})

test('over MCP the refusal is a text for the user, and an answer with 49 locked books still has room for the usable one', async () => {
  const person = await server.createPerson()
  const book = { title: 't'.repeat(200), content: 'word '.repeat(20_000) }
  const ids = [await makeBook(server, person, book)]
  while (ids.length < 51) ids.push(await makeBook(server, person, book))
  await server.running.opened.services.accounts.change(person.id, { tier: 'TINY' })
  const usable = ((await mcp.call(server, person, 'list_items')).body.items as { id: string; locked?: boolean }[])
    .filter(({ id, locked }) => !locked && ids.includes(id))
    .map(({ id }) => id)
  expect(usable).toHaveLength(2)
  const locked = ids.filter((id) => !usable.includes(id))
  const refused = await mcp.call(server, person, 'read_items', { items: locked.map((id) => ({ id })) })
  expect(refused.text).toMatch(/^SOME BOOKS ARE LOCKED/)
  const items = [usable[0], ...locked].map((id) => ({ id }))
  const mixed = await mcp.call(server, person, 'read_items', { items })
  expect(mixed.body.locked).toHaveLength(49)
  expect(mixed.text).toContain('SOME BOOKS ARE LOCKED')
  expect(largestAnswer([mixed]).characters).toBeLessThanOrEqual(60_000)
})
