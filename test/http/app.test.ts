import { beforeAll, describe, expect, test } from 'vitest'
import { send } from '../support/transports.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

const allowed = 'https://app.example'
const server = useTestServer({
  LECTERN_ROLE: 'web',
  LECTERN_ALLOWED_ORIGINS: `${allowed}, https://two.example:8443, https://Three.example/`,
})
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

const get = (path: string, headers: Record<string, string> = {}) =>
  send(server, person.key, { method: 'GET', path, headers })

describe('routes that do not exist', () => {
  test.for([
    ['GET', '/api/v1/nothing'],
    ['GET', '/api/v1'],
    ['GET', '/api/v2/items'],
    ['GET', '/api/v1/items/'],
    ['GET', '/api/v1/Items'],
    ['GET', '/api/v1//items'],
  ] as const)('%s %s is 404 in the error shape', async ([method, path]) => {
    const body = method === 'GET' ? undefined : {}
    const answer = await send(server, person.key, { method, path, body })
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual({
      error: expect.stringContaining('/docs'),
      code: 'NOT_FOUND',
      requestId: answer.headers.get('x-request-id'),
    })
  })
})

describe('a method that a path does not support', () => {
  test.for([
    ['POST', '/api/v1/items', 'GET, HEAD, DELETE'],
    ['PUT', '/api/v1/auth/whoami', 'GET, HEAD'],
    ['GET', '/api/v1/items/batch', 'POST'],
    ['DELETE', '/api/v1/items/some-book/pages/7', 'PUT'],
    ['POST', '/api/v1/jobs/events', 'GET, HEAD'],
    ['PATCH', '/api/v1/openapi.json', 'GET, HEAD'],
    ['GET', '/api/v1/upload/blob/token', 'PUT'],
    ['POST', '/api/marketplace/browse', 'GET, HEAD'],
    ['PURGE', '/api/v1/shelves/reading-list', 'GET, HEAD, PATCH, DELETE'],
  ] as const)('%s %s is 405 and lists the supported methods', async ([method, path, allow]) => {
    const answer = await send(server, null, { method, path })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe(allow)
    expect(answer.body).toEqual({
      error: `${method} is not supported here. Use ${allow}.`,
      code: 'METHOD_NOT_ALLOWED',
      requestId: answer.headers.get('x-request-id'),
    })
  })

  test('HEAD is answered like GET, and OPTIONS for a browser of an allowed origin', async () => {
    expect((await send(server, person.key, { method: 'HEAD', path: '/api/v1/items' })).status).toBe(200)
    const preflight = { Origin: allowed, 'Access-Control-Request-Method': 'POST' }
    const answer = await send(server, null, { method: 'OPTIONS', path: '/api/v1/items/batch', headers: preflight })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe(allowed)
  })
})

test.for([
  ['/no/such/page', 'text/html,application/xhtml+xml', 'text/html; charset=utf-8'],
  ['/no/such/page', '*/*', 'application/json'],
  ['/api/v1/nothing', 'text/html', 'application/json'],
  ['/oauth/nothing', 'application/json', 'application/json'],
] as const)('%s for %s is 404 as %s', async ([path, accept, type]) => {
  const answer = await get(path, { Accept: accept })
  expect(answer.status).toBe(404)
  expect(answer.headers.get('content-type')).toBe(type)
  if (type.startsWith('text/html')) expect(answer.text).toContain('No page found at /no/such/page.')
})

describe('X-Request-Id', () => {
  test('every response has a new X-Request-Id, never the caller’s', async () => {
    const paths = [
      '/api/v1/auth/whoami',
      '/api/v1/nothing',
      '/healthz',
      '/api/v1/openapi.json',
      '/api/v1/items?shelf=+',
    ]
    const ids = await Promise.all(
      paths.map(async (path) => (await get(path, { 'X-Request-Id': 'mine' })).headers.get('x-request-id')),
    )
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]{26}$/)
    expect(new Set(ids).size).toBe(paths.length)
  })

  test('the X-Request-Id header equals the requestId in the error body', async () => {
    const answer = await get('/api/v1/items?shelf=a+b')
    expect(answer.body.requestId).toBe(answer.headers.get('x-request-id'))
  })
})

test.for(['/healthz', '/readyz'])('%s reports success without a credential', async (path) => {
  expect(await send(server, null, { method: 'GET', path })).toMatchObject({ status: 200, body: { ok: true } })
})

test('metrics are labelled by route, never by path or id', async () => {
  await get('/api/v1/items/someid/content')
  await get('/api/v1/nothing/secret')
  const { text } = await send(server, null, { method: 'GET', path: '/metrics' })
  expect(text).toContain(
    'lectern_http_request_duration_seconds_count{route="get_item_content",method="GET",status="404"}',
  )
  expect(text).not.toMatch(/someid|secret/)
})

const cors = (answer: { headers: Headers }) => answer.headers.get('access-control-allow-origin')
describe('CORS', () => {
  test.for<[string, () => string]>([
    ["the server's own origin", () => server.baseUrl],
    ['an allowed origin', () => allowed],
    ['an allowed origin with a port', () => 'https://two.example:8443'],
    ['an origin that the settings name with a slash', () => 'https://three.example'],
  ])('%s may read responses and errors', async ([, origin]) => {
    const headers = { Origin: origin() }
    const answer = await get('/api/v1/auth/whoami', headers)
    expect(cors(answer)).toBe(origin())
    expect(answer.headers.get('access-control-expose-headers')).toMatch(/Retry-After/i)
    expect(answer.headers.get('access-control-expose-headers')).toMatch(/X-Request-Id/i)
    expect(answer.headers.get('vary')).toMatch(/origin/i)
    expect(cors(await send(server, null, { method: 'GET', path: '/api/v1/auth/whoami', headers }))).toBe(origin())
  })

  const foreign = [
    'https://evil.example',
    'http://app.example',
    'https://app.example:444',
    'https://app.example.evil.example',
    'https://evilapp.example',
    'null',
    'https://two.example',
  ]
  test.for(foreign)('the origin %s gets REST responses without CORS headers', async (origin) => {
    const answer = await get('/api/v1/auth/whoami', { Origin: origin })
    expect(answer.status).toBe(200)
    expect(cors(answer)).toBeNull()
  })

  test.for(foreign)('the origin %s gets 403 from MCP', async (origin) => {
    for (const method of ['POST', 'GET', 'DELETE']) {
      const body = method === 'POST' ? {} : undefined
      const answer = await send(server, person.key, { method, path: '/api/v1/mcp', body, headers: { Origin: origin } })
      expect(answer).toMatchObject({ status: 403, body: { code: 'ORIGIN_NOT_ALLOWED' } })
      expect(cors(answer)).toBeNull()
    }
  })

  test('an allowed origin may call MCP', async () => {
    const answer = await send(server, person.key, { method: 'GET', path: '/api/v1/mcp', headers: { Origin: allowed } })
    expect(answer.status).toBe(405)
    expect(cors(answer)).toBe(allowed)
  })

  test.for([
    [allowed, allowed],
    ['https://evil.example', null],
  ] as const)('a preflight of %s', async ([origin, expected]) => {
    for (const path of ['/api/v1/items', '/api/v1/mcp']) {
      const answer = await fetch(`${server.baseUrl}${path}`, {
        method: 'OPTIONS',
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'authorization,content-type,mcp-protocol-version',
        },
      })
      expect(cors(answer)).toBe(expected)
      if (expected) expect(answer.headers.get('access-control-allow-headers')).toMatch(/authorization/i)
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    }
  })

  test('every origin may read the OpenAPI document', async () => {
    const answer = await get('/api/v1/openapi.json', { Origin: 'https://evil.example' })
    expect(cors(answer)).toBe('*')
    expect(cors(await get('/api/v1/openapi.json', { Origin: allowed }))).toMatch(/^(\*|https:\/\/app\.example)$/)
  })
})
