import { once } from 'node:events'
import { connect } from 'node:net'
import type { CommandStartedEvent } from 'mongodb'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { ClientDisconnected } from '../../src/core/cancellation.ts'
import type { Context } from '../../src/app/context.ts'
import { defineTool } from '../../src/core/tool.ts'
import { mountTools, type Mounted } from '../support/mount-tools.ts'
import { acceptHeaders, metaOf, modernHeaders, modernRevision } from '../support/mcp-messages.ts'
import { startTestServer, type Person, type TestServer } from '../support/server.ts'
import { countOwnedBooks } from '../support/count-books.ts'

const patience = { timeout: 20_000 }

/** Events that the tools below report. */
let begun: PromiseWithResolvers<void>
let ended: PromiseWithResolvers<unknown>

const shared = {
  group: 'support',
  scope: 'library:read',
  rateBucket: 'none',
  input: z.strictObject({}),
  output: z.object({ count: z.int() }),
} as const

/** Waits until its client has disconnected, then continues to read. */
const countSlowly = defineTool({
  ...shared,
  name: 'count_slowly',
  title: 'Count slowly',
  description: 'Count the books after the client disconnects.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rest: { method: 'GET', path: '/slow-count' },
  async run(ctx: Context) {
    begun.resolve()
    await once(ctx.signal, 'abort')
    const counted = countOwnedBooks(ctx.books, ctx.actor.id)
    ended.resolve(counted.catch((error: unknown) => error))
    return { count: await counted }
  },
})

/** Writes first, then does the same. */
const writeSlowly = defineTool({
  ...shared,
  name: 'write_slowly',
  title: 'Write slowly',
  description: 'Write, then count the books after the client disconnects.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rest: { method: 'POST', path: '/slow-write', status: 201 },
  async run(ctx: Context) {
    await ctx.books.markIndexDue(ctx.actor.id, 'none')
    begun.resolve()
    await once(ctx.signal, 'abort')
    const count = await countOwnedBooks(ctx.books, ctx.actor.id)
    ended.resolve(count)
    return { count }
  },
})

let base: TestServer
let mounted: Mounted
let person: Person
const sent: string[] = []

beforeAll(async () => {
  base = await startTestServer({ LECTERN_ROLE: 'web' }, { monitorCommands: true })
  mounted = await mountTools(base, [countSlowly, writeSlowly])
  person = await base.createPerson()
  base.running.opened.database.db.client.on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    sent.push(`${commandName} ${command[commandName]}`)
  })
})
afterAll(async () => {
  await mounted.close()
  await base.close()
})
beforeEach(() => {
  begun = Promise.withResolvers()
  ended = Promise.withResolvers()
  sent.length = 0
})

interface Sending {
  method?: string
  path: string
  body?: string
  headers?: Record<string, string>
  /** How much of the body is sent. */
  length?: number
}

/** Sends a request on its own socket. */
function sendRaw({ method = 'POST', path, body = '', headers = {}, length = body.length }: Sending) {
  const { hostname, port } = new URL(mounted.server.baseUrl)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  const head = {
    Host: `${hostname}:${port}`,
    Authorization: `Bearer ${person.key}`,
    ...(body === '' ? {} : { 'Content-Type': 'application/json' }),
    ...(body === '' || 'Transfer-Encoding' in headers ? {} : { 'Content-Length': String(body.length) }),
    ...headers,
  }
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body.slice(0, length)}`)
  return socket
}

function overMcp(version: string, tool: string): Sending {
  const modern = version === modernRevision
  const params = { name: tool, arguments: {}, ...(modern ? { _meta: metaOf(version) } : {}) }
  return {
    path: '/api/v1/mcp',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    headers: {
      ...acceptHeaders,
      ...(modern ? modernHeaders('tools/call', tool) : { 'MCP-Protocol-Version': version }),
    },
  }
}

const ways: [string, (tool: string) => Sending][] = [
  [
    'REST',
    (tool) =>
      tool === 'count_slowly'
        ? { method: 'GET', path: '/api/v1/slow-count' }
        : { path: '/api/v1/slow-write', body: '{}' },
  ],
  ['MCP 2026-07-28', (tool) => overMcp('2026-07-28', tool)],
  ['MCP 2025-11-25', (tool) => overMcp('2025-11-25', tool)],
  ['MCP 2024-11-05, which the SDK answers', (tool) => overMcp('2024-11-05', tool)],
]
/** Responses of the SDK are streams. They start, and are logged, before the call ends. */
const streamed = (way: string) => way.includes('SDK')
const departures = ['destroy', 'resetAndDestroy', 'end'] as const

/** Waits for the log line of the last request. */
async function lastLine(route: string): Promise<Record<string, unknown>> {
  const lines = () => logged().filter((line) => line['msg'] === 'request' && line['route'] === route)
  const before = lines().length
  await vi.waitUntil(() => lines().length > before, patience)
  return lines().at(-1) as Record<string, unknown>
}

function logged(): Record<string, unknown>[] {
  return mounted
    .logged()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

const errorLevel = 50
const defects = () => logged().filter(({ level }) => (level as number) >= errorLevel)

async function abandoned(route: string): Promise<number> {
  const text = await (await fetch(`${mounted.server.baseUrl}/metrics`)).text()
  const lines = text.matchAll(
    new RegExp(`duration_seconds_count\\{route="${route}",method="\\w+",status="499"\\} (\\d+)`, 'g'),
  )
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0)
}

describe.for(ways)('a client over %s', ([way, sending]) => {
  test.for(departures)('a client that disconnects (%s) cancels a reading call', async (leave) => {
    const before = await abandoned('count_slowly')
    const socket = sendRaw(sending('count_slowly'))
    await begun.promise
    sent.length = 0
    const line = streamed(way) ? null : lastLine('count_slowly')
    socket[leave]()
    expect(await ended.promise).toBeInstanceOf(ClientDisconnected)
    if (line) {
      expect(await line).toMatchObject({ status: 499, actor: person.id })
      expect(await abandoned('count_slowly')).toBe(before + 1)
    }
    expect(sent.filter((command) => command.endsWith(' books'))).toEqual([])
    expect(defects()).toEqual([])
    socket.destroy()
  })

  test('a client that disconnects does not cancel a call that has written', async () => {
    const socket = sendRaw(sending('write_slowly'))
    await begun.promise
    const line = streamed(way) ? null : lastLine('write_slowly')
    socket.destroy()
    expect(await ended.promise).toBe(0)
    if (line) expect(await line).toMatchObject({ status: 499, statusNotSent: way === 'REST' ? 201 : 200 })
    expect(defects()).toEqual([])
  })
})

describe.for(ways)('a client over %s that disconnects while sending its request', ([, sending]) => {
  test.for(['Content-Length', 'chunks'])('an interrupted request is not logged as an error (%s)', async (framing) => {
    const requests = () => logged().filter((line) => line['msg'] === 'request')
    const before = requests().length
    const { headers, ...request } = sending('write_slowly')
    // Forces the server to look up the key again. That query shows that the request has arrived.
    const used = { lastUsedAt: new Date() }
    await base.running.opened.database.db.collection('keys').updateOne({ accountId: person.id }, { $set: used })
    sent.length = 0
    const socket = sendRaw(
      framing === 'chunks'
        ? { ...request, body: `ff\r\n${request.body}`, headers: { ...headers, 'Transfer-Encoding': 'chunked' } }
        : { ...request, headers, length: 1 },
    )
    await vi.waitUntil(() => sent.some((command) => command.endsWith(' keys')), patience)
    socket.destroy()
    await vi.waitUntil(() => requests().length > before, patience)
    expect(requests().at(-1)).toMatchObject({ status: 499 })
    expect(requests().at(-1)).not.toHaveProperty('unsent')
    expect(defects()).toEqual([])
  })
})
