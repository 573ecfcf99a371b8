import { beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '../support/server.ts'
import { send, transports } from '../support/transports.ts'
import { contentTypeOf, putFile } from '../support/uploads.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { countOwnedBooks } from '../support/count-books.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
const bytes = Buffer.from('# A book\n')
const file = { filename: 'book.md', size: bytes.byteLength, contentType: contentTypeOf({ filename: 'book.md' }) }

const start = ({ key }: Person, idempotencyKey: string) =>
  send(server, key, {
    method: 'POST',
    path: '/api/v1/upload',
    body: file,
    headers: { 'Idempotency-Key': idempotencyKey },
  })
const idempotency = () => server.running.opened.database.db.collection<{ _id: string; answer: string }>('idempotency')

/** Returns everything that is stored, as text. */
async function dump(): Promise<string> {
  const { db } = server.running.opened.database
  const collections = await db.listCollections({}, { nameOnly: true }).toArray()
  const rows = await Promise.all(collections.map(({ name }) => db.collection(name).find({}).toArray()))
  return JSON.stringify(rows)
}

describe('a signed upload URL', () => {
  let person: Person
  beforeAll(async () => {
    person = await server.createPerson()
  })

  test('is in no collection, and a repeat gets it again', async () => {
    const first = await start(person, 'once')
    const token = new URL(first.body.uploadUrl).pathname.split('/').at(-1) as string
    const stored = await dump()
    expect(stored).not.toContain(token)
    expect(stored).not.toContain(token.slice(0, 40))
    expect((await start(person, 'once')).body).toEqual(first.body)
  })

  test('is refused while its account is suspended, and works again afterwards', async () => {
    const { body } = await start(person, 'suspended')
    const { accounts, now } = server.running.opened.services
    await accounts.change(person.id, { suspendedAt: now() })
    const refused = await putFile(body.uploadUrl, bytes)
    expect(refused).toMatchObject({ status: 403, body: { error: expect.stringContaining('suspended') } })
    await accounts.change(person.id, { suspendedAt: null })
    expect((await putFile(body.uploadUrl, bytes)).status).toBe(200)
  })

  test('is refused after its account was closed', async () => {
    const leaving = await server.createPerson()
    const { body } = await start(leaving, 'closed')
    const { accountClosures, now } = server.running.opened.services
    await accountClosures.close(leaving.id, now())
    const refused = await putFile(body.uploadUrl, bytes)
    expect(refused).toMatchObject({ status: 403, body: { error: expect.stringContaining('closed') } })
  })
})

describe('an answer that is stored for a repeat', () => {
  test.for(transports)('contains no plain text, over %s', async ([name, transport]) => {
    const person = await server.createPerson()
    const title = `A secret title over ${name}`
    const input = { title, content: 'x', ...(name === 'mcp' ? { idempotencyKey: 'k' } : {}) }
    const headers = { 'Idempotency-Key': 'k' }
    const create = () =>
      name === 'mcp'
        ? transport.call(server, person, 'create_markdown_item', input)
        : send(server, person.key, { method: 'POST', path: '/api/v1/items/markdown', body: input, headers })
    const first = await create()
    for (const { answer } of await idempotency().find({}).toArray()) expect(answer).not.toContain(title)
    expect((await create()).body).toEqual(first.body)
  })

  test('stored as plain text by an earlier version is returned unchanged', async () => {
    const person = await server.createPerson()
    const { body } = await start(person, 'former')
    const rows = await idempotency().find({}).sort({ startedAt: -1 }).limit(1).toArray()
    const answer = JSON.stringify({ ...body, storageKey: 'as stored' })
    await idempotency().updateOne({ _id: rows[0]!._id }, { $set: { answer } })
    expect((await start(person, 'former')).body.storageKey).toBe('as stored')
  })

  test('encrypted with another secret is refused, and nothing is created twice', async () => {
    const person = await server.createPerson()
    await start(person, 'older-secret')
    const rows = await idempotency().find({}).sort({ startedAt: -1 }).limit(1).toArray()
    const answer = `a256gcm.${Buffer.alloc(60, 7).toString('base64url')}`
    await idempotency().updateOne({ _id: rows[0]!._id }, { $set: { answer } })
    const again = await start(person, 'older-secret')
    expect(again).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } })
    expect(await countOwnedBooks(server.running.opened.services.books, person.id)).toBe(1)
  })
})
