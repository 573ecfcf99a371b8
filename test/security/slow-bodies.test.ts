import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Person } from '../support/server.ts'
import { dripBytes } from '../support/slow-client.ts'
import { reserveUpload } from '../support/uploads.ts'
import { useTestServer } from '../support/use-test-server.ts'

const json = 'Content-Type: application/json\r\nContent-Length: 1000000'
const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 20000'

describe('a trickling body', () => {
  const bodyTimes = { anonymous: 600, caller: 2500, upload: 60_000 }
  const server = useTestServer({ LECTERN_ROLE: 'web' }, { bodyTimes })
  let person: Person
  beforeAll(async () => {
    person = await server.createPerson()
  })
  const drip = (head: string, intervalMs = 50, count = Infinity) =>
    dripBytes(server, `${head}\r\nHost: lectern.example\r\n\r\n`, intervalMs, count)

  test.for([
    ['the sign-in form', `POST /sign-in HTTP/1.1\r\n${form}`],
    ['REST', `POST /api/v1/shelves HTTP/1.1\r\n${json}`],
    ['MCP', `POST /api/v1/mcp HTTP/1.1\r\n${json}`],
    ['REST, with a wrong key', `POST /api/v1/shelves HTTP/1.1\r\nAuthorization: Bearer lectern_x\r\n${json}`],
    ['the token endpoint', `POST /oauth/token HTTP/1.1\r\n${form}`],
    ['the registration of clients', `POST /oauth/register HTTP/1.1\r\n${json}`],
    ['the revocation of tokens', `POST /oauth/revoke HTTP/1.1\r\n${form}`],
    ['an invented upload URL', `PUT /api/v1/upload/blob/invented HTTP/1.1\r\n${json}`],
    ['a public list', `GET /api/v1/marketplace/browse HTTP/1.1\r\n${json}`],
    ['no route', `POST /nowhere HTTP/1.1\r\n${json}`],
  ] as const)('without a credential is aborted: %s', async ([, head]) => {
    const { ended } = drip(head)
    const { ms } = await ended
    expect(ms).toBeLessThan(bodyTimes.caller)
  })

  test('is answered with 408', async () => {
    const { answer } = await drip(`POST /oauth/token HTTP/1.1\r\n${form}`).ended
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n/)
    expect(answer).toContain('"error":"The request body did not arrive in time.')
  })

  test('of an authenticated caller gets more time, and is aborted, too', async () => {
    const authorization = `Authorization: Bearer ${person.key}`
    const { ended } = drip(`POST /api/v1/shelves HTTP/1.1\r\n${authorization}\r\n${json}`)
    const { ms, answer } = await ended
    expect(ms).toBeGreaterThan(bodyTimes.anonymous * 2)
    expect(answer).toContain('408 Request Timeout')
  })

  test('to a signed upload URL continues, with its own limit on pauses', async () => {
    const bytes = Buffer.from('# A book that comes slowly'.padEnd(60, 'x'))
    const upload = await reserveUpload(server, person, { filename: 'slow.md', bytes })
    const { pathname } = new URL(upload.uploadUrl)
    const head = `PUT ${pathname} HTTP/1.1\r\nContent-Type: text/markdown\r\nContent-Length: ${bytes.byteLength}`
    const { socket, ended } = drip(head, 60, bytes.byteLength)
    let answer = ''
    socket.on('data', (text) => (answer += String(text)))
    while (!answer.includes('\r\n\r\n')) await delay(50)
    expect(answer).toMatch(/^HTTP\/1\.1 200/)
    socket.destroy()
    const { ms } = await ended
    expect(ms).toBeGreaterThan(bodyTimes.caller)
  })
})

describe('connections', () => {
  const server = useTestServer({ LECTERN_ROLE: 'web', LECTERN_MAX_CONNECTIONS: '60', LECTERN_LOG_LEVEL: 'silent' })
  const open = async (count: number, localAddress: string): Promise<Socket[]> => {
    const { port } = new URL(server.baseUrl)
    const sockets = await Promise.all(
      Array.from({ length: count }, async () => {
        const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress })
        socket.on('error', () => {})
        await once(socket, 'connect')
        return socket
      }),
    )
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
    await delay(300)
    return sockets
  }
  const isOpen = (socket: Socket) => !socket.destroyed && !socket.readableEnded && socket.readyState === 'open'
  const countOpen = (sockets: Socket[]) => sockets.filter((socket) => (socket.resume(), isOpen(socket))).length

  test('of one address are limited to a tenth of the total; another address is served', async () => {
    const sockets = await open(20, '127.0.0.7')
    sockets.forEach((socket) => socket.resume())
    await delay(200)
    expect(countOpen(sockets)).toBe(6)
    const answer = await fetch(`${server.baseUrl}/healthz`)
    expect(answer.status).toBe(200)
    expect(await (await fetch(`${server.baseUrl}/metrics`)).text()).toMatch(
      /lectern_connections_closed_total\{reason="address"\} 14/,
    )
    sockets.forEach((socket) => socket.destroy())
    await delay(200)
    expect(countOpen(await open(6, '127.0.0.7'))).toBe(6)
  })

  test('of all addresses are limited', async () => {
    const sockets = (
      await Promise.all(Array.from({ length: 15 }, (_, index) => open(5, `127.0.1.${index + 1}`)))
    ).flat()
    sockets.forEach((socket) => socket.resume())
    await delay(200)
    expect(countOpen(sockets)).toBeLessThanOrEqual(60)
    expect(countOpen(sockets)).toBeGreaterThan(50)
  })
})
