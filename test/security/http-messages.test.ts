import { describe, expect, test } from 'vitest'
import { makeBook } from '../support/make-book.ts'
import { sendBytes } from '../support/raw-http.ts'
import { send } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const chunked = '0\r\n\r\n'
const hidden = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'

/** Requests whose end a proxy and this server could locate at different positions (RFC 9112, sections 6.3 and 11.2). */
const ambiguous: [what: string, headers: string[], body: string][] = [
  ['a length and chunks', ['Content-Length: 5', 'Transfer-Encoding: chunked'], chunked],
  ['chunks and a length', ['Transfer-Encoding: chunked', 'Content-Length: 5'], chunked],
  ['two lengths', ['Content-Length: 0', 'Content-Length: 36'], ''],
  ['a list of lengths', ['Content-Length: 0, 36'], ''],
  ['a length with a sign', ['Content-Length: +0'], ''],
  ['an unknown transfer encoding', ['Transfer-Encoding: xchunked'], chunked],
  ['a space before the colon', ['Transfer-Encoding : chunked'], chunked],
  ['a folded header', ['Transfer-Encoding:', ' chunked'], chunked],
  ['a chunk size that is no number', ['Transfer-Encoding: chunked'], '0x1\r\na\r\n0\r\n\r\n'],
  ['a line end in a header', ['X-Name: a\rTransfer-Encoding: chunked'], chunked],
]

describe('request smuggling is impossible', () => {
  test.for(ambiguous)('a request with %s is refused, and nothing after it is answered', async ([, headers, body]) => {
    const head = ['POST /api/v1/items/batch HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...headers]
    const answer = await sendBytes(server, `${head.join('\r\n')}\r\n\r\n${body}${hidden}`)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer.match(/^HTTP\/1\.1/gm)).toHaveLength(1)
  })

  test('control: a request after a plain one is answered', async () => {
    const head = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
    expect(await sendBytes(server, head)).toMatch(/^HTTP\/1\.1 200 /)
  })
})

test('of a repeated query parameter only the first value is used', async () => {
  const person = await server.createPerson()
  const book = await makeBook(server, person, { content: 'text' })
  const post = (path: string, body: object) => send(server, person.key, { method: 'POST', path, body })
  const full = await post('/api/v1/shelves', { name: 'Full' })
  await post('/api/v1/shelves', { name: 'Empty' })
  await post(`/api/v1/shelves/${full.body.id}/items`, { itemIds: [book] })
  const list = async (query: string) => {
    const { body } = await send(server, person.key, { method: 'GET', path: `/api/v1/items?${query}` })
    return body.items
  }
  expect(await list('shelf=full')).toHaveLength(1)
  expect(await list('shelf=empty')).toHaveLength(0)
  expect(await list('shelf=full&shelf=empty')).toHaveLength(1)
  expect(await list('shelf=empty&shelf=full')).toHaveLength(0)
  expect(await list('shelf[]=full&shelf=empty')).toHaveLength(0)
})

describe('TRACE', () => {
  test.for(['/', '/healthz', '/assets/style.css', '/api/v1/items', '/api/v1/mcp', '/oauth/token', '/oauth/authorize'])(
    'TRACE %s does not return the request',
    async (path) => {
      const head = [`TRACE ${path} HTTP/1.1`, 'Host: x', 'Cookie: lectern=CANARY', 'Connection: close']
      const answer = await sendBytes(server, `${head.join('\r\n')}\r\n\r\n`)
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
      expect(answer).not.toContain('CANARY')
    },
  )
})

describe('the files of the server', () => {
  test.for([
    '/assets',
    '/assets/',
    '/assets/../app/config.ts',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/assets/..%2f..%2fpackage.json',
    '/assets/layout.ts',
    '/package.json',
    '/src/app/run.ts',
    '/data/secret',
    '/.git/config',
    '/.env',
  ])('%s is neither listed nor served', async (path) => {
    const answer = await sendBytes(server, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 404 /)
    expect(answer).not.toMatch(/import |"dependencies"|\[core\]|href="style\.css"/)
  })
})
