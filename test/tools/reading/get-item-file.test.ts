import { readdirSync, readlinkSync } from 'node:fs'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { markdownPages, makeBook } from '../../support/make-book.ts'
import { publishBook } from '../../support/marketplace.ts'
import { smallBooks } from '../../support/small-books.ts'
import type { Person } from '../../support/server.ts'
import { createTeamClient } from '../../support/team-client.ts'
import { rest, type ToolResponse } from '../../support/transports.ts'
import { importFile } from '../../support/uploads.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer()

const call = async (person: Person, tool: string, input: Record<string, unknown> = {}) => {
  const answer: ToolResponse = await rest.call(server, person, tool, input)
  if (!answer.ok) throw new Error(`${tool} was refused: ${answer.text}`)
  return answer.body
}
const fetchFile = (person: Person, itemId: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${server.baseUrl}/api/v1/items/${itemId}/file`, {
    method,
    headers: { Authorization: `Bearer ${person.key}`, ...headers },
  })
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())
const readsOf = async (person: Person) => (await call(person, 'whoami')).monthlyReadsUsed as number

async function importedBook(person: Person, filename = 'Élan, tales.epub') {
  const bytes = Buffer.from(await smallBooks.epub())
  const { itemId } = await importFile(server, person, { filename, bytes })
  return { itemId, bytes }
}

describe('the original file of a book', () => {
  test('is sent unchanged, under its name, and costs one read a day', async () => {
    const person = await server.createPerson({ plan: 'FREE' })
    const { itemId, bytes } = await importedBook(person)
    const response = await fetchFile(person, itemId)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/epub+zip',
      'content-length': String(bytes.length),
      'content-disposition': `attachment; filename="Elan, tales.epub"; filename*=UTF-8''%C3%89lan%2C%20tales.epub`,
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      etag: expect.stringMatching(/^"[\w-]{27}"$/),
    })
    expect((await bytesOf(response)).equals(bytes)).toBe(true)
    expect(await readsOf(person)).toBe(1)
    await bytesOf(await fetchFile(person, itemId))
    await bytesOf(await fetchFile(person, itemId, { Range: 'bytes=5-' }))
    expect(await readsOf(person)).toBe(1)
  })

  test.for<[range: string, status: number, from: number, to: number]>([
    ['bytes=0-0', 206, 0, 1],
    ['bytes=10-19', 206, 10, 20],
    ['bytes=100-', 206, 100, Infinity],
    ['bytes=100-99999999', 206, 100, Infinity],
    ['bytes=-7', 206, -7, Infinity],
    ['bytes=-99999999', 206, 0, Infinity],
    ['bytes=20-10', 200, 0, Infinity],
    ['bytes=0-1,5-6', 200, 0, Infinity],
    ['bytes=x-', 200, 0, Infinity],
    ['bytes=-', 200, 0, Infinity],
    ['pages=1-2', 200, 0, Infinity],
  ])('for %s is answered with %i and these bytes', async ([range, status, from, to]) => {
    const { person, itemId, bytes } = await shared()
    const response = await fetchFile(person, itemId, { Range: range })
    expect(response.status).toBe(status)
    const expected = bytes.subarray(from, Math.min(to, bytes.length))
    expect(response.headers.get('content-length')).toBe(String(expected.length))
    const start = from < 0 ? bytes.length + from : from
    const contentRange = `bytes ${start}-${start + expected.length - 1}/${bytes.length}`
    expect(response.headers.get('content-range')).toBe(status === 206 ? contentRange : null)
    expect((await bytesOf(response)).equals(expected)).toBe(true)
  })

  test.for(['bytes=99999999-', 'bytes=-0'])('has no range %s', async (range) => {
    const { person, itemId, bytes } = await shared()
    const response = await fetchFile(person, itemId, { Range: range })
    expect([response.status, response.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`])
  })

  test('is not sent again to a client that has it, and a range of a changed file is the whole one', async () => {
    const { person, itemId, bytes } = await shared()
    const etag = (await fetchFile(person, itemId, {}, 'HEAD')).headers.get('etag') ?? ''
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const response = await fetchFile(person, itemId, { 'If-None-Match': known })
      expect([response.status, (await bytesOf(response)).length]).toEqual([304, 0])
    }
    expect((await fetchFile(person, itemId, { 'If-None-Match': '"x"', Range: 'bytes=0-1' })).status).toBe(206)
    expect((await fetchFile(person, itemId, { 'If-Range': etag, Range: 'bytes=0-1' })).status).toBe(206)
    const whole = await fetchFile(person, itemId, { 'If-Range': '"x"', Range: 'bytes=0-1' })
    expect([whole.status, (await bytesOf(whole)).length]).toEqual([200, bytes.length])
  })

  test('is described to HEAD without a read', async () => {
    const person = await server.createPerson()
    const { itemId, bytes } = await importedBook(person)
    const response = await fetchFile(person, itemId, {}, 'HEAD')
    expect([response.status, response.headers.get('content-length')]).toEqual([200, String(bytes.length)])
    expect(await readsOf(person)).toBe(0)
  })

  test('is refused, with the next step, for a written book', async () => {
    const person = await server.createPerson()
    const response = await fetchFile(person, await makeBook(server, person, { content: 'text' }))
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({
      code: 'CONFLICT',
      error: expect.stringMatching(/export\?format=markdown/),
    })
  })

  test('that is missing in the store is not found, with the next step', async () => {
    const person = await server.createPerson()
    const { itemId } = await importedBook(person)
    const { books, files } = server.running.opened.services
    const [book] = await books.findOwned(person.id, [itemId])
    const key = book?.original?.storageKey ?? ''
    const kept = await bytesOf(await fetchFile(person, itemId))
    await files.delete(key)
    const response = await fetchFile(person, itemId)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: expect.stringMatching(/missing.*export\?format=markdown/) })
    await files.put(key, Readable.from([kept]), { contentType: 'application/epub+zip', maxBytes: kept.length })
  })

  test('is refused if no monthly reads are left', async () => {
    const person = await server.createPerson({ plan: 'FREE' })
    const { itemId } = await importedBook(person)
    const { readMeter } = server.running.opened.services
    await readMeter.charge(person.id, { id: 'all', count: 500, limit: 500, now: new Date() })
    expect((await fetchFile(person, itemId)).status).toBe(429)
    expect((await fetchFile(person, itemId, { Range: 'bytes=1-' })).status).toBe(429)
  })

  test('is available to a team, but not after its text has been changed', async () => {
    const person = await server.createPerson()
    const bytes = new TextEncoder().encode('# One\n\nsecret\n')
    const { itemId } = await importFile(server, person, { filename: 'a.md', bytes })
    const { team } = await call(person, 'create_team', { name: 'Birds' })
    const member = await server.createPerson()
    await createTeamClient(server).addMember(team.id, member)
    await call(person, 'share_item', { teamId: team.id, itemId })
    expect((await fetchFile(member, itemId)).status).toBe(200)
    await call(person, 'put_item_content', { id: itemId, content: '# One\n\npublic\n' })
    const refused = await fetchFile(member, itemId)
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ code: 'FORBIDDEN', error: expect.stringMatching(/only the owner/) })
    expect((await fetchFile(person, itemId)).status).toBe(200)
  })

  test('is refused to readers of a preview like the further pages', async () => {
    const owner = await server.createPerson()
    const { itemId, listingId } = await publishBook(server, owner, {
      content: markdownPages(5),
      terms: { proOnly: true },
    })
    const reader = await server.createPerson({ plan: 'FREE' })
    await call(reader, 'subscribe_marketplace', { listingId })
    for (const path of ['file', 'export?format=markdown', 'export?format=epub']) {
      const response = await fetch(`${server.baseUrl}/api/v1/items/${itemId}/${path}`, {
        headers: { Authorization: `Bearer ${reader.key}` },
      })
      expect([path, response.status]).toEqual([path, 403])
      expect(await response.json()).toMatchObject({ code: 'FORBIDDEN', error: expect.stringMatching(/preview/) })
    }
  })

  test('of a stranger is not found, and needs a key', async () => {
    const { itemId } = await shared()
    expect((await fetchFile(await server.createPerson(), itemId)).status).toBe(404)
    expect((await fetch(`${server.baseUrl}/api/v1/items/${itemId}/file`)).status).toBe(401)
  })

  test('releases its slot when the client disconnects during the transfer', async () => {
    const person = await server.createPerson()
    const line = 'A line of a long book, which is some words long.\n\n'
    const { itemId } = await importFile(server, person, {
      filename: 'long.md',
      bytes: new TextEncoder().encode(`# Long\n\n${line.repeat(120_000)}`),
    })
    for (let at = 0; at < 4; at++) {
      const stop = new AbortController()
      const response = await fetch(`${server.baseUrl}/api/v1/items/${itemId}/file`, {
        headers: { Authorization: `Bearer ${person.key}` },
        signal: stop.signal,
      })
      expect(response.status).toBe(200)
      await response.body?.getReader().read()
      stop.abort()
    }
    expect((await bytesOf(await fetchFile(person, itemId))).length).toBeGreaterThan(5_000_000)
    await expect.poll(() => openFiles(itemId)).toEqual([])
  })
})

/** Returns the paths of open files of a book. The server runs in this process. */
function openFiles(itemId: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`)
      return path.includes(itemId) ? [path] : []
    } catch {
      return []
    }
  })
}

let made: Promise<{ person: Person; itemId: string; bytes: Buffer }> | undefined

function shared() {
  made ??= (async () => {
    const person = await server.createPerson()
    return { person, ...(await importedBook(person)) }
  })()
  return made
}
