import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MongoServerError } from 'mongodb'
import { z } from 'zod'
import { AppError } from '../../src/core/errors.ts'
import { defineTool } from '../../src/core/tool.ts'
import { send, sendMcp } from '../support/transports.ts'
import { mountTools, type Mounted } from '../support/mount-tools.ts'
import { startTestServer, type Person, type TestServer } from '../support/server.ts'

const canary = 'CANARY-9f2c'

class MongoNetworkError extends Error {
  override name = 'MongoNetworkError'
}

/** The driver’s wrapper around the error of a bulk write. */
function inBulk(reason: Error): Error {
  return Object.assign(new Error(reason.message), { name: 'MongoBulkWriteError', errorResponse: reason })
}

const throwers: Record<string, () => never> = {
  error: () => {
    throw new Error(canary)
  },
  type: () => {
    throw new TypeError(`Cannot read ${canary}`, { cause: new Error(canary) })
  },
  string: () => {
    throw canary
  },
  nothing: () => {
    throw undefined
  },
  object: () => {
    throw { message: canary, status: 418, code: canary }
  },
  zod: () => {
    throw new z.ZodError([{ code: 'custom', path: [canary], message: canary, input: canary }])
  },
  hostile: () => {
    throw Object.assign(new Error(canary), { status: 200, headers: { 'X-Canary': canary }, expose: true })
  },
}

const fails = defineTool({
  name: 'fails',
  title: 'Fail',
  description: 'Fails as it is told to.',
  group: 'support',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: { method: 'POST', path: '/fails' },
  input: z.strictObject({ how: z.string() }),
  output: z.object({ ok: z.literal(true) }),
  async run(_, { how }) {
    if (how === 'output') return { ok: canary } as unknown as { ok: true }
    if (how === 'leak') return { ok: true as const, [canary]: 'inside' }
    if (how === 'refusal') throw new AppError('CONFLICT', 'In the way.', { cause: new Error(canary) })
    if (how === 'store') throw new MongoNetworkError(canary)
    if (how === 'store in a bulk') throw inBulk(new MongoNetworkError(canary))
    if (how === 'bulk') throw inBulk(new MongoServerError({ message: canary, code: 2 }))
    if (how === 'socket') throw Object.assign(new Error(canary), { syscall: 'write', code: 'ECONNRESET' })
    if (how === 'file') throw Object.assign(new Error(canary), { syscall: 'open', code: 'ENOENT' })
    if (/^store \d+$/.test(how)) throw new MongoServerError({ message: canary, code: Number(how.slice(6)) })
    return (throwers[how] as () => never)()
  },
})

let base: TestServer
let mounted: Mounted
let person: Person

beforeAll(async () => {
  base = await startTestServer({ LECTERN_ROLE: 'web' })
  person = await base.createPerson()
  mounted = await mountTools(base, [fails])
})
afterAll(async () => {
  await mounted.close()
  await base.close()
})

const overRest = (how: string) =>
  send(mounted.server, person.key, { method: 'POST', path: '/api/v1/fails', body: { how } })
const overMcp = (how: string) =>
  sendMcp(mounted.server, person.key, { method: 'tools/call', params: { name: 'fails', arguments: { how } } })
const leaks = (answer: { text: string; headers: Headers }) =>
  JSON.stringify([answer.text, [...answer.headers]]).includes(canary)

describe.for([...Object.keys(throwers), 'output'])('an internal error (%s)', (how) => {
  test('an internal error is 500 over REST without its message, and is logged under the request id', async () => {
    const answer = await overRest(how)
    expect(answer.status).toBe(500)
    const requestId = answer.headers.get('x-request-id')
    expect(answer.body).toEqual({ error: 'Internal error', requestId })
    expect(leaks(answer)).toBe(false)
    expect(mounted.logged()).toContain(requestId)
  })

  test('an internal error is a tool error over MCP without its message', async () => {
    const answer = await overMcp(how)
    expect(answer.status).toBe(200)
    expect(answer.body.result).toMatchObject({ isError: true, content: [{ text: /^Internal error/ }] })
    expect(answer.body.result).not.toHaveProperty('structuredContent')
    expect(answer.body.result.content[0].text).toContain(answer.headers.get('x-request-id'))
    expect(leaks(answer)).toBe(false)
  })
})

test('the log has the internal error but not the caller’s key', async () => {
  await overRest('error')
  expect(mounted.logged()).toContain(canary)
  expect(mounted.logged()).not.toContain(person.key)
})

test('undeclared output fields are removed', async () => {
  const rest = await overRest('leak')
  expect(rest.body).toEqual({ ok: true })
  const mcp = await overMcp('leak')
  expect(mcp.body.result.structuredContent).toEqual({ ok: true })
  expect(leaks(rest) || leaks(mcp)).toBe(false)
})

test('the cause of a refusal is logged and not returned', async () => {
  const rest = await overRest('refusal')
  expect(rest).toMatchObject({ status: 409, body: { error: 'In the way.', code: 'CONFLICT' } })
  const mcp = await overMcp('refusal')
  expect(mcp.body.result.content[0].text).toBe('CONFLICT: In the way.')
  expect(leaks(rest) || leaks(mcp)).toBe(false)
})

test.for([24, 43, 50, 91, 112, 175, 189, 237, 262, 10_107, 11_600, 11_602, 13_435, 13_436])(
  'the transient MongoDB error %d is 503 with Retry-After',
  async (code) => {
    const rest = await overRest(`store ${code}`)
    expect(rest).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } })
    expect(rest.headers.get('retry-after')).toBe('2')
    expect(rest.text).not.toContain(canary)
  },
)

test.for(['store 2', 'bulk', 'file'])('another database error is an internal error: %s', async (how) => {
  const rest = await overRest(how)
  expect(rest).toMatchObject({ status: 500, body: { error: 'Internal error' } })
})

const lost = ['store', 'store in a bulk', 'socket']
test.for(lost)('an unreachable store is 503 with Retry-After: %s', async (how) => {
  const rest = await overRest(how)
  expect(rest).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } })
  expect(Number(rest.headers.get('retry-after'))).toBeGreaterThan(0)
  const mcp = await overMcp(how)
  expect(mcp.body.result).toMatchObject({ isError: true, content: [{ text: /^UNAVAILABLE/ }, {}] })
  expect(leaks(rest) || leaks(mcp)).toBe(false)
})

test('error messages do not repeat the invalid input', async () => {
  const answer = await send(mounted.server, person.key, {
    method: 'POST',
    path: '/api/v1/fails',
    body: `{"how": "${canary}`,
  })
  expect(answer.status).toBe(400)
  expect(leaks(answer)).toBe(false)
})
