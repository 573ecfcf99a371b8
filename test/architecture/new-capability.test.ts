import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { rateLimits } from '../../src/accounts/rate-limiter.ts'
import { AppError } from '../../src/core/errors.ts'
import { defineTool } from '../../src/core/tool.ts'
import { send, sendMcp } from '../support/transports.ts'
import { mountTools, type Mounted } from '../support/mount-tools.ts'
import { startTestServer, type Person, type TestServer } from '../support/server.ts'

/** A capability that only this file defines; the rest of the product does not know it. */
const lendBook = defineTool({
  name: 'lend_book',
  title: 'Lend a book',
  description: 'Lend a book to a friend for some days. The friend gets a letter.',
  group: 'support',
  scope: 'marketplace:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  rateBucket: 'reports',
  mcp: { text: ({ days, to }) => `Lent to ${to} for ${days} days.` },
  rest: {
    method: 'POST',
    path: '/books/{bookId}/loans',
    status: 201,
    maxBytes: 1000,
    legacy: {
      fieldNames: { bookId: 'book' },
      codesWithoutCode: ['NOT_FOUND'],
    },
  },
  idempotent: true,
  input: z.strictObject({ book: z.string(), to: z.string().min(1), days: z.int().min(1).max(30).optional() }),
  output: z.object({ loan: z.string(), to: z.string(), days: z.int(), lender: z.string() }),
  async run(ctx, { book, to, days }) {
    if (book === 'nope') throw new AppError('NOT_FOUND', 'No such book')
    return { loan: ctx.newId(), to, days: days ?? 14, lender: ctx.actor.id }
  },
})

const listLoans = defineTool({
  name: 'list_loans',
  title: 'List loans',
  description: 'The loans of a month.',
  group: 'support',
  scope: 'marketplace:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'GET', path: '/loans', rejectUnknownFields: true },
  input: z.strictObject({ month: z.string().optional() }),
  output: z.object({ month: z.string().nullable() }),
  run: async (_, { month }) => ({ month: month ?? null }),
})

let base: TestServer
let mounted: Mounted
let person: Person

beforeAll(async () => {
  base = await startTestServer({ LECTERN_ROLE: 'web' })
  mounted = await mountTools(base, [lendBook, listLoans])
})
afterAll(async () => {
  await mounted.close()
  await base.close()
})

const post = (body: unknown, headers: Record<string, string> = {}, id = 'b1') =>
  send(mounted.server, person.key, { method: 'POST', path: `/api/v1/books/${id}/loans`, body, headers })
const call = (input: Record<string, unknown>) =>
  sendMcp(mounted.server, person.key, { method: 'tools/call', params: { name: 'lend_book', arguments: input } })

describe('a single declaration of a capability', () => {
  beforeAll(async () => {
    person = await base.createPerson()
  })

  test('yields a route with its path value, status and messages', async () => {
    const answer = await post({ to: 'Ada', days: 3, extra: 1 })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({ loan: expect.stringMatching(/^\w{26}$/), to: 'Ada', days: 3, lender: person.id })
    expect((await post({ to: 'Ada' }, {}, 'nope')).body).toEqual({
      error: 'No such book',
      requestId: expect.any(String),
    })
    expect(await post({ days: 3 })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_INPUT', error: 'to is required' },
    })
    expect(await post({ to: 'Ada', days: 31 })).toMatchObject({
      status: 400,
      body: { error: 'days must be at most 30' },
    })
    expect((await post({ to: 'x'.repeat(1000) })).status).toBe(413)
  })

  test('yields a tool with its text, structured result and refusals', async () => {
    const { body } = await call({ book: 'b1', to: 'Ada' })
    expect(body.result).toMatchObject({
      content: [{ type: 'text', text: 'Lent to Ada for 14 days.' }],
      structuredContent: { to: 'Ada', days: 14, lender: person.id },
    })
    expect((await call({ book: 'nope', to: 'Ada' })).body.result).toMatchObject({
      isError: true,
      content: [{ text: 'NOT_FOUND: No such book' }, {}],
    })
    expect((await call({ book: 'b1', to: 'Ada', extra: 1 })).body.result.content[0].text).toContain(
      'extra: unknown field',
    )
  })

  test('is listed with its hints and schemas', async () => {
    const { body } = await sendMcp(mounted.server, person.key, { method: 'tools/list' })
    expect(body.result.tools).toEqual([
      {
        name: 'lend_book',
        title: 'Lend a book',
        description: lendBook.description,
        inputSchema: {
          type: 'object',
          properties: {
            book: { type: 'string' },
            to: { type: 'string', minLength: 1 },
            days: { anyOf: [{ type: 'integer', minimum: 1, maximum: 30 }, { type: 'null' }] },
            idempotencyKey: { type: 'string', maxLength: 255, description: expect.any(String) },
          },
          required: ['book', 'to'],
        },
        outputSchema: expect.objectContaining({ required: ['loan', 'to', 'days', 'lender'] }),
        annotations: { title: 'Lend a book', ...lendBook.annotations },
        _meta: { securitySchemes: [{ type: 'oauth2', scopes: [lendBook.scope] }] },
      },
    ])
  })

  test('yields an operation in the API description', async () => {
    const { body } = await send(mounted.server, null, { method: 'GET', path: '/api/v1/openapi.json' })
    expect(Object.keys(body.paths)).toEqual(['/api/v1/books/{bookId}/loans', '/api/v1/loans'])
    const operation = body.paths['/api/v1/books/{bookId}/loans'].post
    expect(operation).toMatchObject({
      operationId: 'lend_book',
      tags: ['Support'],
      'x-scope': 'marketplace:write',
      'x-rate-bucket': 'reports',
    })
    expect(operation.parameters.map(({ name }: { name: string }) => name)).toEqual(['bookId', 'Idempotency-Key'])
    const reference = operation.requestBody.content['application/json'].schema.$ref
    expect(reference).toBe('#/components/schemas/LendBookRequest')
    const schema = body.components.schemas.LendBookRequest
    expect(Object.keys(schema.properties)).toEqual(['to', 'days'])
    expect(schema.required).toEqual(['to'])
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['201', '400', '401', '403', '429']))
  })

  test('runs once per idempotency key, over both transports', async () => {
    const headers = { 'Idempotency-Key': 'once' }
    const [first, second] = [await post({ to: 'Ada' }, headers), await post({ to: 'Ada' }, headers)]
    expect(second.body).toEqual(first.body)
    const input = { book: 'b1', to: 'Bob', idempotencyKey: 'again' }
    const [third, fourth] = [await call(input), await call(input)]
    expect(fourth.body.result.structuredContent).toEqual(third.body.result.structuredContent)
    expect((await post({ to: 'Eve' }, headers)).status).toBe(422)
  })
})

describe('enforces its limits', () => {
  test('enforces the scope, over both transports', async () => {
    person = await base.createPerson({ scopes: ['library:read', 'library:write', 'marketplace:read'] })
    expect(await post({ to: 'Ada' })).toMatchObject({ status: 403, body: { code: 'INSUFFICIENT_SCOPE' } })
    const refused = await call({ book: 'b1', to: 'Ada' })
    expect(refused.body.result.content[0].text).toMatch(/^insufficient_scope: lend_book needs .*marketplace:write/)
    expect((await send(mounted.server, person.key, { method: 'GET', path: '/api/v1/loans' })).status).toBe(200)
  })

  test('enforces the rate bucket, over both transports', async () => {
    person = await base.createPerson()
    for (let i = 0; i < rateLimits.reports; i++) expect((await post({ to: 'Ada' })).status).toBe(201)
    expect(await post({ to: 'Ada' })).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } })
    for (let i = 0; i < rateLimits.mcp_write; i++) await call({})
    expect((await call({})).body.result.content[0].text).toMatch(/^rate_limited/)
  })

  test('for REST only yields no tool, and a strict one refuses unknown fields', async () => {
    person = await base.createPerson()
    const { body } = await sendMcp(mounted.server, person.key, { method: 'tools/call', params: { name: 'list_loans' } })
    expect(body.error).toMatchObject({ code: -32_602 })
    const get = (query: string) => send(mounted.server, person.key, { method: 'GET', path: `/api/v1/loans${query}` })
    expect((await get('?month=2026-11')).body).toEqual({ month: '2026-11' })
    expect(await get('?year=2026')).toMatchObject({ status: 400, body: { error: 'year: unknown field' } })
  })
})
