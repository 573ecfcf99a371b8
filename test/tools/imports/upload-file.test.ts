import { execFile } from 'node:child_process'
import { request } from 'node:http'
import { connect } from 'node:net'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withUserPassword } from '../../support/encrypted-pdf.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { makeBook } from '../../support/make-book.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import type { Person } from '../../support/server.ts'
import { smallBooks } from '../../support/small-books.ts'
import { findListedItem, readPageTexts, sha256, waitForJobEnd } from '../../support/uploads.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer(
  await plansEnvironment(
    { tier: 'TINY', itemLimit: 1 },
    { tier: 'NARROW', uploadMb: 1 },
    { tier: 'FULL', storageMb: 1, uploadMb: 5 },
  ),
)
const run = promisify(execFile)
let person: Person
let folder: string

beforeAll(async () => {
  person = await server.createPerson()
  folder = await mkdtemp(join(tmpdir(), 'lectern-upload-file-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const text = '# One\n\nwhales\n'

interface Sent {
  method?: 'PUT' | 'POST'
  who?: Pick<Person, 'key'> | null
  headers?: Record<string, string>
  query?: string
}

async function put(name: string, body: string | Uint8Array, { method = 'PUT', who = person, ...rest }: Sent = {}) {
  const response = await fetch(`${server.baseUrl}/api/v1/upload/${encodeURIComponent(name)}${rest.query ?? ''}`, {
    method,
    headers: { ...(who ? { Authorization: `Bearer ${who.key}` } : {}), ...rest.headers },
    body: typeof body === 'string' ? body : Buffer.from(body),
  })
  const answer = (await response.json()) as Record<string, any>
  return {
    ok: response.ok,
    status: response.status,
    body: answer,
    text: JSON.stringify(answer),
    headers: response.headers,
  }
}

/** Checks that a refused upload leaves nothing: no book in any status, no slot, no file. */
async function expectNothingLeft(who: Person, { books = 0 } = {}) {
  const { services, database } = server.running.opened
  expect(await database.db.collection('books').countDocuments({ ownerId: who.id })).toBe(books)
  const account = await services.accounts.byId(who.id)
  expect({ slots: account?.slots, pending: account?.pending }).toEqual({ slots: books, pending: [] })
  expect(await database.db.collection('uploads').countDocuments({ accountId: who.id })).toBe(0)
  for await (const { key } of services.files.list('incoming')) expect(key).toBe('no file')
  expect(await services.files.removeStaleTempFiles(new Date(Date.now() + 60_000))).toBe(0)
}

describe('a file in one request', () => {
  test.for(['PUT', 'POST'] as const)('%s answers like the confirmation, and the book is imported', async (method) => {
    const { status, body } = await put('Whale song.md', text, { method })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        item: { id: expect.any(String), title: 'Whale song' },
        job: { id: expect.any(String), status: 'PENDING', type: 'import' },
        replacedItemId: null,
      },
    })
    expect(await waitForJobEnd(server, person, body['job'].id)).toMatchObject({ status: 'SUCCEEDED' })
    expect(await readPageTexts(server, person, body['item'].id)).toEqual([text])
  })

  test('curl -T works as documented, with the name of the file', async () => {
    const names = ['book.pdf', 'Wale & Möwen #2 100% (é).md']
    await writeFile(join(folder, names[0] as string), await smallBooks.pdf())
    await writeFile(join(folder, names[1] as string), text)
    for (const [name, title] of [
      [names[0], /book/i],
      [names[1], /^Wale & Möwen #2 100% \(é\)$/],
    ] as const) {
      const args = ['-sS', '-T', join(folder, name as string), '-H', `Authorization: Bearer ${person.key}`]
      const { stdout } = await run('curl', [...args, `${server.baseUrl}/api/v1/upload/`])
      const { item, job } = JSON.parse(stdout)
      expect(await waitForJobEnd(server, person, job.id)).toMatchObject({ status: 'SUCCEEDED' })
      const [book] = await server.running.opened.services.books.findOwned(person.id, [item.id])
      expect(book?.original?.filename).toBe(name)
      if (name === names[1]) expect(item.title).toMatch(title)
    }
  })

  test('stores the bytes unchanged, also from a stream without a length', async () => {
    const bytes = await smallBooks.epub()
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 1000) controller.enqueue(bytes.subarray(at, at + 1000))
        controller.close()
      },
    })
    const response = await fetch(`${server.baseUrl}/api/v1/upload/stream.epub`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${person.key}` },
      body,
      duplex: 'half',
    })
    const { item } = (await response.json()) as { item: { id: string } }
    const [book] = await server.running.opened.services.books.findOwned(person.id, [item.id])
    expect(book?.original).toMatchObject({ bytes: bytes.length, sha256: sha256(bytes), filename: 'stream.epub' })
  })

  test('takes the password of an encrypted file in a header', async () => {
    const { body } = await put('sealed.pdf', withUserPassword, { headers: { 'X-File-Password': 'user' } })
    const job = await waitForJobEnd(server, person, body['job'].id, 60_000)
    expect(job).toMatchObject({ status: 'SUCCEEDED', errorCode: null })
    expect(await readPageTexts(server, person, body['item'].id)).toEqual(['Secret text'])
  })

  test('replaces a book of the caller', async () => {
    const old = await makeBook(server, person, { title: 'Old' })
    const { body } = await put('new.md', text, { query: `?replacesItemId=${old}` })
    expect(body).toMatchObject({ replacedItemId: old })
    expect(await findListedItem(server, person, old)).toBeUndefined()
  })

  test('adds the same file again as another book, like the two-step upload', async () => {
    const [first, second] = [await put('twice.md', text), await put('twice.md', text)]
    expect(second.status).toBe(200)
    expect(second.body['item'].id).not.toBe(first.body['item'].id)
  })

  test('with an Idempotency-Key a repeat returns the first book', async () => {
    const headers = { 'Idempotency-Key': 'once-1' }
    const first = await put('once.md', text, { headers })
    const again = await put('once.md', text, { headers })
    expect(again.body).toEqual(first.body)
    const other = await put('other.md', text, { headers })
    expect({ status: other.status, body: other.body }).toMatchObject({
      status: 422,
      body: { code: 'IDEMPOTENCY_KEY_REUSED' },
    })
  })

  test('a key can be used again after a refusal', async () => {
    const headers = { 'Idempotency-Key': 'once-2' }
    expect((await put('wrong.pdf', text, { headers })).status).toBe(400)
    expect((await put('wrong.pdf', await smallBooks.pdf(), { headers })).status).toBe(200)
  })
})

describe('refused without leaving anything behind', () => {
  test.for<[string, string, string | Uint8Array, number, string, RegExp]>([
    ['a name with an unsupported extension', 'notes.exe', text, 400, 'INVALID_INPUT', /Only PDF, EPUB/],
    ['a name without a visible character', ' .md', text, 400, 'INVALID_INPUT', /visible character/],
    ['an empty body', 'empty.md', '', 400, 'INVALID_INPUT', /The file is empty\. Send it as the body/],
    ['content of another kind', 'text.pdf', text, 400, 'INVALID_INPUT', /The file is not in PDF format/],
  ])('%s', async ([, name, body, status, code, message]) => {
    const who = await server.createPerson()
    expectRefusal(await put(name, body, { who }), 'rest', { status, code, message })
    await expectNothingLeft(who)
  })

  test('a compressed body', async () => {
    const who = await server.createPerson()
    const answer = await put('a.md', text, { who, headers: { 'Content-Encoding': 'gzip' } })
    expectRefusal(answer, 'rest', { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', message: /as it is/ })
    await expectNothingLeft(who)
  })

  test('a full library and a full storage', async () => {
    const tiny = await server.createPerson({ plan: 'TINY' })
    await makeBook(server, tiny)
    const refusal = { status: 403, code: 'PLAN_LIMIT_EXCEEDED', message: /Your library is full/ }
    expectRefusal(await put('a.md', text, { who: tiny }), 'rest', refusal)
    await expectNothingLeft(tiny, { books: 1 })
    const full = await server.createPerson({ plan: 'FULL' })
    const answer = await put('a.md', `# A\n\n${'x'.repeat(1024 * 1024)}\n`, { who: full })
    expectRefusal(answer, 'rest', { status: 403, code: 'PLAN_LIMIT_EXCEEDED', message: /storage is full/ })
    await expectNothingLeft(full)
  })

  test("another account's book to replace", async () => {
    const who = await server.createPerson()
    const foreign = await makeBook(server, person)
    const answer = await put('a.md', text, { who, query: `?replacesItemId=${foreign}` })
    expectRefusal(answer, 'rest', { status: 404, code: 'NOT_FOUND', message: /Item not found/ })
    await expectNothingLeft(who)
  })

  test('a key without write access, and no key', async () => {
    const reader = await server.createPerson({ scopes: ['library:read'] })
    const refusal = { status: 403, code: 'INSUFFICIENT_SCOPE', message: /library:write/ }
    expectRefusal(await put('a.md', text, { who: reader }), 'rest', refusal)
    expect((await put('a.md', text, { who: null })).status).toBe(401)
  })

  test('a file beyond the limit of the plan, while it streams', async () => {
    const who = await server.createPerson({ plan: 'NARROW' })
    const outgoing = request(`${server.baseUrl}/api/v1/upload/long.md`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${who.key}` },
    })
    const answered = new Promise<{ status: number; body: string }>((resolve, reject) => {
      outgoing.on('response', (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (part: string) => (body += part))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
      })
      outgoing.on('error', reject)
    })
    for (let at = 0; at < 20; at += 1) outgoing.write(Buffer.alloc(64 * 1024, 'x'))
    const { status, body } = await answered
    outgoing.on('error', () => {})
    outgoing.destroy()
    expect({ status, body: JSON.parse(body) }).toMatchObject({
      status: 413,
      body: { code: 'PAYLOAD_TOO_LARGE', error: /larger than 1 MB/ },
    })
    await expectNothingLeft(who)
  })

  test('an interrupted body', async () => {
    const who = await server.createPerson()
    const outgoing = request(`${server.baseUrl}/api/v1/upload/broken.md`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${who.key}`, 'Content-Length': '1000000' },
    })
    outgoing.on('error', () => {})
    outgoing.write(Buffer.alloc(100_000, 'x'))
    await delay(300)
    outgoing.destroy()
    await delay(300)
    await expectNothingLeft(who)
  })
})

test('four files of one account arrive at a time; further ones wait, and other accounts do not', async () => {
  const hasty = await server.createPerson()
  const held = Array.from({ length: 4 }, (_, at) => {
    const outgoing = request(`${server.baseUrl}/api/v1/upload/held-${at}.md`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${hasty.key}`, 'Content-Length': '1000' },
    })
    outgoing.on('error', () => {})
    outgoing.write('# Held\n')
    return outgoing
  })
  // Once this upload has succeeded, the server is receiving the four files.
  await expect.poll(() => put('of-another.md', text).then(({ status }) => status)).toBe(200)
  let isAnswered = false
  const fifth = put('fifth.md', text, { who: hasty }).then((answer) => {
    isAnswered = true
    return answer
  })
  expect((await put('of-another-2.md', text)).status).toBe(200)
  expect(isAnswered).toBe(false)
  for (const outgoing of held) outgoing.destroy()
  expect((await fifth).status).toBe(200)
})

describe('a client that waits before sending its body', () => {
  /** Returns the server's responses to the head of a request, and then to its body. */
  async function sendHead(who: Person, { path, length }: { path: string; length: number }, body: string) {
    const { hostname, port } = new URL(server.baseUrl)
    const socket = connect(Number(port), hostname)
    let answer = ''
    const ended = new Promise<void>((resolve) => socket.on('close', () => resolve()))
    socket.setEncoding('utf8').on('data', (part: string) => {
      answer += part
      if (part.startsWith('HTTP/1.1 100')) socket.write(body)
      if (answer.endsWith('}')) socket.end()
    })
    const head = [`PUT ${path} HTTP/1.1`, `Host: ${hostname}`, `Authorization: Bearer ${who.key}`]
    socket.write([...head, `Content-Length: ${length}`, 'Expect: 100-continue', '', ''].join('\r\n'))
    await ended
    return answer
  }

  test('is refused without sending it, and the connection ends', async () => {
    const who = await server.createPerson({ plan: 'NARROW' })
    const answer = await sendHead(who, { path: '/api/v1/upload/big.pdf', length: 5_000_000 }, '')
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(answer).toMatch(/\r\nConnection: close\r\n/i)
    expect(answer).not.toContain('100 Continue')
    await expectNothingLeft(who)
  })

  test('is asked for it otherwise', async () => {
    const who = await server.createPerson()
    const answer = await sendHead(who, { path: '/api/v1/upload/small.md', length: text.length }, text)
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
    expect(answer).toContain('"title":"small"')
  })
})
