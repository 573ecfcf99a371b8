import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createAccountContext } from '../../src/admin/commands/account-context.ts'
import type { Context } from '../../src/app/context.ts'
import { startUpload } from '../../src/imports/start-upload.ts'
import { createMarkdownItem } from '../../src/writing/create-markdown-item.ts'
import { createLog } from '../../src/app/log.ts'
import { mcp, rest, send, type ToolResponse } from '../support/transports.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { seedBooks } from '../support/seed-books.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { countOwnedBooks } from '../support/count-books.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

type Create = (person: Pick<Person, 'key'>, key: unknown, input: Record<string, unknown>) => Promise<ToolResponse>

/** Sends the key as a header over REST, as an argument over MCP. */
const creates: ['rest' | 'mcp', Create][] = [
  [
    'rest',
    (person, key, body) =>
      send(server, person.key, {
        method: 'POST',
        path: '/api/v1/items/markdown',
        body,
        headers: { 'Idempotency-Key': String(key) },
      }),
  ],
  [
    'mcp',
    (person, idempotencyKey, input) =>
      mcp.call(server, person, 'create_markdown_item', {
        ...input,
        idempotencyKey,
      }),
  ],
]

const countBooks = ({ id }: Person) => countOwnedBooks(server.running.opened.services.books, id)

describe.for(creates)('an idempotency key over %s', ([name, create]) => {
  test('a repeated key returns the first response and creates one book', async () => {
    const person = await server.createPerson()
    const first = await create(person, 'k1', { title: 'T', content: 'text' })
    const second = await create(person, 'k1', { title: 'T', content: 'text' })
    expect(first.ok).toBe(true)
    expect(second.status).toBe(first.status)
    expect(second.body).toEqual(first.body)
    expect(await countBooks(person)).toBe(1)
  })

  test('the key of another request is refused', async () => {
    const person = await server.createPerson()
    await create(person, 'k1', { title: 'T' })
    for (const input of [{ title: 'U' }, { title: 'T', content: 'text' }, {}]) {
      const says = /used with another request/
      expectRefusal(await create(person, 'k1', input), name, {
        status: 422,
        code: 'IDEMPOTENCY_KEY_REUSED',
        message: says,
      })
    }
    expect(await countBooks(person)).toBe(1)
  })

  test('a key belongs to its account', async () => {
    const [a, b] = [await server.createPerson(), await server.createPerson()]
    const first = await create(a, 'shared', { title: 'A' })
    const second = await create(b, 'shared', { title: 'B' })
    expect(second.body).toMatchObject({ title: 'B' })
    expect(second.body.id).not.toBe(first.body.id)
  })

  test('the key of a refused request can be used again', async () => {
    const person = await server.createPerson({ plan: 'FREE' })
    const ids = await seedBooks(server, person, { count: 20 })
    expect((await create(person, 'k1', { title: 'T' })).body.code).toBe('PLAN_LIMIT_EXCEEDED')
    await rest.call(server, person, 'delete_items', { ids: [ids[0]] })
    expect((await create(person, 'k1', { title: 'T' })).ok).toBe(true)
    expect(await countBooks(person)).toBe(20)
  })

  test('concurrent repeats create one book; early ones are told to retry', async () => {
    const person = await server.createPerson()
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(person, 'k1', { title: 'T' })))
    const made = answers.filter(({ ok }) => ok)
    expect(made.length).toBeGreaterThan(0)
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1)
    for (const answer of answers.filter(({ ok }) => !ok)) {
      const fields = { retryAfterSeconds: 1 }
      expectRefusal(answer, name, { status: 503, code: 'TRANSIENT_CONFLICT', message: /still running/, fields })
      if (name === 'rest') expect(answer.headers.get('retry-after')).toBe('1')
    }
    expect(await countBooks(person)).toBe(1)
  })

  test.for(['', ' ', 'a b', 'x'.repeat(256), 'é'])('the key %j is refused, or left out if empty', async (key) => {
    const person = await server.createPerson()
    if (name === 'rest' && key.trim() === '') return
    const answer = await create(person, key, { title: 'T' })
    if (key === '') {
      // An empty key counts as absent, because models also fill arguments that they do not use.
      expect(answer.ok).toBe(true)
      return
    }
    expectRefusal(answer, name, { status: 400, code: 'INVALID_INPUT', message: /idempotency key must be 1 to 255/ })
    expect(await countBooks(person)).toBe(0)
  })

  test('a key of 255 characters is accepted', async () => {
    expect((await create(await server.createPerson(), '~'.repeat(255), { title: 'T' })).ok).toBe(true)
  })
})

test('calls that do not create ignore the header, whatever its value', async () => {
  const { key } = await server.createPerson()
  const headers = { 'Idempotency-Key': 'not a key' }
  expect((await send(server, key, { method: 'GET', path: '/api/v1/items', headers })).status).toBe(200)
  const body = { ids: ['nope'] }
  expect((await send(server, key, { method: 'DELETE', path: '/api/v1/items', body, headers })).status).toBe(200)
})

test('over MCP the key must be a string, and only tools that create have it', async () => {
  const person = await server.createPerson()
  const made = await mcp.call(server, person, 'create_markdown_item', { title: 'T', idempotencyKey: 5 })
  expect(made.body.code).toBe('INVALID_INPUT')
  const listed = await mcp.call(server, person, 'list_items', { idempotencyKey: 'k' })
  expect(listed.text).toContain('idempotencyKey: unknown field')
})

async function contextOf(person: Person, idempotencyKey: string) {
  const { services } = server.running.opened
  const account = await services.accounts.byId(person.id)
  if (!account) throw new Error('no account')
  return { ...createAccountContext({ services, log: createLog('silent') }, account), idempotencyKey }
}

describe('after a crash', () => {
  test('a repeat after a crash after the write finds the created book', async () => {
    const person = await server.createPerson()
    const ctx = await contextOf(person, 'k1')
    const call = { name: 'create_markdown_item', raw: { title: 'T' } }
    let made = ''
    const crash = ctx.idempotency.runOnce(ctx, call, async (once) => {
      made = (await createMarkdownItem(once, { title: 'T' })).id
      throw new Error('the process died here')
    })
    await expect(crash).rejects.toThrow('died')
    const [, create] = creates[0] as (typeof creates)[0]
    expect((await create(person, 'k1', { title: 'T' })).body.id).toBe(made)
    expect(await countBooks(person)).toBe(1)
  })

  test('a repeat after a crash before the write creates the book once the lock expires', async () => {
    const person = await server.createPerson()
    const ctx = await contextOf(person, 'k1')
    const rows = ctx.idempotency
    const call = { name: 'create_markdown_item', raw: { title: 'T' } }
    void rows.runOnce(ctx, call, () => new Promise(() => {}))
    const [, create] = creates[0] as (typeof creates)[0]
    await expect.poll(async () => (await create(person, 'k1', { title: 'T' })).status).toBe(503)
    const { services } = server.running.opened
    const now = services.now
    services.now = () => new Date(Date.now() + 16_000)
    expect((await create(person, 'k1', { title: 'T' })).status).toBe(201)
    services.now = now
    expect(await countBooks(person)).toBe(1)
  })

  test('a request that takes minutes keeps its lock', async () => {
    const person = await server.createPerson()
    const { services, database } = server.running.opened
    const rows = database.db.collection('idempotency')
    const clock = { at: services.now().getTime() }
    const ctx = { ...(await contextOf(person, 'k1')), now: () => new Date(clock.at) }
    const call = { name: 'create_markdown_item', raw: { title: 'T' } }
    const ending = Promise.withResolvers<string>()
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const first = ctx.idempotency.runOnce(ctx, call, () => ending.promise)
    await expect.poll(() => rows.countDocuments({ by: ctx.requestId })).toBe(1)
    for (let seconds = 10; seconds <= 120; seconds += 10) {
      clock.at += 10_000
      vi.advanceTimersByTime(10_000)
      const renewed = { by: ctx.requestId, aliveUntil: { $gt: ctx.now() } }
      await expect.poll(() => rows.countDocuments(renewed)).toBe(1)
    }
    const repeat = ctx.idempotency.runOnce({ ...ctx, requestId: 'another' }, call, async () => 'second')
    await expect(repeat).rejects.toMatchObject({ code: 'TRANSIENT_CONFLICT' })
    ending.resolve('first')
    expect(await first).toBe('first')
    expect(await ctx.idempotency.runOnce({ ...ctx, requestId: 'third' }, call, async () => 'third')).toBe('first')
  })

  test.for(['create_markdown_item', 'start_upload'] as const)(
    'a process that pauses during %s until a repeat is done takes no second slot',
    async (name) => {
      const person = await server.createPerson()
      const ctx = await contextOf(person, 'k1')
      const id = ctx.newId()
      const run = (services: Context) =>
        name === 'start_upload'
          ? startUpload(services, { filename: 'a.md', size: 10, contentType: 'text/markdown' })
          : createMarkdownItem(services, { title: 'T' })
      const repeat = { ...ctx, newId: () => id }
      const paused = {
        ...repeat,
        accounts: {
          ...ctx.accounts,
          async takeSlot(...slot: Parameters<Context['accounts']['takeSlot']>) {
            await run(repeat)
            return ctx.accounts.takeSlot(...slot)
          },
        },
      }
      await run(paused)
      expect(await ctx.accounts.byId(person.id)).toMatchObject({ slots: 1, pending: [] })
      expect(await countBooks(person)).toBe(1)
    },
  )
})
