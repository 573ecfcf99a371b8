import { describe, expect, test } from 'vitest'
import { acceptHeaders } from '../support/mcp-messages.ts'
import { useMeasuredServer } from '../support/use-measured-server.ts'
import { send, type RawRequest } from '../support/transports.ts'

const { server, attacker, victim } = useMeasuredServer()

const call = (request: RawRequest) => server.during(victim, () => send(server, attacker.key, request))
const message = (body: string): RawRequest => ({ method: 'POST', path: '/api/v1/mcp', body, headers: acceptHeaders })
const toolCall = (name: string, args: string) =>
  message(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`)
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const fields = (count: number) => Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')
const create = (rest: string): RawRequest => ({
  method: 'POST',
  path: '/api/v1/items/markdown',
  body: `{"title":"Commas","content":${rest}}`,
})

describe('a JSON body with very many values', () => {
  test.for<[string, RawRequest]>([
    ['nested lists over MCP', message(nested(4_000_000))],
    ['fields of a call over MCP', toolCall('search_items', `{${fields(500_000)}}`)],
    ['objects over MCP', toolCall('read_items', `{"items":[${'{},'.repeat(2_500_000)}{}]}`)],
    ['fields over REST', create(`"",${fields(450_000)}`)],
  ])('is refused before it is parsed: %s', async ([, request]) => {
    const { result, heldMs } = await call(request)
    expect([result.status, result.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(result.body.error).toContain('Send at most 200000 values')
    // Parsing and checking them took from 0.4 to 1.5 seconds.
    expect(heldMs.max).toBeLessThan(200)
  })

  test('is not what a long text with many commas, brackets and quotes is', async () => {
    const text = String.raw`a,b\",[{\\`.repeat(120_000)
    const { result } = await call(create(`"${text}"`))
    expect(result.status).toBe(201)
  })
})

test('a batch of nested lists is an invalid message, not an internal error', async () => {
  const { result } = await call(message(nested(20_000)))
  expect(result.status).toBe(400)
  expect(result.text).toContain('invalid message')
})

test.for<[string, string]>([
  ['many', `{"query":"x",${fields(2000)}}`],
  ['one with a long name', `{"query":"x","${'k'.repeat(500_000)}":1}`],
])('a refusal of unknown fields stays short: %s', async ([, args]) => {
  const { result } = await call(toolCall('search_items', args))
  expect(result.text).toMatch(/k[^ ]*: unknown field|and 1990 more: unknown field/)
  expect(result.text.length).toBeLessThan(3000)
})
