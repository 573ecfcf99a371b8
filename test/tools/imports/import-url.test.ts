import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { startTestServer, type Person, type TestServer } from '../../support/server.ts'
import { smallBooks } from '../../support/small-books.ts'
import { send } from '../../support/transports.ts'
import { readPageTexts, waitForJobEnd } from '../../support/uploads.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const text = '# One\n\nwhales\n'
const page = '<!doctype html><title>Sign in</title><p>Please sign in.'
const plans = await plansEnvironment({ tier: 'NARROW', uploadMb: 1 })
/** May fetch from 127.0.0.1 and from no other address. */
const server = useTestServer(
  { ...plans, LECTERN_IMPORT_URL: 'http' },
  { urlImports: { allowsAddress: (address) => address === '127.0.0.1', anyPort: true, stallTimeoutMs: 1000 } },
)
/** Has the restrictions of a server on the internet. */
const guarded = useTestServer({ LECTERN_IMPORT_URL: 'http' })

type Answer = (request: IncomingMessage, response: ServerResponse) => void

let site: Server
let other: Server
let siteUrl: string
let answer: Answer
let requests: IncomingMessage[] = []
let others = 0
let person: Person

beforeAll(async () => {
  site = createServer((request, response) => {
    requests.push(request)
    answer(request, response)
  })
  other = createServer((_, response) => {
    others += 1
    response.end(text)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.2', resolve))
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  person = await server.createPerson()
})
beforeEach(() => {
  requests = []
  others = 0
})
afterAll(() => {
  for (const each of [site, other]) {
    each.closeAllConnections()
    each.close()
  }
})

async function importUrl(url: unknown, { at = server, who = person, body = {}, headers = {} }: Options = {}) {
  return send(at, who.key, { method: 'POST', path: '/api/v1/imports/url', body: { url, ...body }, headers })
}
interface Options {
  at?: TestServer
  who?: Person
  body?: object
  headers?: Record<string, string>
}

const booksOf = (at: TestServer, { id }: Person) =>
  at.running.opened.database.db.collection('books').countDocuments({ ownerId: id })

describe('a file at a URL', () => {
  test('becomes a book, named after the URL', async () => {
    const bytes = await smallBooks.epub()
    answer = (_, response) => {
      response.setHeader('Content-Disposition', 'attachment; filename="tales of the sea.epub"')
      response.end(bytes)
    }
    const { status, body } = await importUrl(`${siteUrl}/get?id=1#part`)
    expect({ status, body }).toMatchObject({ status: 200, body: { job: { status: 'PENDING', type: 'import' } } })
    expect(await waitForJobEnd(server, person, body.job.id)).toMatchObject({ status: 'SUCCEEDED' })
    const [book] = await server.running.opened.services.books.findOwned(person.id, [body.item.id])
    expect(book?.original).toMatchObject({ filename: 'tales of the sea.epub', bytes: bytes.length })
    expect(requests.map(({ url }) => url)).toEqual(['/get?id=1'])
    const names = Object.keys(requests[0]?.headers ?? {})
    expect(names.toSorted()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent'])
  })

  test('is found behind redirects, and may be given another name', async () => {
    answer = ({ url }, response) => {
      if (url === '/end') return void response.end(text)
      response.writeHead(302, { Location: url === '/start' ? '/middle' : `${siteUrl}/end` }).end()
    }
    const { body } = await importUrl(`${siteUrl}/start`, { body: { filename: 'Whales.md' } })
    expect(body.item.title).toBe('Whales')
    expect(await waitForJobEnd(server, person, body.job.id)).toMatchObject({ status: 'SUCCEEDED' })
    expect(await readPageTexts(server, person, body.item.id)).toEqual([text])
    expect(requests.map(({ url }) => url)).toEqual(['/start', '/middle', '/end'])
  })

  test('is found behind a redirect whose address has letters that are not encoded', async () => {
    answer = ({ url, socket }, response) => {
      if (url === '/start') socket.end('HTTP/1.1 302 Found\r\nLocation: /Möwen.md\r\nContent-Length: 0\r\n\r\n')
      else response.end(text)
    }
    const { body } = await importUrl(`${siteUrl}/start`)
    expect(body.item.title).toBe('Möwen')
    expect(requests.map(({ url }) => url)).toEqual(['/start', '/M%C3%B6wen.md'])
  })

  test('is recognised by its content if neither its URL nor its type names a format', async () => {
    const bytes = await smallBooks.pdf()
    answer = (_, response) => {
      response.setHeader('Content-Type', 'application/octet-stream')
      // The first byte arrives on its own.
      response.write(bytes.subarray(0, 1))
      setImmediate(() => response.end(bytes.subarray(1)))
    }
    const { body } = await importUrl(`${siteUrl}/files/7`)
    expect(await waitForJobEnd(server, person, body.job.id)).toMatchObject({ status: 'SUCCEEDED' })
    const [book] = await server.running.opened.services.books.findOwned(person.id, [body.item.id])
    expect(book?.original).toMatchObject({ filename: '7.pdf', bytes: bytes.length })
  })

  test('may be a web page if its name says so', async () => {
    answer = (_, response) => void response.setHeader('Content-Type', 'text/html').end(page)
    for (const [path, body] of [
      ['/whales', {}],
      ['/whales.pdf', { filename: 'whales.html' }],
    ] as const)
      expect((await importUrl(`${siteUrl}${path}`, { body })).status).toBe(200)
  })

  test('becomes one book for calls with one Idempotency-Key', async () => {
    answer = (_, response) => void response.end(text)
    const headers = { 'Idempotency-Key': 'fetch-once' }
    const [first, again] = [
      await importUrl(`${siteUrl}/a.md`, { headers }),
      await importUrl(`${siteUrl}/a.md`, { headers }),
    ]
    expect(first.status).toBe(200)
    expect(again.body).toEqual(first.body)
    expect(requests).toHaveLength(1)
  })
})

describe('refused without leaving anything behind', () => {
  const invalid = (message: RegExp) => ({ status: 400, code: 'INVALID_INPUT', message })

  test.for<[string, string, Answer, RegExp]>([
    ['a page that does not exist', '/a.pdf', (_, response) => void response.writeHead(404).end(), /status 404/],
    [
      'endless redirects',
      '/a',
      ({ url }, response) => void response.writeHead(302, { Location: `${url}a` }).end(),
      /more than 5 times/,
    ],
    [
      'a redirect to a file of the server',
      '/a',
      (_, response) => void response.writeHead(302, { Location: 'file:///etc/passwd' }).end(),
      /Only http and https/,
    ],
    [
      'a redirect with a password',
      '/a',
      (_, response) => void response.writeHead(302, { Location: 'http://u:p@127.0.0.1/' }).end(),
      /user name or password/,
    ],
    ['a name with an unsupported extension', '/a.exe', (_, response) => void response.end(text), /Only PDF, EPUB/],
    ['content of another kind', '/a.pdf', (_, response) => void response.end(text), /The file is not in PDF format/],
    [
      'a web page in place of a PDF',
      '/a.pdf',
      (_, response) => void response.setHeader('Content-Type', 'text/html').end(page),
      /leads to a web page, not to the file itself/,
    ],
    [
      'a web page in place of a Markdown file',
      '/a.md',
      (_, response) => void response.setHeader('Content-Type', 'text/html; charset=utf-8').end(page),
      /leads to a web page, not to the file itself/,
    ],
    [
      'a server that switches to another protocol',
      '/a.md',
      ({ socket }) =>
        void socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n'),
      /could not be reached/,
    ],
    ['a server that does not answer', '/a.md', () => undefined, /did not answer in time/],
    ['a file that stops arriving', '/a.md', (_, response) => void response.write(text), /did not arrive in time/],
    ['an empty file', '/a.md', (_, response) => void response.end(), /The file is empty/],
    [
      'a compressed answer',
      '/a.md',
      (_, response) => void response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('x'),
      /encoding gzip/,
    ],
    [
      'an interrupted response',
      '/a.md',
      (_, response) => {
        response.writeHead(200, { 'Content-Length': '1000' })
        response.write('# One\n')
        setImmediate(() => response.destroy())
      },
      /broke off/,
    ],
  ])('%s', async ([, path, answers, message]) => {
    const who = await server.createPerson()
    answer = answers
    expectRefusal(await importUrl(`${siteUrl}${path}`, { who }), 'rest', invalid(message))
    expect(await booksOf(server, who)).toBe(0)
    expect(await server.running.opened.services.files.removeStaleTempFiles(new Date(Date.now() + 60_000))).toBe(0)
  })

  test.for([true, false])('a file beyond the limit of the plan, with a declared length: %s', async (isSaid) => {
    const who = await server.createPerson({ plan: 'NARROW' })
    answer = (_, response) => {
      if (isSaid) response.setHeader('Content-Length', 3_000_000)
      response.end(Buffer.alloc(3_000_000, 'x'))
    }
    const refusal = { status: 413, code: 'PAYLOAD_TOO_LARGE', message: /larger than 1 MB/ }
    expectRefusal(await importUrl(`${siteUrl}/long.md`, { who }), 'rest', refusal)
    expect(await booksOf(server, who)).toBe(0)
  })

  test('a redirect to a URL that is not allowed, which gets no request', async () => {
    const { port } = other.address() as AddressInfo
    answer = (_, response) => void response.writeHead(302, { Location: `http://127.0.0.2:${port}/a.md` }).end()
    expectRefusal(await importUrl(`${siteUrl}/a.md`), 'rest', invalid(/public internet/))
    expect([requests.length, others]).toEqual([1, 0])
  })

  test('an invalid URL, and a key without write access', async () => {
    expectRefusal(await importUrl(undefined), 'rest', invalid(/url is required/))
    const who = await server.createPerson({ scopes: ['library:read'] })
    const refusal = { status: 403, code: 'INSUFFICIENT_SCOPE', message: /library:write/ }
    expectRefusal(await importUrl(`${siteUrl}/a.md`, { who }), 'rest', refusal)
  })
})

describe('a server on the internet', () => {
  let visitor: Person
  beforeAll(async () => {
    visitor = await guarded.createPerson()
  })

  test.for<[string, RegExp]>([
    ['http://127.0.0.1/a.md', /public internet/],
    ['http://localhost/a.md', /public internet/],
    ['http://2130706433/a.md', /public internet/],
    ['http://0x7f.1/a.md', /public internet/],
    ['http://017700000001/a.md', /public internet/],
    ['http://１２７.0.0.1/a.md', /public internet/],
    ['http://0/a.md', /public internet/],
    ['http://[::1]/a.md', /public internet/],
    ['http://[::ffff:127.0.0.1]/a.md', /public internet/],
    ['http://[64:ff9b::7f00:1]/a.md', /public internet/],
    ['http://169.254.169.254/latest/meta-data/x.txt', /public internet/],
    ['http://example.com:8080/a.md', /Only the ports/],
    ['http://example.com:443/a.md', /Only the ports/],
    ['https://user@example.com/a.md', /user name or password/],
    ['ftp://example.com/a.md', /Only http and https/],
    ['file:///etc/passwd.txt', /Only http and https/],
    ['data:text/plain,x', /Only http and https/],
    ['not an address', /Only http and https/],
  ])('does not fetch %s', async ([url, message]) => {
    const answered = await importUrl(url, { at: guarded, who: visitor })
    expectRefusal(answered, 'rest', { status: 400, code: 'INVALID_INPUT', message })
  })
})

test.for<[string, number, string, RegExp]>([
  ['off', 403, 'FORBIDDEN', /LECTERN_IMPORT_URL/],
  ['https', 400, 'INVALID_INPUT', /Only https addresses/],
])('with the setting %s http is refused', async ([mode, status, code, message]) => {
  const plain = await startTestServer({ LECTERN_IMPORT_URL: mode, LECTERN_ROLE: 'web' })
  try {
    const who = await plain.createPerson()
    expectRefusal(await importUrl(`${siteUrl}/a.md`, { at: plain, who }), 'rest', { status, code, message })
    expect(requests).toEqual([])
  } finally {
    await plain.close()
  }
})
