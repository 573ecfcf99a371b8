import { Hono } from 'hono'
import { beforeAll, describe, expect, test } from 'vitest'
import { mountConnections } from '../../oauth/connections.ts'
import { mountConsent } from '../../oauth/interactions.ts'
import { mountPages } from '../../src/web/pages/mount-pages.ts'
import type { PageRoutes } from '../../src/web/routes.ts'
import { registerProgram } from '../support/oauth.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

/** Methods and paths of all pages. */
function pageRoutes(): string[] {
  const found: string[] = []
  const add = (method: string, path: string) => void found.push(`${method} ${path}`)
  const routes: PageRoutes = {
    publicPage: add,
    signedInPage: add,
    scriptRoute: add,
    notFoundPage: () => add('GET', '/no/such/page'),
  }
  const site = { tools: [], baseUrl: 'https://lectern.example', oauth: true, services: { command: 'lectern' } }
  mountPages(new Hono(), site as never, routes)
  mountConsent(routes, {} as never)
  mountConnections(routes, {} as never)
  return found
}

const otherRoutes = `
  GET /healthz
  GET /readyz
  GET /metrics
  GET /assets/style.css
  GET /assets/icon.svg
  GET /assets/frame.js
  GET /assets/literata-latin-wght-normal.woff2
  GET /api/v1/openapi.json
  PUT /api/v1/upload/blob/invented
  GET /api/v1/mcp
  POST /api/v1/mcp
  GET /oauth/authorize
  POST /oauth/token
  POST /oauth/register
  POST /oauth/revoke
  GET /oauth/jwks
  OPTIONS /oauth/register
  GET /oauth/authorize/unknown
  GET /.well-known/oauth-authorization-server
  GET /.well-known/openid-configuration
  GET /.well-known/oauth-protected-resource
  GET /api/v1/no-such-route
  POST /no-such-route
  OPTIONS /api/v1/items
  HEAD /
  DELETE /
`

/** Responses that shared caches may keep. */
const publicRoutes = new Set([
  'GET /assets/style.css',
  'GET /assets/icon.svg',
  'GET /assets/frame.js',
  'GET /assets/literata-latin-wght-normal.woff2',
  'GET /api/v1/openapi.json',
  'GET /oauth/jwks',
  'GET /.well-known/oauth-authorization-server',
  'GET /.well-known/openid-configuration',
  'GET /.well-known/oauth-protected-resource',
  'GET /api/marketplace/browse',
  'GET /docs',
  'GET /docs/search.json',
])

describe.for(['https', 'http'] as const)('every response of a server behind %s', (protocol) => {
  const isSecure = protocol === 'https'
  const server = useTestServer({
    LECTERN_ROLE: 'web',
    ...(isSecure ? { LECTERN_BASE_URL: 'https://lectern.example' } : {}),
  })
  let person: Person
  let routes: string[] = []
  beforeAll(async () => {
    person = await server.createPerson()
    const answer = await fetch(`${server.baseUrl}/api/v1/openapi.json`)
    const { paths } = (await answer.json()) as { paths: Record<string, object> }
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(documented.length).toBeGreaterThan(50)
    routes = [...documented, ...pageRoutes(), ...otherRoutes.trim().split(/\s*\n\s*/)]
  })

  async function checkAll(headers: Record<string, string>) {
    for (const route of new Set(routes)) {
      const [method = '', path = ''] = route.split(' ')
      const address = path.replaceAll(/\{\w+\}|:\w+/g, 'unknown')
      const body = ['GET', 'HEAD', 'OPTIONS'].includes(method) ? null : '{}'
      const response = await fetch(server.baseUrl + address, {
        method,
        headers: { 'Content-Type': 'application/json', ...headers },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(10_000),
      })
      const isStream = response.headers.get('content-type') === 'text/event-stream'
      await (isStream ? response.body?.cancel() : response.arrayBuffer())
      const sent = (name: string) => response.headers.get(name)
      expect.soft([route, response.status, sent('x-content-type-options')]).toEqual([route, response.status, 'nosniff'])
      expect
        .soft([route, sent('referrer-policy')])
        .toEqual([route, expect.stringMatching(/^(no-referrer|same-origin)$/)])
      expect.soft([route, sent('strict-transport-security')]).toEqual([route, isSecure ? 'max-age=31536000' : null])
      expect
        .soft([route, sent('content-security-policy')])
        .toEqual([route, expect.stringContaining("frame-ancestors 'none'")])
      const caching = publicRoutes.has(route) && response.ok ? /^public, (?:max-age=\d+|no-cache)$/ : /\bno-store\b/
      expect
        .soft([route, response.status, sent('cache-control')])
        .toEqual([route, response.status, expect.stringMatching(caching)])
    }
  }

  test('of an authorization has cookies that only this server can set', async () => {
    const app = await registerProgram(server)
    const { headers, status } = await fetch(app.authorizeUrl({ resource: null }), { redirect: 'manual' })
    const cookies = headers.getSetCookie()
    expect([status, cookies.length]).toEqual([303, 4])
    for (const cookie of cookies) {
      expect(cookie).toMatch(isSecure ? /^__Secure-lectern-oauth/ : /^lectern-oauth/)
      expect(cookie).toMatch(/; path=\/oauth\/\w+\/[\w-]+;/)
      expect(/; secure/i.test(cookie)).toBe(isSecure)
      expect(cookie).toMatch(/; samesite=lax/i)
      expect(cookie).toMatch(/; httponly/i)
    }
    const { pathname } = new URL(headers.get('location') ?? '')
    const Cookie = cookies.map((cookie) => cookie.split(';')[0]).join('; ')
    const page = await fetch(server.baseUrl + pathname, { headers: { Cookie }, redirect: 'manual' })
    expect(page.headers.get('location')).toMatch(/\/sign-in\?next=/)
  })

  test('without a credential has the headers', () => checkAll({}))
  test('to a key has the headers', () => checkAll({ Authorization: `Bearer ${person.key}` }))
})
