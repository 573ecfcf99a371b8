import { createServer as createHttpServer } from 'node:http'
import { createServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { checkDeployment } from '../../../src/admin/doctor/deployment/check-deployment.ts'
import {
  evaluateCertificate,
  checkCertificate,
  checkPlainHttp,
  checkScheme,
} from '../../../src/admin/doctor/deployment/check-reachability.ts'
import { selfSigned } from '../../support/certificate.ts'
import { runLectern } from '../../support/run-lectern.ts'
import { freePort, startTestServer, type TestServer } from '../../support/server.ts'
import {
  startReverseProxy,
  type ProxyOverrides,
  type PassingResponse,
  type ReverseProxy,
} from '../../support/reverse-proxy.ts'

let proxy: ReverseProxy
let server: TestServer

beforeAll(async () => {
  proxy = await startReverseProxy()
  // Clients use the proxy's URL.
  server = await startTestServer({ LECTERN_ROLE: 'web', LECTERN_BASE_URL: proxy.url })
  proxy.target = server.baseUrl
})
afterEach(() => {
  proxy.overrides = {}
})
afterAll(async () => {
  await server.close()
  await proxy.close()
})

const metadata = '/.well-known/oauth-authorization-server'
const resource = '/.well-known/oauth-protected-resource'
const resourceOfPath = `${resource}/api/v1/mcp`
const mcp = '/api/v1/mcp'

/** The server limits registrations to 20 per hour and address. */
async function examine() {
  await server.running.opened.database.db.collection('rates').deleteMany({})
  return checkDeployment(proxy.url)
}

const wrongOf = async () => (await examine()).checks.filter(({ ok }) => !ok)

test('a correct deployment has no findings', async () => {
  const { ok, checks } = await examine()
  expect(checks.filter((check) => !check.ok)).toEqual([])
  expect(ok).toBe(true)
  expect(checks.map(({ name }) => name)).toEqual([
    'reach',
    'tls',
    'challenge',
    'origin',
    'ready',
    'proxies',
    'forwarding',
    'resource-metadata',
    'resource-metadata-path',
    'issuer',
    'endpoints',
    'capabilities',
    'registration',
    'sign-in',
  ])
  for (const { detail, remedy } of checks) expect([detail.length > 5, remedy]).toEqual([true, null])
})

const at = (path: string, meddle: Omit<ProxyOverrides, 'answer'>['response']): ProxyOverrides => ({
  response(answer, asked, headers) {
    if (asked.split('?')[0] === path) meddle?.(answer, asked, headers)
  },
})

const instead = (path: string, status: number, text = ''): ProxyOverrides => ({
  answer: (asked) => (asked.split('?')[0] === path ? { status, text } : null),
})

/** Changes a field of a JSON answer; undefined removes it. */
const field = (path: string, name: string, change: (value: any) => unknown): ProxyOverrides =>
  at(path, (answer) => {
    const json = JSON.parse(answer.text)
    answer.setJson({ ...json, [name]: change(json[name]) })
  })

const without = (value: string) => (list: string[]) => list.filter((one) => one !== value)

function setHeader(name: string, value: string | null) {
  return (answer: PassingResponse) => (value === null ? answer.headers.delete(name) : answer.headers.set(name, value))
}

test.for<[string, ProxyOverrides, string[], RegExp]>([
  ['a proxy whose server is down', instead('/healthz', 502), ['reach'], /does not reach Lectern/],
  ['a server that is not Lectern', instead('/healthz', 200, '<h1>Welcome</h1>'), ['reach'], /forward every path/],
  ['a missing document', instead(resource, 404), ['resource-metadata'], /\.well-known/],
  ['an HTML page instead of a document', instead(resource, 200, '<html>'), ['resource-metadata'], /\.well-known/],
  ['a document missing at its longer path', instead(resourceOfPath, 404), ['resource-metadata-path'], /\.well-known/],
  [
    'a document for another URL',
    field(resource, 'resource', (value) => value.replace('127.0.0.1', 'localhost')),
    ['resource-metadata'],
    /LECTERN_BASE_URL=http:\/\/127/,
  ],
  [
    'a document that names another authorization server',
    field(resource, 'authorization_servers', () => ['https://elsewhere.example']),
    ['resource-metadata'],
    /LECTERN_BASE_URL/,
  ],
  [
    'a document without a scope',
    field(resourceOfPath, 'scopes_supported', without('library:write')),
    ['resource-metadata-path'],
    /\.well-known/,
  ],
  ['missing metadata of the authorization server', instead(metadata, 404), ['issuer'], /\.well-known/],
  [
    'an issuer with a trailing slash',
    field(metadata, 'issuer', (value) => `${value}/`),
    ['issuer'],
    /LECTERN_BASE_URL/,
  ],
  [
    'an endpoint with another scheme',
    field(metadata, 'token_endpoint', (value) => value.replace('http:', 'https:')),
    ['endpoints'],
    /LECTERN_BASE_URL/,
  ],
  [
    'an endpoint at another host',
    field(metadata, 'jwks_uri', (value) => value.replace('127.0.0.1', 'localhost')),
    ['endpoints'],
    /LECTERN_BASE_URL/,
  ],
  ['no registration endpoint', field(metadata, 'registration_endpoint', () => undefined), ['endpoints'], /unchanged/],
  ['no PKCE', field(metadata, 'code_challenge_methods_supported', () => ['plain']), ['capabilities'], /unchanged/],
  [
    'no public clients',
    field(metadata, 'token_endpoint_auth_methods_supported', without('none')),
    ['capabilities'],
    /unchanged/,
  ],
  [
    'no client metadata documents',
    field(metadata, 'client_id_metadata_document_supported', () => false),
    ['capabilities'],
    /unchanged/,
  ],
  ['no scopes', field(metadata, 'scopes_supported', () => ['openid']), ['capabilities'], /unchanged/],
  ['an MCP endpoint without authentication', instead(mcp, 200, '{}'), ['challenge', 'origin'], /this path/],
  ['a challenge without its header', at(mcp, setHeader('www-authenticate', null)), ['challenge'], /WWW-Authenticate/],
  [
    'a challenge with a URL on another server',
    at(mcp, setHeader('www-authenticate', 'Bearer resource_metadata="https://elsewhere.example/"')),
    ['challenge'],
    /LECTERN_BASE_URL/,
  ],
  ['a proxy that hides the Origin', { request: (headers) => headers.delete('origin') }, ['origin'], /Origin/],
  [
    'URLs derived from X-Forwarded-Host',
    at(resource, (answer, _, asked) => {
      const host = asked.get('x-forwarded-host')
      if (host) answer.setJson({ ...JSON.parse(answer.text), resource: `https://${host}/api/v1/mcp` })
    }),
    ['forwarding'],
    /X-Forwarded/,
  ],
  ['a database that does not answer', instead('/readyz', 503), ['ready'], /log of the server/],
  [
    'a proxy that is not trusted',
    { request: (headers) => headers.append('x-forwarded-for', '203.0.113.9') },
    ['proxies'],
    /LECTERN_TRUSTED_PROXIES=1: until then, clients share one limit/,
  ],
  [
    'more trusted proxies than exist',
    at('/readyz', setHeader('x-lectern-proxies', 'received=1, trusted=2')),
    ['proxies'],
    /LECTERN_TRUSTED_PROXIES=1, or .* clients can choose the address/,
  ],
  ['a registration that is refused', instead('/oauth/register', 405), ['registration'], /with its body/],
  ['too many registrations', instead('/oauth/register', 429), ['registration'], /Try again in 3600 s/],
  [
    'null fields in a registration',
    field('/oauth/register', 'client_secret', () => null),
    ['registration'],
    /unchanged/,
  ],
  [
    'redirects to another host',
    at('/oauth/authorize', (answer) => {
      answer.headers.set('location', 'https://elsewhere.example/sign-in')
    }),
    ['sign-in'],
    /leave redirects/,
  ],
  ['no sign-in page', instead('/sign-in', 404), ['sign-in'], /pass pages/],
  [
    'a redirect loop',
    at('/sign-in', (answer, asked) => {
      answer.status = 302
      answer.headers.set('location', asked)
    }),
    ['sign-in'],
    /redirects that the proxy adds/,
  ],
  [
    'an authorization that is refused at once',
    at('/oauth/authorize', (answer) => {
      answer.headers.set('location', 'http://127.0.0.1:1/callback?error=invalid_scope&error_description=no+such+scope')
    }),
    ['sign-in'],
    /invalid_scope.*no such scope/,
  ],
])('doctor --url finds %s', async ([, meddling, names, remedy]) => {
  proxy.overrides = meddling
  const wrong = await wrongOf()
  expect(wrong.map(({ name }) => name)).toEqual(names)
  expect(wrong[0]?.remedy).toMatch(remedy)
})

test('an unreachable server is one finding and skips all other checks', async () => {
  const { ok, checks } = await checkDeployment(`http://127.0.0.1:${await freePort()}`)
  expect(ok).toBe(false)
  expect(checks.map((check) => [check.name, check.ok])).toEqual([
    ['reach', false],
    ['tls', true],
  ])
  expect(checks[0]?.remedy).toMatch(/Nothing listens there/)
})

test('the remedy for an unknown host name differs from that for a stopped server', async () => {
  const { checks } = await checkDeployment('http://no-such-host.invalid')
  expect(checks[0]?.remedy).toMatch(/DNS/)
})

test('a server without OAuth passes without the OAuth checks', async () => {
  const plain = await startTestServer({ LECTERN_ROLE: 'web', LECTERN_OAUTH: 'off' })
  onTestFinished(() => plain.close())
  const { ok, checks } = await checkDeployment(plain.baseUrl)
  expect([ok, checks.map(({ name }) => name)]).toEqual([
    true,
    ['reach', 'tls', 'challenge', 'origin', 'ready', 'proxies', 'forwarding'],
  ])
  expect(checks[2]?.detail).toMatch(/OAuth is off/)
})

describe('encryption', () => {
  const day = 24 * 60 * 60 * 1000
  const serve = async (options: ServerOptions) => {
    const listener = createServer(options, (_, response) => response.end('{"ok":true}'))
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void listener.close())
    return `https://127.0.0.1:${(listener.address() as AddressInfo).port}`
  }

  test('a self-signed certificate is a finding', async () => {
    const url = await serve(selfSigned(new Date(Date.now() + 100 * day)))
    const { checks } = await checkDeployment(url)
    expect(checks[0]).toMatchObject({ name: 'reach', ok: false })
    expect(checks[0]?.remedy).toMatch(/public authorities/)
  })

  test('the expiry date of the certificate is read from the connection', async () => {
    const end = new Date(Date.now() + 3 * day)
    const finding = await checkCertificate(await serve(selfSigned(end)), new Date())
    expect(finding).toMatchObject({ name: 'certificate', ok: false })
    expect(finding.detail).toContain(end.toISOString().slice(0, 10))
    const long = await serve(selfSigned(new Date(Date.now() + 30 * day)))
    expect((await checkCertificate(long, new Date())).ok).toBe(true)
  })

  test.for([
    [8, true],
    [7, true],
    [6, false],
    [-1, false],
  ] as const)('a certificate is assessed %d days before its expiry', ([days, ok]) => {
    const now = new Date('2026-11-20T12:00:00Z')
    expect(evaluateCertificate(new Date(now.getTime() + days * day), now).ok).toBe(ok)
  })

  test.for([
    ['https://books.example.com', true],
    ['http://localhost:3000', true],
    ['http://[::1]:3000', true],
    ['http://books.example.com', false],
    ['http://192.168.1.5', false],
  ] as const)('a certificate is assessed for %s', ([origin, ok]) => {
    expect(checkScheme(origin).ok).toBe(ok)
  })

  const origin = 'https://books.example.com'
  test.for<[string, number, Record<string, string>, boolean]>([
    ['a redirect to https', 308, { Location: `${origin}/healthz` }, true],
    ['a redirect to another host', 301, { Location: 'https://elsewhere.example/' }, false],
    ['a redirect to itself', 301, { Location: '/healthz' }, false],
    ['a response', 200, {}, false],
  ])('plain http: %s', async ([, status, headers, ok]) => {
    const listener = createHttpServer((_, response) => response.writeHead(status, headers).end('{"ok":true}'))
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void listener.close())
    const plain = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
    expect((await checkPlainHttp(plain, origin)).ok).toBe(ok)
  })

  test('plain http: no response at all', async () => {
    expect((await checkPlainHttp(`http://127.0.0.1:${await freePort()}`, origin)).ok).toBe(true)
  })
})

describe('the command', () => {
  const environment = { LECTERN_LOG_LEVEL: 'silent', LECTERN_DATA_DIR: '/nowhere/to/be/made' }
  const run = (...args: string[]) => runLectern(['doctor', '--url', ...args], environment)

  test('lectern doctor --url prints every check, exits with 0 and opens no store', { timeout: 60_000 }, async () => {
    const { code, stdout } = await run(proxy.url)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ok {3}reach: http.* answers\n/)
    expect(stdout).not.toMatch(/BAD|→/)
  })

  test('lectern doctor --url prints the remedy and exits with 1 if a check fails', { timeout: 60_000 }, async () => {
    proxy.overrides = instead(resource, 404)
    const { code, stdout } = await run(proxy.url)
    expect([code, stdout.match(/^BAD .*\n {5}→ Configure the proxy to/m) !== null]).toEqual([1, true])
    const { json, code: again } = await run(`${proxy.url}/`, '--json')
    expect(again).toBe(1)
    expect(json.checks.find(({ ok }: { ok: boolean }) => !ok)).toMatchObject({ name: 'resource-metadata' })
  })

  test.for([['ftp://books.example.com'], ['books.example.com'], ['https://books.example.com/lectern']])(
    'lectern doctor --url refuses %s',
    { timeout: 60_000 },
    async ([url]) => {
      const { code, stderr } = await run(url as string)
      expect([code, stderr]).toEqual([2, expect.stringContaining('--url: must be')])
    },
  )
})
