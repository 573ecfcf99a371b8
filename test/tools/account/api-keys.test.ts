import { beforeAll, describe, expect, test } from 'vitest'
import { generateApiKey } from '../../../src/accounts/api-key.ts'
import { rateLimits } from '../../../src/accounts/rate-limiter.ts'
import { send } from '../../support/transports.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import type { WebClient } from '../../support/web-client.ts'
import { signedInPerson } from '../../support/signed-in-person.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

interface Session {
  browser: WebClient
  csrf: string
}

async function session(): Promise<Session & { accountId: string }> {
  const { browser, account } = await signedInPerson(server)
  const csrf = /<meta name="csrf-token" content="([^"]+)"/.exec((await browser.get('/keys')).text)?.[1] as string
  return { browser, csrf, accountId: account.id }
}

interface Call {
  method: string
  path?: string
  body?: unknown
  headers?: Record<string, string>
}

/** Calls a route like a script on a page of the server. */
function call({ browser, csrf }: Session, { method, path = '', body, headers = {} }: Call) {
  const cookies = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return send(server, null, {
    method,
    path: `/api/v1/auth/keys${path}`,
    body,
    headers: { Cookie: cookies, 'X-CSRF-Token': csrf, Origin: server.baseUrl, ...headers },
  })
}

const whoami = (key: string) => send(server, key, { method: 'GET', path: '/api/v1/auth/whoami' })

describe('with a session', () => {
  test('a key is created, works, is listed with its last use, and stops working when revoked', async () => {
    const mine = await session()
    const made = await call(mine, { method: 'POST', body: { name: ' Laptop ' } })
    expect(made.status).toBe(201)
    expect(made.headers.get('cache-control')).toBe('no-store')
    expect(made.body).toEqual({
      id: expect.stringMatching(/^[a-z0-9]{26}$/),
      key: expect.stringMatching(/^lectern_[0-9A-Za-z]{40}$/),
      name: 'Laptop',
      scopes: ['library:read', 'library:write', 'marketplace:read', 'marketplace:write'],
      createdAt: expect.any(String),
      expiresAt: null,
    })
    expect((await whoami(made.body.key)).body.id).toBe(mine.accountId)
    const { key, ...shown } = made.body
    const list = () => call(mine, { method: 'GET' }).then(({ body }) => body.keys)
    await expect.poll(async () => (await list())[0].lastUsedAt).toEqual(expect.any(String))
    expect(await list()).toEqual([{ ...shown, lastUsedAt: expect.any(String) }])
    expect(JSON.stringify(await list())).not.toContain(key)
    const revoked = await call(mine, { method: 'DELETE', path: `/${made.body.id}` })
    expect(revoked.body).toEqual({ id: made.body.id, revoked: true })
    expect((await whoami(key)).status).toBe(401)
    expect(await list()).toEqual([])
    expect((await call(mine, { method: 'DELETE', path: `/${made.body.id}` })).status).toBe(404)
  })

  test('a key has the requested scopes and expiry', async () => {
    const mine = await session()
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const body = { name: 'Reader', scopes: ['marketplace:read', 'library:read', 'library:read'], expiresAt }
    const made = await call(mine, { method: 'POST', body })
    expect(made.body).toMatchObject({ scopes: ['library:read', 'marketplace:read'], expiresAt })
    const create = await send(server, made.body.key, { method: 'POST', path: '/api/v1/shelves', body: { name: 'S' } })
    expect(create).toMatchObject({ status: 403, body: { code: 'INSUFFICIENT_SCOPE' } })
  })

  test.for<[string, unknown, RegExp]>([
    ['no name', {}, /name is required/],
    ['a blank name', { name: ' ' }, /name is required/],
    ['a long name', { name: 'x'.repeat(101) }, /name must be at most 100/],
    ['no scope', { name: 'K', scopes: [] }, /at least one scope/],
    ['an unknown scope', { name: 'K', scopes: ['admin'] }, /scopes\.0 must be one of/],
    ['an expiry that is not a time', { name: 'K', expiresAt: 'soon' }, /expiresAt must be an ISO 8601 time/],
    ['an expiry in the past', { name: 'K', expiresAt: '2020-01-01T00:00:00Z' }, /must be in the future/],
    ['a broken body', '{', /Invalid JSON body/],
  ])('refuses %s', async ([, body, message]) => {
    const answer = await call(await session(), { method: 'POST', body })
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'INVALID_INPUT', error: expect.stringMatching(message) },
    })
  })

  test('creating keys is rate-limited per minute', async () => {
    const mine = await session()
    const { rateLimiter: rates } = server.running.opened.services
    for (let i = 0; i < rateLimits.settings_writes; i++) await rates.consume(mine.accountId, 'settings_writes')
    const answer = await call(mine, { method: 'POST', body: { name: 'K' } })
    expect(answer).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } })
  })

  test("another account's key cannot be revoked", async () => {
    const { keys } = await server.running.opened.services.accounts
      .listKeys(person.id)
      .then((found) => ({ keys: found }))
    const answer = await call(await session(), { method: 'DELETE', path: `/${keys[0]?.id}` })
    expect(answer.status).toBe(404)
    expect((await whoami(person.key)).status).toBe(200)
  })
})

const calls: Call[] = [{ method: 'GET' }, { method: 'POST', body: { name: 'K' } }, { method: 'DELETE', path: '/some' }]

describe.for(calls.map((one) => [one.method, one] as const))('%s', ([, one]) => {
  const withHeaders = (headers: Record<string, string>) =>
    send(server, null, { ...one, path: `/api/v1/auth/keys${one.path ?? ''}`, headers })

  test.for<[string, () => string, number, string | undefined]>([
    ['an API key', () => `Bearer ${person.key}`, 403, 'INSUFFICIENT_SCOPE'],
    ['an unknown key', () => `Bearer ${generateApiKey()}`, 401, undefined],
    ['an OAuth token', () => 'Bearer ck_oauth_abc', 401, undefined],
    ['garbage', () => 'Bearer x', 401, undefined],
  ])('does not accept %s', async ([, header, status, code]) => {
    const answer = await withHeaders({ Authorization: header() })
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  test('does not accept an API key even in a signed-in browser', async () => {
    const answer = await call(await session(), { ...one, headers: { Authorization: `Bearer ${person.key}` } })
    expect(answer).toMatchObject({ status: 403, body: { code: 'INSUFFICIENT_SCOPE' } })
  })

  test.for([
    ['no cookie', {}],
    ['a cookie of no session', { Cookie: `lectern=${'A'.repeat(43)}` }],
    ['a cookie in another format', { Cookie: 'lectern=x; other' }],
  ] as const)('requires a session and refuses %s', async ([, headers]) => {
    const answer = await withHeaders(headers)
    expect(answer).toMatchObject({ status: 401, body: { error: expect.stringContaining('/sign-in') } })
  })
})

const changing = calls.filter(({ method }) => method !== 'GET')

describe.for(changing.map((one) => [one.method, one] as const))('%s, a changing request,', ([, one]) => {
  test.for([
    ['without a CSRF token', { 'X-CSRF-Token': '' }, 'FORBIDDEN'],
    ['with a wrong CSRF token', { 'X-CSRF-Token': 'A'.repeat(43) }, 'FORBIDDEN'],
    ['from another origin', { Origin: 'https://evil.example' }, 'ORIGIN_NOT_ALLOWED'],
    ['from a subdomain', { 'Sec-Fetch-Site': 'same-site' }, 'ORIGIN_NOT_ALLOWED'],
  ] as const)('is refused %s', async ([, headers, code]) => {
    const mine = await session()
    expect(await call(mine, { ...one, headers })).toMatchObject({ status: 403, body: { code } })
    expect((await call(mine, { method: 'GET' })).body.keys).toEqual([])
  })
})

test('the OpenAPI description declares session authentication for these routes', async () => {
  const { body } = await send(server, null, { method: 'GET', path: '/api/v1/openapi.json' })
  expect(body.paths['/api/v1/auth/keys'].get.security).toEqual([{ session: [] }])
  expect(body.paths['/api/v1/auth/keys'].post.security).toEqual([{ session: [], csrf: [] }])
  expect(body.components.securitySchemes).toHaveProperty('session')
})
