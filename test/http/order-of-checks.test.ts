import { describe, expect, test } from 'vitest'
import { rateLimits } from '../../src/accounts/rate-limiter.ts'
import { mcp, send, sendMcp } from '../support/transports.ts'
import { chargeReads } from '../support/charge-reads.ts'
import { seedBooks } from '../support/seed-books.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const create = (key: string | null, body: unknown, headers: Record<string, string> = {}) =>
  send(server, key, { method: 'POST', path: '/api/v1/items/markdown', body, headers })

async function exhaust({ id }: Person, bucket: 'content_writes' | 'mcp_write'): Promise<void> {
  const { rateLimiter: rates } = server.running.opened.services
  for (let i = 0; i < rateLimits[bucket]; i++) await rates.consume(id, bucket)
}

const foreign = { Origin: 'https://evil.example' }

describe('over REST', () => {
  test('over REST the credential is checked before the body', async () => {
    expect((await create(null, '{')).status).toBe(401)
    expect((await create(null, 'x'.repeat(7_000_000))).status).toBe(401)
  })

  test.for([
    ['a broken body', '{', {}],
    ['a bad idempotency key', { title: 'T' }, { 'Idempotency-Key': 'a b' }],
    ['a body that is too large', 'x'.repeat(7_000_000), {}],
  ] as const)('the scope comes before %s', async ([, body, headers]) => {
    const { key } = await server.createPerson({ scopes: ['library:read'] })
    expect(await create(key, body, headers)).toMatchObject({ status: 403, body: { code: 'INSUFFICIENT_SCOPE' } })
  })

  test.for([
    ['a broken body', '{', {}],
    ['a bad idempotency key', { title: 'T' }, { 'Idempotency-Key': 'a b' }],
    ['a body that is too large', 'x'.repeat(7_000_000), {}],
  ] as const)('the rate bucket comes before %s', async ([, body, headers]) => {
    const person = await server.createPerson()
    await exhaust(person, 'content_writes')
    expect(await create(person.key, body, headers)).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } })
  })

  test('the rate bucket does not count calls without their scope, but counts malformed ones', async () => {
    const person = await server.createPerson({ scopes: ['library:read'] })
    for (let i = 0; i < 3; i++) await create(person.key, {})
    const { db } = server.running.opened.database
    const rates = db.collection<{ _id: string; count: number }>('rates')
    const counted = async (id: string) => (await rates.findOne({ _id: `${id}:content_writes` }))?.count ?? 0
    expect(await counted(person.id)).toBe(0)
    const writer = await server.createPerson()
    for (let i = 0; i < 3; i++) await create(writer.key, '{')
    expect(await counted(writer.id)).toBe(3)
  })

  test.for([
    ['no title', {}, 400],
    ['content that is too large', { title: 'T', content: 'x'.repeat(1_000_001) }, 413],
    ['too many pages', { title: 'T', content: '# x\n'.repeat(1001) }, 400],
  ] as const)('%s comes before the full library', async ([, body, status]) => {
    const person = await server.createPerson({ plan: 'FREE' })
    await seedBooks(server, person, { count: 20 })
    expect((await create(person.key, body)).status).toBe(status)
    expect((await create(person.key, { title: 'T' })).body.code).toBe('PLAN_LIMIT_EXCEEDED')
  })

  test('input and existence are checked before the read limit', async () => {
    const person = await server.createPerson({ plan: 'FREE' })
    await chargeReads(server, person, 500)
    const read = (body: unknown) => send(server, person.key, { method: 'POST', path: '/api/v1/items/batch', body })
    expect((await read({ items: [] })).status).toBe(400)
    expect((await read({ items: [{ id: 'nope' }] })).status).toBe(200)
    const content = await send(server, person.key, { method: 'GET', path: '/api/v1/items/nope/content' })
    expect(content.status).toBe(404)
  })
})

const call = (name: string, input: object = {}) => ({ method: 'tools/call', params: { name, arguments: input } })

describe('over MCP', () => {
  test('over MCP the origin is checked before the credential', async () => {
    const answer = await sendMcp(server, null, { method: 'tools/list', headers: foreign })
    expect(answer).toMatchObject({ status: 403, body: { code: 'ORIGIN_NOT_ALLOWED' } })
    expect(answer.headers.get('www-authenticate')).toBeNull()
  })

  test('over MCP the credential is checked before method and message', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      expect((await send(server, null, { method, path: '/api/v1/mcp' })).status).toBe(401)
    }
    expect((await send(server, null, { method: 'POST', path: '/api/v1/mcp', body: '{' })).status).toBe(401)
  })

  test('over MCP the scope is checked before the rate bucket and the arguments', async () => {
    const person = await server.createPerson({ scopes: ['library:read'] })
    await exhaust(person, 'mcp_write')
    const answer = await sendMcp(server, person.key, call('create_markdown_item', { idempotencyKey: ' ', nonsense: 1 }))
    expect(answer.body.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^insufficient_scope: /) }, {}],
    })
  })

  test('over MCP the rate bucket is checked before the arguments', async () => {
    const person = await server.createPerson()
    await exhaust(person, 'mcp_write')
    for (const input of [{ nonsense: 1 }, { title: 'T', idempotencyKey: ' ' }, { title: 'T' }]) {
      const answer = await mcp.call(server, person, 'create_markdown_item', input)
      expect(answer.text).toMatch(/^rate_limited: Too many requests — retry in \d+s\.$/)
    }
  })
})
