import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { readsUsed } from '../support/charge-reads.ts'
import { useMeasuredServer } from '../support/use-measured-server.ts'
import { makeBook } from '../support/make-book.ts'
import type { Person } from '../support/server.ts'
import { send } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'

const line = 'The quick "brown" fox\tjumps over the lazy dog 🦊.\n'

describe('24 clients request a book of 28 MB at once and read it slowly', () => {
  const { server, attacker, victim } = useMeasuredServer()
  let book: string

  beforeAll(async () => {
    const page = line.repeat(Math.ceil(470_000 / line.length))
    book = await server.storeBook({ ownerId: attacker.id, page, count: 60, sourceType: 'epub' })
  })

  test('the server holds pages instead of books, and answers others', async () => {
    const sockets: Socket[] = []
    const outcome = await server.during(victim, async () => {
      const { hostname, port } = new URL(server.baseUrl)
      for (let i = 0; i < 24; i++) {
        const socket = connect(Number(port), hostname)
        socket.write(
          `GET /api/v1/items/${book}/content HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${attacker.key}\r\n\r\n`,
        )
        sockets.push(socket)
      }
      const heads = await Promise.all(sockets.map(readHead))
      await delay(2000)
      return heads
    })
    for (const socket of sockets) socket.destroy()
    console.log(JSON.stringify({ ...outcome, result: undefined }))
    const statuses = outcome.result.map((head) => head.split(' ')[1])
    expect(statuses.filter((status) => status === '200')).toHaveLength(2)
    expect(statuses.filter((status) => status === '429')).toHaveLength(22)
    expect(outcome.result.find((head) => head.includes(' 429 '))).toMatch(/retry-after: 5/i)
    // Without limit, 24 whole books needed gigabytes.
    expect(outcome.megabytes).toBeLessThan(600)
    expect(outcome.heldMs.p99).toBeLessThan(100)
    expect(outcome.waitedMs.p50).toBeLessThan(500)
  })

  test('slow clients of 20 accounts leave places to others, and hold pages instead of books', async () => {
    const builtIn = await server.storeBook({
      ownerId: 'system',
      page: line.repeat(Math.ceil(470_000 / line.length)),
      count: 60,
      sourceType: 'epub',
    })
    const people: Person[] = []
    for (let number = 0; number < 20; number++) people.push(await server.createPerson())
    const { hostname, port } = new URL(server.baseUrl)
    const open = async ({ key }: Person) => {
      const socket = connect(Number(port), hostname)
      socket.write(`GET /api/v1/items/${builtIn}/content HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`)
      return { socket, head: await readHead(socket) }
    }
    const outcome = await server.during(victim, async () => {
      const held = await Promise.all([...people, ...people].map(open))
      return [...held, await open(victim)]
    })
    for (const { socket } of outcome.result) socket.destroy()
    console.log(JSON.stringify({ ...outcome, result: undefined }))
    const statuses = outcome.result.map(({ head }) => head.split(' ')[1])
    expect(new Set(statuses)).toEqual(new Set(['200']))
    expect(outcome.megabytes).toBeLessThan(600)
  })

  test('disconnecting clients release their slots, and the text arrives completely', async () => {
    const outcome = await server.during(victim, async () => {
      const url = `${server.baseUrl}/api/v1/items/${book}/content`
      const response = await fetch(url, { headers: { Authorization: `Bearer ${attacker.key}` } })
      let bytes = 0
      for await (const piece of response.body ?? []) bytes += (piece as Uint8Array).length
      return { status: response.status, bytes }
    })
    console.log(JSON.stringify(outcome))
    expect(outcome.result.status).toBe(200)
    expect(outcome.result.bytes).toBeGreaterThan(28_000_000)
    expect(outcome.megabytes).toBeLessThan(600)
    expect(outcome.heldMs.p99).toBeLessThan(100)
  })
})

/** Reads the head of an answer, and leaves the rest unread. */
async function readHead(socket: Socket): Promise<string> {
  const [first] = await once(socket, 'data')
  socket.pause()
  return String(first).slice(0, 2000)
}

describe('a streamed large text', () => {
  const server = useTestServer({ LECTERN_ROLE: 'web' })
  const get = (person: Person, id: string, method = 'GET') =>
    send(server, person.key, { method, path: `/api/v1/items/${id}/content` })

  test.for(['markdown', 'pdf'] as const)('is the JSON of the whole %s book, byte for byte', async (sourceType) => {
    const person = await server.createPerson()
    // Parts end between the two surrogates of an emoji. A lone surrogate stays escaped.
    const pages = Array.from({ length: 7 }, (_, at) => `# Page ${at}\n\n${'🦊"\\\u0001ж'.repeat(20_000 + at)}x\ud83e\n`)
    const content = pages.join('').toWellFormed()
    const id = await makeBook(server, person, { title: 'A "large" book', content: content.slice(0, 300_000) })
    const { services } = server.running.opened
    await services.books.change(person.id, id, { set: { sourceType } })
    const whole = await get(person, id)
    const separator = sourceType === 'pdf' ? '\n\n' : ''
    const stored = content.slice(0, 300_000).split(/(?=# Page)/)
    expect(whole.body.content).toBe(stored.join(separator))
    expect(whole.body).toMatchObject({ id, version: 1, pageCount: stored.length })
    expect(whole.text).toBe(JSON.stringify(whole.body))
    expect(Object.keys(whole.body)).toEqual(Object.keys((await get(person, await makeBook(server, person))).body))
    expect(await readsUsed(server, person)).toBe(2)
  })

  test('an answer to HEAD holds no slot', async () => {
    const person = await server.createPerson()
    const id = await writeLargeBook(person)
    for (let i = 0; i < 5; i++) expect((await get(person, id, 'HEAD')).status).toBe(200)
    expect((await get(person, id)).body.content.length).toBeGreaterThan(2_700_000)
  })

  test('a text that cannot be read to its end is a broken response, not a truncated one', async () => {
    const person = await server.createPerson()
    const id = await writeLargeBook(person)
    const { contents } = server.running.opened.services
    const pass = contents.passPages
    const failing = vi.spyOn(contents, 'passPages').mockImplementation(async (refs) => {
      if (refs.some(({ pageNum }) => pageNum === 3)) throw new Error('the page is gone')
      return pass(refs)
    })
    const answers = await Promise.allSettled([get(person, id), get(person, id)])
    failing.mockRestore()
    for (const { status } of answers) expect(status).toBe('rejected')
    // Their slots are free again.
    expect((await get(person, id)).status).toBe(200)
  })

  test('a refusal for lack of a slot is not charged', async () => {
    const person = await server.createPerson()
    const id = await writeLargeBook(person)
    const { textStreams } = server.running.opened.services
    const held = await Promise.all([textStreams.slots.take(person.id), textStreams.slots.take(person.id)])
    const refused = await get(person, id)
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED', error: /ranges of pages/ } })
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(await readsUsed(server, person)).toBe(0)
    expect((await get(await server.createPerson(), await makeBook(server, { id: 'system' }))).status).toBe(200)
    for (const release of held) release?.()
    expect((await get(person, id)).status).toBe(200)
    expect(await readsUsed(server, person)).toBe(1)
  })

  /** Creates a book of more than 2 MB, in several writes. */
  async function writeLargeBook(person: Person): Promise<string> {
    const content = `# Page\n\n${'x'.repeat(900_000)}\n`
    const id = await makeBook(server, person, { content })
    for (let part = 1; part < 3; part++) {
      const path = `/api/v1/items/${id}/pages`
      await send(server, person.key, { method: 'POST', path, body: { content, position: 'end' } })
    }
    return id
  }
})
