import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { callerPlaces, createCallTurns } from '../../src/accounts/costly-calls.ts'
import { anonymousActor } from '../../src/accounts/anonymous-actor.ts'
import type { Context } from '../../src/app/context.ts'
import { newId } from '../../src/core/ids.ts'
import { defineTool } from '../../src/core/tool.ts'
import { contextOf } from '../support/context.ts'
import { mountTools, type Mounted } from '../support/mount-tools.ts'
import type { Person } from '../support/server.ts'
import { rest, send, sendMcp } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
const callCount = 12

describe('costly calls', () => {
  let gate: PromiseWithResolvers<void>
  let most: Map<string, number>
  let begun: number
  let mounted: Mounted

  const costly = defineTool({
    name: 'take_long',
    title: 'Take long',
    description: 'Takes long.',
    group: 'support',
    scope: 'library:read',
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    rateBucket: 'none',
    costly: true,
    rest: { method: 'GET', path: '/long' },
    input: z.strictObject({}),
    output: z.object({ done: z.boolean() }),
    async run({ actor }: Context) {
      begun++
      const running = (runs.get(actor.id) ?? 0) + 1
      runs.set(actor.id, running)
      most.set(actor.id, Math.max(most.get(actor.id) ?? 0, running))
      await gate.promise
      runs.set(actor.id, (runs.get(actor.id) ?? 1) - 1)
      return { done: true }
    },
  })
  const runs = new Map<string, number>()

  beforeAll(async () => {
    mounted = await mountTools(server, [costly])
    return () => mounted.close()
  })
  const begin = () => {
    gate = Promise.withResolvers()
    most = new Map()
    begun = 0
  }
  afterEach(() => gate.resolve())

  test.for(['rest', 'mcp'] as const)('of an account over %s run two at a time, and delay no others', async (name) => {
    begin()
    const [greedy, other] = [await server.createPerson(), await server.createPerson()]
    const call = ({ key }: Person) =>
      name === 'rest'
        ? send(mounted.server, key, { method: 'GET', path: '/api/v1/long' })
        : sendMcp(mounted.server, key, { method: 'tools/call', params: { name: 'take_long', arguments: {} } })
    const flood = Array.from({ length: callCount }, () => call(greedy))
    await vi.waitUntil(() => begun === callerPlaces)
    const single = call(other)
    await vi.waitUntil(() => begun === callerPlaces + 1)
    gate.resolve()
    const answers = await Promise.all([...flood, single])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(most).toEqual(
      new Map([
        [greedy.id, callerPlaces],
        [other.id, 1],
      ]),
    )
  })

  test('whose clients have disconnected while they waited do not run', async () => {
    begin()
    const person = await server.createPerson()
    const stop = new AbortController()
    const call = (signal?: AbortSignal) =>
      fetch(`${mounted.server.baseUrl}/api/v1/long`, {
        headers: { Authorization: `Bearer ${person.key}` },
        ...(signal ? { signal } : {}),
      })
    const running = [call(), call()]
    await vi.waitUntil(() => begun === callerPlaces)
    const given = Array.from({ length: callCount }, () => call(stop.signal).catch(() => null))
    stop.abort()
    await Promise.all(given)
    gate.resolve()
    await Promise.all(running)
    expect((await call()).status).toBe(200)
    expect(begun).toBe(callerPlaces + 1)
  })

  test('of visitors without an account wait for those of the same address only', async () => {
    const { services } = server.running.opened
    const ctx = { ...(await contextOf(server, await server.createPerson())), actor: anonymousActor(services) }
    const { run } = createCallTurns(callerPlaces)
    const begunFor: string[] = []
    gate = Promise.withResolvers()
    const from = (clientAddress: string) =>
      run({ ...ctx, clientAddress }, async () => {
        begunFor.push(clientAddress)
        await gate.promise
      })
    const addresses = ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2']
    const calls = addresses.map(from)
    await nextTurn()
    expect(begunFor).toEqual(['192.0.2.1', '192.0.2.1', '192.0.2.2'])
    gate.resolve()
    await Promise.all(calls)
    expect(begunFor.toSorted()).toEqual(addresses)
  })
})

describe('a large list', () => {
  let person: Person

  beforeAll(async () => {
    person = await server.createPerson()
    const fields = { title: 'Mine', instructions: 'é'.repeat(8000), criteria: Array(50).fill('c'.repeat(500)) }
    await rest.call(server, person, 'create_manuscript', fields)
    const manuscripts = server.running.opened.database.db.collection<{ _id: string }>('manuscripts')
    const row = await manuscripts.findOne({ accountId: person.id })
    const copies = Array.from({ length: 400 }, () => ({ ...row, _id: newId(), liveItemId: newId() }))
    await manuscripts.insertMany(copies)
    return () => manuscripts.deleteMany({ _id: { $in: copies.map(({ _id }) => _id) } })
  })

  test('that nobody reads is computed twice, not for each connection', async () => {
    const { hostname, port } = new URL(server.baseUrl)
    const sockets: Socket[] = []
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
    const heads: Promise<Socket>[] = []
    for (let n = 0; n < callCount; n++) {
      const socket = connect(Number(port), hostname)
      socket.write(
        `GET /api/v1/manuscripts HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${person.key}\r\n\r\n`,
      )
      sockets.push(socket)
      heads.push(once(socket, 'data').then(() => socket.pause()))
    }
    const first = await Promise.race(heads)
    const other = await server.createPerson()
    for (let n = 0; n < 20; n++) expect((await rest.call(server, other, 'list_manuscripts')).status).toBe(200)
    const answered = sockets.filter(({ bytesRead }) => bytesRead > 0)
    expect(answered.length).toBeLessThanOrEqual(callerPlaces)
    // A client that leaves makes room for another one. Their order is that in which their credentials were read.
    const waiting = heads.filter((_, n) => !answered.includes(sockets[n] as Socket))
    for (const socket of answered) socket.destroy()
    expect(await Promise.race(waiting)).not.toBe(first)
  })

  test('arrives completely, with its length', async () => {
    const headers = { Authorization: `Bearer ${person.key}` }
    const answer = await fetch(`${server.baseUrl}/api/v1/manuscripts`, { headers })
    const bytes = await answer.bytes()
    expect(answer.headers.get('content-length')).toBe(String(bytes.length))
    expect(bytes.length).toBeGreaterThan(10_000_000)
    expect(JSON.parse(new TextDecoder().decode(bytes)).manuscripts).toHaveLength(401)
    const head = await fetch(`${server.baseUrl}/api/v1/manuscripts`, { headers, method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})
