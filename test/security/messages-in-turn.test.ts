import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { messagePlaces } from '../../src/accounts/costly-calls.ts'
import { revokeAccess } from '../../src/accounts/revoke-access.ts'
import { ClientDisconnected } from '../../src/core/cancellation.ts'
import { contextOf } from '../support/context.ts'
import { acceptHeaders } from '../support/mcp-messages.ts'
import type { Person } from '../support/server.ts'
import { send, type RawRequest } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const message = (body: unknown): RawRequest => ({
  method: 'POST',
  path: '/api/v1/mcp',
  body: JSON.stringify(body),
  headers: acceptHeaders,
})
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
const shelf: RawRequest = { method: 'POST', path: '/api/v1/shelves', body: '{"name":"Late"}' }

/** Takes all places of the messages of an account; the returned function frees them. */
async function occupyPlaces({ id }: Person): Promise<() => void> {
  const { messages } = server.running.opened.services
  const ctx = await contextOf(server, { id })
  const gate = Promise.withResolvers<void>()
  for (let place = 0; place < messagePlaces; place++) void messages.run(ctx, () => gate.promise)
  onTestFinished(() => gate.resolve())
  return () => gate.resolve()
}

/** Sends the start of a request to a socket, and keeps what is answered. */
async function open({ key }: Person, { path, body, headers }: RawRequest, more: readonly string[] = []) {
  const { hostname, port } = new URL(server.baseUrl)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  const fields = Object.entries({
    Host: hostname,
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    'Content-Length': String((body as string).length),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`)
  socket.write(`${[`POST ${path} HTTP/1.1`, ...fields, ...more].join('\r\n')}\r\n\r\n`)
  return socket
}

/** Opens requests whose clients wait until the server reads their bodies; returns those that it reads. */
async function openWaiting(person: Person, request: RawRequest, count: number) {
  const reading: (() => void)[] = []
  for (let n = 0; n < count; n++) {
    const socket = await open(person, request, ['Expect: 100-continue'])
    socket.once('data', () => reading.push(() => socket.write(request.body as string)))
  }
  return reading
}

describe.for<[string, RawRequest]>([
  ['over REST', shelf],
  ['over MCP', message(ping)],
])('bodies %s', ([, request]) => {
  test('of an account are read a few at a time, and delay no others', async () => {
    const [greedy, other] = [await server.createPerson(), await server.createPerson()]
    const reading = await openWaiting(greedy, request, messagePlaces + 3)
    await vi.waitUntil(() => reading.length >= messagePlaces)
    const readingOther = await openWaiting(other, request, 1)
    await vi.waitUntil(() => readingOther.length === 1)
    expect(reading).toHaveLength(messagePlaces)
    reading[0]?.()
    await vi.waitUntil(() => reading.length === messagePlaces + 1)
  })

  test('that waited are refused once their credential is revoked', async () => {
    const person = await server.createPerson()
    const free = await occupyPlaces(person)
    const waiting = send(server, person.key, request)
    await delay(1300)
    await revokeAccess(server.running.opened.services, person.id)
    free()
    expect((await waiting).status).toBe(401)
  })
})

test.for<[string, unknown]>([
  ['a handshake', { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }],
  ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: {} }],
  ['a batch', [ping, { ...ping, id: 2 }]],
])('of the messages of an account over MCP, a few are answered at a time: %s', async ([, body]) => {
  const [greedy, other] = [await server.createPerson(), await server.createPerson()]
  const free = await occupyPlaces(greedy)
  let isAnswered = false
  const waiting = send(server, greedy.key, message(body)).finally(() => (isAnswered = true))
  expect((await send(server, other.key, message(body))).status).toBe(200)
  expect(isAnswered).toBe(false)
  free()
  expect((await waiting).status).toBe(200)
})

test('a call whose client disconnects while it waits is no failure of the server', async () => {
  const person = await server.createPerson()
  await occupyPlaces(person)
  const client = new AbortController()
  const ctx = { ...(await contextOf(server, { id: person.id })), signal: client.signal }
  const waiting = server.running.opened.services.messages.run(ctx, () => Promise.resolve())
  client.abort('Error: aborted')
  await expect(waiting).rejects.toThrow(ClientDisconnected)
})

test('an answer over MCP that nobody reads keeps its turn', async () => {
  const person = await server.createPerson()
  const list = message(Array.from({ length: 100 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' })))
  const sockets = await Promise.all(Array.from({ length: messagePlaces }, () => open(person, list)))
  for (const socket of sockets) socket.pause().write(list.body as string)
  await vi.waitUntil(() => sockets.every(({ readableLength }) => readableLength > 0), 20_000)
  let isAnswered = false
  const waiting = send(server, person.key, message(ping)).finally(() => (isAnswered = true))
  const other = await server.createPerson()
  expect((await send(server, other.key, message(ping))).status).toBe(200)
  expect(isAnswered).toBe(false)
  sockets[0]?.destroy()
  expect((await waiting).status).toBe(200)
})
