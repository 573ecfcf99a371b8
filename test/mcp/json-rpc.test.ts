import { beforeAll, describe, expect, test } from 'vitest'
import { metaOf, modernHeaders } from '../support/mcp-messages.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

const both = 'application/json, text/event-stream'

interface Reply {
  status: number
  /** All JSON-RPC messages of the response, from JSON or an event stream. */
  messages: { id?: unknown; result?: Record<string, unknown>; error?: { code: number; message: string } }[]
  headers: Headers
}

async function post(body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  const response = await fetch(`${server.baseUrl}/api/v1/mcp`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${person.key}`, 'Content-Type': 'application/json', Accept: both, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  })
  const text = await response.text()
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data as string)
  const texts = events.length > 0 ? events : text === '' ? [] : [text]
  const messages = texts.flatMap((json) => JSON.parse(json))
  return { status: response.status, messages, headers: response.headers }
}

const legacy = { 'MCP-Protocol-Version': '2025-11-25' }
const meta = metaOf()
const rpc = (method: unknown, params?: unknown, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params })
const call = (params: object) => rpc('tools/call', params)
const list = rpc('tools/list', { _meta: meta })

const parseError = -32_700
const invalidRequest = -32_600
const unknownMethod = -32_601
const invalidParams = -32_602
const headerMismatch = -32_020
const unsupportedVersion = -32_022
const transport = -32_000

const malformed: [what: string, body: unknown, headers: Record<string, string>, status: number, code: number][] = [
  ['an empty body', '', legacy, 400, parseError],
  ['words', 'hello', legacy, 400, parseError],
  ['half a message', '{"jsonrpc":', legacy, 400, parseError],
  ['two messages in a row', '{}{}', legacy, 400, parseError],
  ['null', 'null', legacy, 400, invalidRequest],
  ['a number', '5', legacy, 400, invalidRequest],
  ['a string', '"tools/list"', legacy, 400, invalidRequest],
  ['true', 'true', legacy, 400, invalidRequest],
  ['an empty object', {}, legacy, 400, invalidRequest],
  ['an empty batch', [], legacy, 400, invalidRequest],
  ['a batch of nothing', [null], legacy, 400, invalidRequest],
  ['a batch of numbers', [1, 2], legacy, 400, invalidRequest],
  ['a batch with one bad message', [rpc('ping'), 5], legacy, 400, invalidRequest],
  ['a batch in a batch', [[rpc('ping')]], legacy, 400, invalidRequest],
  ['no version of JSON-RPC', { id: 1, method: 'tools/list' }, legacy, 400, invalidRequest],
  ['JSON-RPC 1.0', { jsonrpc: '1.0', id: 1, method: 'tools/list' }, legacy, 400, invalidRequest],
  ['a version that is a number', { jsonrpc: 2, id: 1, method: 'tools/list' }, legacy, 400, invalidRequest],
  ['no method', { jsonrpc: '2.0', id: 1 }, legacy, 400, invalidRequest],
  ['a method that is a number', rpc(5), legacy, 400, invalidRequest],
  ['a method that is null', rpc(null), legacy, 400, invalidRequest],
  ['an empty method', rpc(''), legacy, 200, unknownMethod],
  ['an id that is null', rpc('tools/list', {}, null), legacy, 400, invalidRequest],
  ['an id that is an object', rpc('tools/list', {}, {}), legacy, 400, invalidRequest],
  ['an id that is a list', rpc('tools/list', {}, [1]), legacy, 400, invalidRequest],
  ['an id that is a fraction', rpc('tools/list', {}, 1.5), legacy, 400, invalidRequest],
  ['an id that is true', rpc('tools/list', {}, true), legacy, 400, invalidRequest],
  ['params that are a list', rpc('tools/list', []), legacy, 400, invalidRequest],
  ['params that are a string', rpc('tools/list', 'x'), legacy, 400, invalidRequest],
  ['params that are null', rpc('tools/list', null), legacy, 400, invalidRequest],
  ['a call without params', rpc('tools/call'), legacy, 200, invalidParams],
  ['a call without a name', call({}), legacy, 200, invalidParams],
  ['a call with a number for a name', call({ name: 5 }), legacy, 200, invalidParams],
  ['a call of an unknown tool', call({ name: 'nope' }), legacy, 200, invalidParams],
  ['a call of an inherited property name', call({ name: '__proto__' }), legacy, 200, invalidParams],
  ['a call of a tool that is REST only', call({ name: 'check_upload' }), legacy, 200, invalidParams],
  ['arguments that are a list', call({ name: 'whoami', arguments: [] }), legacy, 200, invalidParams],
  ['arguments that are a string', call({ name: 'whoami', arguments: 'x' }), legacy, 200, invalidParams],
  ['an unknown method', rpc('nope'), legacy, 200, unknownMethod],
  ['a method of a feature that is not offered', rpc('resources/list'), legacy, 200, unknownMethod],
  ['an unknown protocol version', rpc('tools/list'), { 'MCP-Protocol-Version': '1999-01-01' }, 400, transport],
  ['an Accept of JSON alone', rpc('tools/list'), { ...legacy, Accept: 'application/json' }, 406, transport],
  ['an Accept of HTML', rpc('tools/list'), { ...legacy, Accept: 'text/html' }, 406, transport],
  ['text/plain', rpc('tools/list'), { ...legacy, 'Content-Type': 'text/plain' }, 415, transport],
  ['2026-07-28 without _meta', rpc('tools/list', {}), modernHeaders('tools/list'), 400, invalidParams],
  [
    '2026-07-28 with a _meta that is a string',
    rpc('tools/list', { _meta: 'x' }),
    modernHeaders('tools/list'),
    400,
    invalidRequest,
  ],
  ['2026-07-28 without Mcp-Method', list, { 'MCP-Protocol-Version': '2026-07-28' }, 400, headerMismatch],
  ['2026-07-28 with another Mcp-Method', list, modernHeaders('tools/call'), 400, headerMismatch],
  [
    '2026-07-28 without Mcp-Name',
    call({ name: 'whoami', _meta: meta }),
    modernHeaders('tools/call'),
    400,
    headerMismatch,
  ],
  [
    '2026-07-28 with another Mcp-Name',
    call({ name: 'whoami', _meta: meta }),
    modernHeaders('tools/call', 'x'),
    400,
    headerMismatch,
  ],
  ['2026-07-28 in the body alone', list, {}, 400, headerMismatch],
  ['a batch of 2026-07-28', [list], modernHeaders('tools/list'), 400, invalidRequest],
  ['a handshake in 2026-07-28', rpc('initialize', { _meta: meta }), modernHeaders('initialize'), 404, unknownMethod],
  ['an unknown method in 2026-07-28', rpc('nope', { _meta: meta }), modernHeaders('nope'), 404, unknownMethod],
  [
    'an unknown tool in 2026-07-28',
    call({ name: 'nope', _meta: meta }),
    modernHeaders('tools/call', 'nope'),
    200,
    invalidParams,
  ],
  [
    'a protocol version of the future',
    rpc('tools/list', { _meta: { ...meta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } }),
    { ...modernHeaders('tools/list'), 'MCP-Protocol-Version': '2099-01-01' },
    400,
    unsupportedVersion,
  ],
]

describe('malformed messages get the right error code', () => {
  test.for(malformed)('%s', async ([, body, headers, status, code]) => {
    const reply = await post(body, headers)
    expect(reply.messages).toHaveLength(1)
    expect({ status: reply.status, code: reply.messages[0]?.error?.code }).toEqual({ status, code })
    expect(reply.messages[0]?.error?.message).toEqual(expect.any(String))
    expect(reply.messages[0]).not.toHaveProperty('result')
  })

  test('invalid UTF-8 is a parse error', async () => {
    const response = await fetch(`${server.baseUrl}/api/v1/mcp`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${person.key}`, 'Content-Type': 'application/json', Accept: both },
      body: Uint8Array.of(0x7b, 0xff, 0x7d),
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: parseError }, id: null })
  })

  test('a message over 8 MiB is refused before it is read', async () => {
    const reply = await post(' '.repeat(8 * 1024 * 1024 + 1), legacy)
    expect(reply.status).toBe(413)
  })

  test('the error for an unknown tool names it and the remedy', async () => {
    const { messages } = await post(call({ name: 'x'.repeat(500) }), legacy)
    expect(messages[0]?.error?.message).toMatch(/^Unknown tool: x{80}\. tools\/list/)
  })
})

describe('messages that need no response get none', () => {
  test.for<[string, unknown, Record<string, string>]>([
    ['the end of a handshake', { jsonrpc: '2.0', method: 'notifications/initialized' }, legacy],
    ['an unknown notification', { jsonrpc: '2.0', method: 'notifications/nope' }, legacy],
    ['a response', { jsonrpc: '2.0', id: 1, result: {} }, legacy],
    ['an error response', { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } }, legacy],
    ['a batch of notifications', [{ jsonrpc: '2.0', method: 'notifications/initialized' }], legacy],
  ])('%s', async ([, body, headers]) => {
    expect(await post(body, headers)).toMatchObject({ status: 202, messages: [] })
  })
})

describe('well-formed messages', () => {
  test.for(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])(
    'messages of revision %s are answered',
    async (version) => {
      const { status, messages } = await post(call({ name: 'whoami' }), { 'MCP-Protocol-Version': version })
      expect(status).toBe(200)
      expect(messages).toMatchObject([{ id: 1, result: { structuredContent: { id: person.id } } }])
    },
  )

  test('messages without a version header count as the oldest revision', async () => {
    expect(await post(rpc('ping'))).toMatchObject({ status: 200, messages: [{ id: 1, result: {} }] })
  })

  test.for(['abc', '', '"\\', 0, 31, 32, -1, Number.MAX_SAFE_INTEGER])(
    'a response has the request id %j',
    async (id) => {
      const { messages } = await post(rpc('tools/list', {}, id), legacy)
      expect(messages[0]?.id).toBe(id)
    },
  )

  test('legacy clients may send batches', async () => {
    const batch = [call({ name: 'whoami' }), rpc('ping', undefined, 2), { jsonrpc: '2.0', method: 'notifications/x' }]
    const { messages } = await post(batch, { 'MCP-Protocol-Version': '2025-03-26' })
    expect(messages.map(({ id }) => id).sort()).toEqual([1, 2])
    expect(messages.find(({ id }) => id === 1)?.result?.['structuredContent']).toMatchObject({ id: person.id })
  })

  test.for<[string, object, Record<string, string>]>([
    ['2025-11-25', {}, legacy],
    ['2026-07-28', { _meta: meta }, modernHeaders('tools/call', 'whoami')],
  ])('arguments that are null are no arguments in revision %s', async ([, params, headers]) => {
    const { messages } = await post(call({ name: 'whoami', arguments: null, ...params }), headers)
    expect(messages).toMatchObject([{ id: 1, result: { structuredContent: { id: person.id } } }])
  })

  test('arguments that are null are no arguments in a batch', async () => {
    const batch = [call({ name: 'whoami', arguments: null }), rpc('ping', undefined, 2)]
    const { messages } = await post(batch, { 'MCP-Protocol-Version': '2025-03-26' })
    expect(messages.find(({ id }) => id === 1)?.result).toMatchObject({ structuredContent: { id: person.id } })
  })

  test('a call without arguments is valid for tools without required fields', async () => {
    const { messages } = await post(call({ name: 'whoami', _meta: meta }), modernHeaders('tools/call', 'whoami'))
    expect(messages[0]?.result).toMatchObject({ resultType: 'complete', structuredContent: { id: person.id } })
  })

  test('initialize and server discovery return the instructions', async () => {
    const clientInfo = { name: 'test', version: '1' }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const handshake = await post(rpc('initialize', params))
    const discovery = await post(rpc('server/discover', { _meta: meta }), modernHeaders('server/discover'))
    for (const { messages } of [handshake, discovery]) {
      const instructions = messages[0]?.result?.['instructions'] as string
      expect(instructions.length).toBeLessThanOrEqual(2000)
      expect(instructions.slice(0, 512)).toMatch(/library_summary.*read_items.*cite.*report_gap.*never instructions/s)
    }
    expect(handshake.messages[0]?.result?.['protocolVersion']).toBe('2025-11-25')
  })
})

test.for(['GET', 'DELETE', 'PUT', 'PATCH'])('the HTTP method %s is not allowed', async (method) => {
  const headers = { Authorization: `Bearer ${person.key}`, Accept: 'text/event-stream' }
  const response = await fetch(`${server.baseUrl}/api/v1/mcp`, { method, headers })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('POST')
})
